"""The pages and examples of agent frameworks, as far as they can be tested without the frameworks.

The rest is in `make frameworks`: it builds an environment for each and runs its example there.
"""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2]
EXAMPLES = sorted((HERE / "examples" / "frameworks").glob("*_agent.py"))
NAMES = [path.stem.removesuffix("_agent") for path in EXAMPLES]
ADAPTERS = [name for name in NAMES if (HERE / "src" / "overspill" / "frameworks" / f"{name}.py").exists()]
OTHERS = sorted(set(NAMES) - set(ADAPTERS))  # with `limited` and `artifact_tools` alone, on one page
EXTRAS = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]["optional-dependencies"]
HIDDEN = {
    "agents", "anthropic", "crewai", "fastmcp", "google", "google.adk", "langchain", "langchain_core", "langgraph",
    "llama_index", "pydantic_ai", "deepagents",
}  # fmt: skip
# What may be installed here for other reasons is not there for who imports it.
HIDE = """import sys
class Hide:
    def find_spec(self, name, *_):
        if name in {}: raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Hide())"""


def page_of(name: str) -> str:
    return (HERE / "docs" / "frameworks" / f"{name.replace('_', '-')}.md").read_text()


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_lines_of_a_page_are_lines_of_the_example_that_make_frameworks_runs(name: str) -> None:
    example = (HERE / "examples" / "frameworks" / f"{name}_agent.py").read_text()
    compile(example, name, "exec")
    shown = re.findall(r"^```python\n(.*?)^```", page_of(name), re.MULTILINE | re.DOTALL)
    assert shown
    for block in shown:
        compile(block, name, "exec")
        assert block.strip() in example
    assert len(shown[0].strip().splitlines()) <= 12


def test_the_page_of_the_other_frameworks_shows_lines_of_their_examples() -> None:
    examples = [(HERE / "examples" / "frameworks" / f"{name}_agent.py").read_text() for name in OTHERS]
    shown = re.findall(r"^```python\n(.*?)^```", page_of("others"), re.MULTILINE | re.DOTALL)
    assert len(shown) == len(OTHERS) > 0
    for block in shown:
        assert sum(block.strip() in example for example in examples) == 1
        assert len(block.strip().splitlines()) <= 12
    index = (HERE / "docs" / "frameworks" / "README.md").read_text()
    assert all(f"| [{name}](others.md) |" in index for name in OTHERS)


@pytest.mark.parametrize("name", ADAPTERS)
def test_every_adapter_has_an_extra_a_row_in_the_table_and_a_place_in_the_index(name: str) -> None:
    extra = name.replace("_", "-")
    (requirement, *_) = EXTRAS[extra]
    assert re.search(r">=[\d.]+,<\d", requirement)
    index = (HERE / "docs" / "frameworks" / "README.md").read_text()
    assert f"| [{extra}]({extra}.md) |" in index
    assert f"pip install 'overspill[{extra}]'" in page_of(name)


@pytest.mark.parametrize("name", ADAPTERS)
def test_without_its_framework_an_adapter_is_one_sentence(name: str) -> None:
    """A missing extra is an ImportError that names the command, with nothing of the inside."""
    extra = name.replace("_", "-")
    code = f"{HIDE.format(HIDDEN)}\nimport overspill.frameworks.{name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"pip install 'overspill[{extra}]'" in done.stderr.strip().splitlines()[-1]
    assert "another exception" not in done.stderr
    assert "direct cause" not in done.stderr


def test_what_make_test_leaves_to_make_frameworks_is_said() -> None:
    makefile = (HERE / "Makefile").read_text()
    assert "make frameworks" in makefile.partition("\ntest:")[2].partition("\n\n")[0]
    assert "tests/frameworks/run.py" in makefile.partition("\nframeworks:")[2].partition("\n\n")[0]


def test_no_promise_is_left_out() -> None:
    """`contract.py` looks for the promises of an example by its name; a file it would not find is not run."""
    promises = {path.stem.removesuffix("_promises") for path in (HERE / "tests" / "frameworks").glob("*_promises.py")}
    assert promises <= set(NAMES)
    for path in (HERE / "tests" / "frameworks").glob("*_promises.py"):
        module = ast.parse(path.read_text())
        checks = {node.name for node in module.body if isinstance(node, ast.FunctionDef) and takes_an_example(node)}
        (listed,) = [node.value for node in module.body if isinstance(node, ast.Assign) and names(node) == "PROMISES"]
        assert isinstance(listed, ast.List)
        assert checks, path.name
        assert checks == {one.id for one in listed.elts if isinstance(one, ast.Name)}, path.name


def takes_an_example(function: ast.FunctionDef) -> bool:
    return re.fullmatch(r"\w+: ModuleType", ast.unparse(function.args)) is not None


def names(assignment: ast.Assign) -> str:
    return ast.unparse(assignment.targets[0])
