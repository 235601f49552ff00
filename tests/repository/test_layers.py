"""The rooms know nothing of the world: what they need is handed in."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import house
import pytest

import overspill

PACKAGE = Path(overspill.__file__).parent

PURE = {"version", "_lite", "errors", "core", "kinds", "clean", "redact", "cut", "documents", "lists"}
# The module of `redact` that looks at the machine: the compiled rules and their cache, redaction without settings.
LOOKING_OUT = {"redact"}
WORLDLY = {"os", "time", "pathlib", "asyncio", "logging", "socket", "subprocess", "threading", "secrets"}


def modules() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts != ("__init__",):
            yield ".".join(parts).removesuffix(".__init__")


def imported(name: str) -> Iterator[str]:
    for node in ast.walk(house.read_modules(PACKAGE)[name].tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module == "overspill")


def test_every_package_has_its_place_in_the_order() -> None:
    assert house.names_without_place(PACKAGE) == []


def test_arrows_point_one_way() -> None:
    """Imports inside functions, for the type checker and by name in tables included."""
    assert house.upward_edges(PACKAGE) + house.named_upwards(PACKAGE) == []


def test_no_module_needs_itself() -> None:
    assert {name: found for name, found in house.cycles(PACKAGE).items() if name != "all packages" and found} == {}


@pytest.mark.parametrize("name", [name for name in modules() if name.split(".")[0] in PURE and name not in LOOKING_OUT])
def test_values_do_not_touch_the_world(name: str) -> None:
    assert {module.split(".")[0] for module in imported(name)} & WORLDLY == set()
    assert not any(module.startswith("overspill.files") for module in imported(name))


def test_the_house_stays_small_enough_to_know() -> None:
    names = list(modules())
    assert len([name for name in names if "." not in name and not (PACKAGE / name).is_dir()]) + 1 <= 10
    assert len(names) + 1 <= 250


def test_no_file_is_longer_than_can_be_known() -> None:
    """Tests, tools, benchmarks and examples, too; samples are what others wrote."""
    repository = Path(__file__).parents[2]
    places = [PACKAGE, *(repository / name for name in ("tests", "tools", "benchmarks", "examples"))]
    files = [path for place in places for path in place.rglob("*.py") if "samples" not in path.parts]
    assert [str(path) for path in files if len(path.read_text().splitlines()) > 500] == []


def run_python(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


# All that a plain log needs. A name more here is a file more to load for every tool call: is it needed?
LOADED = [
    "_lite", "agents", "api", "clean", "clean.decode", "cli", "cli.arguments", "cli.commands",
    "cli.fit", "cli.main", "cli.opening", "cli.output", "core", "core.budget", "core.markers",
    "core.report", "core.spans", "cut", "cut.ends",
    "cut.render", "errors", "files", "fit", "fit.intake",
    "fit.prepare", "fit.render", "fit.view", "journal", "redact", "redact.hits", "redact.output",
    "redact.redactor", "redact.stream", "settings", "settings.checks", "settings.files", "settings.table", "store",
    "store.files", "store.quota", "store.reader", "store.records", "store.removal",
    "store.session_files", "store.sessions", "store.writer", "version", "workspace",
    "workspace.opening", "workspace.policy",
]  # fmt: skip
COSTLY = {"collections", "contextlib", "dataclasses", "enum", "functools", "json", "pathlib", "re", "typing"}


def test_no_start_imports_what_takes_longer_than_its_work() -> None:
    """What is needed of these modules stands in `_lite.py`, or is imported by the function that needs it."""
    secrets = {
        name for name in modules() if name.startswith("redact.") and name not in ("redact.scanner", "redact.user_rules")
    }
    trees = {name: house.read_modules(PACKAGE)[name].tree for name in {*LOADED, *secrets} - {"overspill"}}
    needed = {
        name: {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        | {str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)}
        for name, tree in trees.items()
    }
    assert {name: found & COSTLY for name, found in needed.items() if found & COSTLY} == {}


FIT = """
import sys
from overspill.cli.main import main
status = main(['fit', sys.argv[1], '--root', sys.argv[2], '--strategy', sys.argv[3]])
"""


def modules_loaded_by_fit(tmp_path: Path, text: str, strategy: str) -> list[str]:
    log = tmp_path / "build.log"
    log.write_text(text)
    code = FIT + "print('\\n' + '\\n'.join(sys.modules))"
    environ = {"HOME": str(tmp_path), **{name: os.environ[name] for name in ("PATH", "XDG_CACHE_HOME")}}
    for _ in range(2):  # the first time, the scan database is built
        # By its bare name: a directory may be called anything, and be looked at for secrets.
        arguments = [sys.executable, "-c", code, log.name, str(tmp_path), strategy]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environ, cwd=tmp_path)
    return done.stdout.splitlines()


def test_spill_fit_imports_only_what_it_uses(tmp_path: Path) -> None:
    """Start-up is budgeted: hooks start a process for every tool call."""
    loaded = modules_loaded_by_fit(tmp_path, "all is well\n" * 9_000, "head_tail")
    heavy = {"argparse", "asyncio", "dataclasses", "email", "hypothesis", "inspect", "json", "logging", "msgspec"}
    heavy |= {"pathlib", "regex", "rich", "secrets", "shutil", "socket", "sqlite3", "subprocess", "tempfile", "typing"}
    assert set(loaded) & (heavy | {"_hashlib", "yaml", "zstandard"}) == set()
    assert sorted(name.removeprefix("overspill.") for name in loaded if name.startswith("overspill.")) == LOADED


def test_a_smart_view_of_a_log_loads_no_digest_that_nothing_in_it_hints_at(tmp_path: Path) -> None:
    """17: at most 80 modules."""
    line = "2026-11-15T10:{:02}:{:02}Z {} worker-{} req={:08x} took={}ms\n"
    levels = ("INFO", "INFO", "INFO", "WARN", "ERROR")
    numbers = range(1, 1_500)
    text = "".join(line.format(n // 60, n % 60, levels[n % 5], n % 8, n * 2_654_435_761, n % 877) for n in numbers)
    loaded = {name for name in modules_loaded_by_fit(tmp_path, text, "smart") if name.startswith("overspill")}
    assert {name for name in loaded if name.startswith("overspill.cut.digest.")} == {
        f"overspill.cut.digest.{name}" for name in ("leading_names", "patterns", "survey", "templates", "values")
    }
    assert len(loaded) <= 80


HOOK = """
import os, sys
from overspill.cli.main import main
del os.fork  # so that all of it happens in this process
main(['hook', 'claude-code'])
print('\\n' + '\\n'.join(sys.modules))
"""


def test_a_hook_imports_only_what_it_uses(tmp_path: Path) -> None:
    """A hook is called for every result of every tool, and most are short."""
    event = '{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": {"stdout": "ok", "stderr": "no"}}'
    environ = {"HOME": str(tmp_path), **{name: os.environ[name] for name in ("PATH", "XDG_CACHE_HOME")}}
    for _ in range(2):  # the first time, the scan database is built
        arguments = [sys.executable, "-c", HOOK]
        done = subprocess.run(
            arguments, input=event, capture_output=True, text=True, check=True, env=environ, cwd=tmp_path
        )
    loaded = set(done.stdout.splitlines())
    assert "overspill.agents.hooks.claude_code" in loaded
    heavy = {"argparse", "asyncio", "dataclasses", "inspect", "json", "logging", "msgspec", "pathlib", "regex"}
    assert loaded & (heavy | {"shutil", "socket", "sqlite3", "subprocess", "tempfile", "typing", "yaml"}) == set()
    agents = {"codex", "gemini", "copilot", "plugins", "editors"}
    assert {name for name in loaded if name.startswith("overspill.agents.hooks.")} & {
        f"overspill.agents.hooks.{agent}" for agent in agents
    } == set()


@pytest.mark.parametrize(
    ("agent", "event"),
    [
        ("codex", '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}'),
        ("claude-code", '{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"content": "[1]"}}'),
    ],
)
def test_a_hook_before_a_run_loads_nothing_that_looks_at_texts(tmp_path: Path, agent: str, event: str) -> None:
    """It is asked before every command and every file that is written."""
    environ = {"HOME": str(tmp_path), **{name: os.environ[name] for name in ("PATH", "XDG_CACHE_HOME")}}
    arguments = [sys.executable, "-c", HOOK.replace("claude-code", agent)]
    done = subprocess.run(arguments, input=event, capture_output=True, text=True, check=True, env=environ, cwd=tmp_path)
    loaded = {name.removeprefix("overspill.").partition(".")[0] for name in done.stdout.splitlines()}
    assert loaded & {"fit", "workspace", "store", "redact", "settings", "journal", "api", "cut"} == set()


def test_nothing_opens_a_socket(tmp_path: Path) -> None:
    """Nothing ever leaves the machine."""
    log = tmp_path / "build.log"
    log.write_text("all is well\n" * 9_000)
    hook = (
        "import sys\n"
        "def watch(event, arguments):\n"
        "    if event.startswith('socket.'): raise SystemExit(f'a socket was opened: {event}')\n"
        "sys.addaudithook(watch)\n"
    )
    code = hook + FIT + "main(['demo']); raise SystemExit(status)"
    assert "THE MODEL SEES" in run_python(code, str(log), str(tmp_path), "head_tail")


def test_the_watch_for_sockets_would_see_one() -> None:
    watch = "import sys; seen = []; sys.addaudithook(lambda event, _: seen.append(event))"
    code = f"{watch}; import socket; socket.socket(); print(*seen)"
    assert "socket.__new__" in run_python(code)
