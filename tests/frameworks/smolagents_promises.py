"""What is promised of smolagents alone: there the results of one step are one message."""

import re
from types import ModuleType

from scripted import call

from frameworks.contract import LIMIT, Run


def coroutines_and_parallel_calls_fit_in_one_message(example: ModuleType) -> None:
    run = Run(example, [call("build_later"), call("status"), call("build_log")], [call("list_artifacts")], later=True)
    results, listed = run.results
    assert "all is well" in results
    assert len(set(re.findall(r"art_\w{6,}", results))) == 2
    assert len(results) <= 2 * LIMIT + 100
    assert listed.count("art_") == 2


PROMISES = [coroutines_and_parallel_calls_fit_in_one_message]
