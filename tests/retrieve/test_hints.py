"""Every call that a view names works: executed and followed to its last page, it brings exactly what it names.

Views of every kind of text and every strategy, in the words of both doors: a thousand in `make torture`.
"""

import io
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from drawn import number_of
from overspill.api import Overspill
from overspill.cli.main import main
from overspill.core.markers import shell_call, tool_call
from overspill.core.report import Fitted
from overspill.core.spans import omitted_spans
from overspill.retrieve.tools import TOOLS
from overspill.store.memory import MemoryStore

VIEWS = number_of(400, 1_000)
TOOL_CALL = re.compile(r'get_artifact\(id="(?:[^"\\]|\\.)*"(?:, \w+=(?:"(?:[^"\\]|\\.)*"|\w+))*\)')
SHELL_CALL = re.compile(
    r"spill artifacts show art_\w+(?: -(?:-|'-)(?:lines|bytes|offset|limit)'? [\d-]+| -(?:-|'-)query'? '[^']*')*"
)
PAGE = 700  # characters: small, so that most answers take several pages


def words(random: Random) -> str:
    return random.choice(["error: no such file", "ok", "é€😀 " * 9, "value=42 " * 6, "", "x" * 150, "\ttabbed", '"q"'])


def log(random: Random) -> str:
    return "".join(words(random) + random.choice(["\n", "\n", "\r\n"]) for _ in range(random.randint(40, 400)))


def one_line(random: Random) -> str:
    return "".join(words(random) for _ in range(random.randint(60, 400)))


def record(random: Random) -> dict[str, object]:
    inner: list[object] = [random.randint(0, 9) for _ in range(random.randint(0, 30))]
    return {"id": random.randint(0, 999), "text": words(random), "list": inner, "sub": {"a": None, "b": words(random)}}


def document(random: Random) -> str:
    records = [record(random) for _ in range(random.randint(10, 60))]
    value: object = random.choice(
        [records, {"users": records, "total": len(records)}, {str(n): r for n, r in enumerate(records)}]
    )
    return json.dumps(value, indent=random.choice([None, None, 1]), ensure_ascii=random.random() < 0.5)


def ndjson(random: Random) -> str:
    return "".join(json.dumps(record(random)) + "\n" for _ in range(random.randint(10, 60)))


def xml(random: Random) -> str:
    items = "".join(
        f"<item id='{n}'><v>é{n}</v></item>" + random.choice(["", "\n"]) for n in range(random.randint(20, 200))
    )
    return f"<r>{items}</r>"


KINDS: dict[str, Callable[[Random], str]] = {
    "log": log, "line": one_line, "json": document, "ndjson": ndjson, "xml": xml,
}  # fmt: skip
STRATEGIES = ["head", "tail", "head_tail", "line", "element", "smart"]


def views(door: str, seeds: range) -> Iterator[tuple[str, Overspill, Fitted]]:
    spelling = tool_call if door == "tool" else shell_call
    for seed in seeds:
        random = Random(f"{door} {seed}")
        text = KINDS[random.choice(list(KINDS))](random)
        threshold = random.choice([1_000, 100_000])
        spill = Overspill(
            {"tools.truncation.artifact_threshold": threshold, "tools.truncation.artifacts.retrieval_limit": PAGE},
            MemoryStore(),
            spelling=spelling,
        )
        limit = min(random.choice([150, 300, 600, 1_000, 3_000]), threshold)
        yield text, spill, spill.fit(text, budget=limit, strategy=random.choice(STRATEGIES))


def arguments_of(call: str) -> dict[str, object]:
    """The arguments of a tool call, read as a model's client would."""
    return {name: json.loads(value) for name, value in re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\w+)', call)}


def by_tool(call: str, spill: Overspill) -> tuple[str, str]:
    answer = {tool.name: tool for tool in TOOLS}[call.partition("(")[0]].call(spill, arguments_of(call))
    assert answer.status == 200, answer
    if answer.next:
        assert answer.next in answer.note
    return answer.content, answer.next


class Terminal:
    """`spill` in this process, on a store that is handed to it."""

    def __init__(self, patch: pytest.MonkeyPatch, spill: Overspill) -> None:
        self.patch = patch
        self.spill = spill

    def run(self, call: str) -> tuple[str, str]:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", newline=""), io.StringIO()
        self.patch.setattr(sys, "stdout", out)
        self.patch.setattr(sys, "stderr", err)
        self.patch.setattr("overspill.cli.artifacts_show.open_workspace", lambda _call: self.spill.workspace)
        status = main(shlex.split(call)[1:])
        self.patch.undo()
        assert status == 0, err.getvalue()
        out.seek(0)
        following = re.search(r"^next: (.*)$", err.getvalue(), re.MULTILINE)
        return out.read(), following[1] if following else ""


def followed(call: str, run: Callable[[str], tuple[str, str]]) -> list[str]:
    """Every page that a call leads to."""
    pages = []
    while call:
        page, call = run(call)
        pages.append(page)
        assert len(pages) < 2_000
    return pages


def calls_in(fitted: Fitted, door: str) -> list[str]:
    """Every call in a view and in the block that goes out beside it."""
    pattern = TOOL_CALL if door == "tool" else SHELL_CALL
    shown = "\n".join([fitted.text, fitted.text.replace('\\"', '"'), fitted.notice])
    return sorted({call for call in pattern.findall(shown) if fitted.artifact_id and fitted.artifact_id in call})


def named_by(text: str, call: str, door: str) -> str | None:
    """What the range of a call covers, the slow way; None for the whole."""
    options = arguments_of(call) if door == "tool" else dict(zip(*[iter(shlex.split(call)[4:])] * 2, strict=True))
    content = text.encode()
    if door == "shell":
        for unit in ("lines", "bytes"):
            if value := options.get(f"--{unit}"):
                first, _, last = str(value).partition("-")
                options = {f"start_{unit[:-1]}": int(first), f"end_{unit[:-1]}": int(last)}
    if "start_line" in options:
        start, end = int(str(options["start_line"])), int(str(options["end_line"]))
        return b"".join(content.splitlines(keepends=True)[start - 1 : end]).decode()
    if "start_byte" in options:
        return content[int(str(options["start_byte"])) : int(str(options["end_byte"]))].decode()
    return None


def also_call(call: str, bounds: str, door: str) -> str:
    """The call for the other range that a hint names."""
    start, _, end = bounds.partition("-")
    if door == "shell":
        return re.sub(r"(--(?:lines|bytes)) \d+-\d+", rf"\1 {bounds}", call)
    return re.sub(r"(end_\w+)=\d+", rf"\1={end}", re.sub(r"(start_\w+)=\d+", rf"\1={start}", call))


def query_of(call: str, door: str) -> str:
    if door == "shell":
        words = shlex.split(call)
        return words[words.index("--query") + 1]
    found = re.search(r'query=("(?:[^"\\]|\\.)*")', call)
    assert found
    query: str = json.loads(found[1])
    return query


def values_of(text: str, pages: list[str], run: Callable[[str], tuple[str, str]], door: str, query: str) -> None:
    """The values that a query asks for, those that fit on no page fetched by the calls in their places."""
    value = json.loads(text)
    steps = re.findall(r'\.(\w+)|\[("(?:[^"\\]|\\.)*")\]', query.partition("[0:10]")[0])
    for plain, quoted in steps if query.endswith("[0:10]") else ():
        value = value[plain or json.loads(quoted)]
    wanted = list(value.values()) if isinstance(value, dict) else list(value)
    wanted = wanted[:10] if query.endswith("[0:10]") else wanted
    seen = [one for page in pages for one in json.loads(page)]
    assert len(seen) == len(wanted)
    for found, expected in zip(seen, wanted, strict=True):
        call = (TOOL_CALL if door == "tool" else SHELL_CALL).search(found) if isinstance(found, str) else None
        assert (json.loads("".join(followed(call[0], run))) if call else found) == expected


@pytest.mark.drawn
@pytest.mark.parametrize("door", ["tool", "shell"])
@pytest.mark.parametrize("part", range(2))
def test_every_call_in_a_view_brings_exactly_what_it_names(
    door: str, part: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    tried = hints = options = queries = 0
    for text, spill, fitted in views(door, range(part, VIEWS // 2, 2)):
        tried += 1
        if not fitted.artifact_id:
            continue
        run = (lambda call, spill=spill: by_tool(call, spill)) if door == "tool" else Terminal(monkeypatch, spill).run
        gaps = [text[start:end] for start, end in omitted_spans(fitted.report.kept, len(text))]
        largest = max(gaps, key=len)
        for call in calls_in(fitted, door):
            pages = followed(call, run)
            if "query" in call:
                values_of(text, pages, run, door, query_of(call, door))
                queries += 1
                continue
            assert all(len(page) <= PAGE for page in pages)
            brought, named = "".join(pages), named_by(text, call, door)
            assert brought == (text if named is None else named), call
            if call == fitted.report.fetch and named is not None:
                # Separators between elements of a document are no part of what is worth fetching.
                assert brought.strip(", \t\r\n") == largest.strip(", \t\r\n"), (call, largest)
                hints += 1
                also = re.search(r", also (\d+-\d+)", fitted.text)
                if also:
                    second = also_call(call, also[1], door)
                    assert "".join(followed(second, run)) in gaps, second
            options += 1
    assert tried == VIEWS // 4
    assert hints > VIEWS // 10, hints
    assert options > hints, options
    assert queries > VIEWS // 300, queries
