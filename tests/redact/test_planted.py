"""A secret planted in every input is found nowhere afterwards: not shown, reported, kept, logged, cached or left."""

import asyncio
import io
import json
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path

import pytest

from children import fed, started, wait_until_it_writes
from overspill import Cut, MemoryStore, Options, Overspill, Room, register
from overspill.core import Size
from overspill.core.report import Artifact
from overspill.errors import StoreError
from overspill.journal import file_journal
from overspill.journal.statistics import History
from overspill.redact.rules import made_up_value
from overspill.store import Label

SECRET = made_up_value("ghp_<A36>")
# Half a secret is one too many as well.
FRAGMENTS = [SECRET[:20], SECRET[10:26], SECRET[-16:]]
LINES = "a line of a log that nobody reads to its end\n"
LONG = LINES * 1_500
PLANTED = LONG + f"Authorization: Bearer {SECRET}\n" + LONG + f"and again {SECRET}\n"

Made = Callable[[Overspill], object]


def in_chunks(text: str, size: int = 7) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


async def in_async_chunks(text: str) -> AsyncIterator[bytes]:
    for chunk in in_chunks(text, 4_001):
        yield chunk.encode()


async def in_a_turn(spill: Overspill) -> object:
    async with spill.turn(3_000, calls=2) as turn:
        return await asyncio.gather(
            turn.fit(PLANTED, tool=f"deploy {SECRET}", call_id=SECRET), turn.fit(f"failed: {SECRET}", is_error=True)
        )


@register("raising")
def raising(text: str, room: Room, options: Options) -> Cut:
    raise RuntimeError(f"cannot cut {text[-300:]!r}")


class Unwilling(MemoryStore):
    """A store that fails, and says about what."""

    def put(self, text: str, size: Size, label: Label) -> Artifact:
        raise StoreError(f"{text[-60:]} {label}")


INPUTS: dict[str, Made] = {
    "text": lambda spill: spill.fit(PLANTED),
    "short text": lambda spill: spill.fit(f"token: {SECRET}"),
    "bytes": lambda spill: spill.fit(PLANTED.encode()),
    "utf-16": lambda spill: spill.fit(PLANTED.encode("utf-16")),
    "chunks": lambda spill: spill.fit_stream(in_chunks(PLANTED)),
    "large chunks": lambda spill: spill.fit_stream([LONG * 30, f"key {SECRET[:11]}", f"{SECRET[11:]}\n", LONG * 30]),
    "async chunks": lambda spill: asyncio.run(spill.afit(in_async_chunks(PLANTED))),
    "file": lambda spill: spill.fit(io.BytesIO(PLANTED.encode())),
    "object": lambda spill: spill.fit({"rows": [{"token": SECRET, "n": n} for n in range(2_000)], SECRET: 1}),
    "document": lambda spill: spill.fit_stream(in_chunks(json.dumps([{"api_key": SECRET}] * 40_000), 4_001)),
    "error text": lambda spill: spill.fit(f"cannot log in with {SECRET}\n" * 900, is_error=True),
    "tool": lambda spill: [spill.fit(LONG, tool=f"mcp__{SECRET}"), spill.fit("short", tool=f"login {SECRET}")],
    "tool of a stream": lambda spill: spill.fit_stream([LONG * 40], tool=f"mcp__{SECRET}", source=SECRET),
    "source": lambda spill: spill.fit(LONG * 9, source=f"curl -H 'Authorization: Bearer {SECRET}'"),
    "call": lambda spill: spill.fit(LONG, call_id=f"call_{SECRET}"),
    "content type": lambda spill: spill.fit(LONG * 9, content_type=f"text/plain; token={SECRET}"),
    "focus": lambda spill: spill.fit(PLANTED, focus=SECRET),
    "strategy that fails": lambda spill: spill.fit(PLANTED, strategy="raising"),
    "turn": lambda spill: asyncio.run(in_a_turn(spill)),
    "many": lambda spill: spill.fit_many([PLANTED, PLANTED], 3_000, tools=[SECRET, "bash"]),
    "refusal": lambda spill: spill.fit(PLANTED * 100, tool=SECRET),
    "second view": lambda spill: spill.fit(spill.fit(PLANTED).text),
}


def assert_nowhere(home: Path, *said: object) -> None:
    """Not in what was said, not in any file below `home`, not in the name of one."""
    for words in said:
        for fragment in FRAGMENTS:
            assert fragment not in str(words)
    for path in home.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        for fragment in FRAGMENTS:
            assert fragment not in path.name
            assert fragment.encode() not in content, path


@pytest.fixture(name="home")
def a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place in which everything lies that is kept, logged, cached or passing."""
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TMPDIR"):
        (tmp_path / name.lower()).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path


@pytest.mark.parametrize("preset", ["spec", "agent"])
@pytest.mark.parametrize("planted", INPUTS)
def test_a_planted_secret_is_nowhere(planted: str, preset: str, home: Path) -> None:
    heard: list[object] = []
    spill = Overspill(None, None, preset, str(home), f"agent {SECRET}", on_event=lambda *event: heard.append(event))
    made = INPUTS[planted](spill)
    fitted = made if isinstance(made, list) else [made]
    assert_nowhere(home, made, *(getattr(one, "metadata", "") for one in fitted), repr(spill.store), heard)
    assert (home / ".acode" / "logs" / "journal.jsonl").stat().st_size
    assert heard


def test_colours_inside_a_secret_do_not_hide_it(home: Path) -> None:
    """Where terminals are cleaned up, which the preset `agent` does, that comes first."""
    spill = Overspill(None, None, "agent", str(home), journal=file_journal(str(home / "logs")))
    fitted = spill.fit(PLANTED.replace(SECRET, f"\x1b[1m{SECRET[:9]}\x1b[0m{SECRET[9:]}"))
    assert_nowhere(home, fitted, fitted.metadata)


def test_a_store_that_fails_with_the_text_in_its_words_gives_nothing_away(home: Path) -> None:
    spill = Overspill(store=Unwilling(), journal=file_journal(str(home / "logs")))
    fitted = spill.fit(PLANTED, tool=SECRET)
    assert fitted.is_error
    assert_nowhere(home, fitted, fitted.metadata)


def test_the_search_would_find_it(home: Path) -> None:
    settings = {"redaction.enabled": False}
    spill = Overspill(settings, None, "spec", str(home), journal=file_journal(str(home / "logs")))
    fitted = spill.fit(PLANTED)
    with pytest.raises(AssertionError):
        assert_nowhere(home)
    with pytest.raises(AssertionError):
        assert_nowhere(home / "logs", spill.get(str(fitted.artifact_id), limit=0).text)


COMMANDS: dict[str, tuple[list[str], str, Mapping[str, str]]] = {
    "standard input": (["fit"], PLANTED, {}),
    "explained": (["fit", "--explain"], PLANTED, {}),
    "short": (["fit", "--explain"], f"password={SECRET}", {}),
    "tool": (["fit", "--tool", f"mcp__{SECRET}", "--explain"], LONG * 9, {}),
    "session": (["fit", "--session", f"s {SECRET}"], LONG, {}),
    "session of the agent": (["fit"], LONG, {"CLAUDE_CODE_SESSION_ID": SECRET}),
    "focus": (["fit", "--focus", SECRET], PLANTED, {}),
    "document": (["fit", "--explain"], json.dumps([{"token": SECRET}] * 5_000), {}),
    "file": (["fit", f"{SECRET}.log"], "", {}),
    "missing file": (["fit", f"no/{SECRET}.log"], "", {}),
    "strategy": (["fit", "--strategy", SECRET], LONG, {}),
    "kind": (["fit", "--kind", SECRET], LONG, {}),
    "option": (["fit", f"--{SECRET}"], LONG, {}),
    "command": ([SECRET], LONG, {}),
    "argument": (["fit", "-", SECRET], LONG, {}),
    "limit": (["fit", "--limit", SECRET], LONG, {}),
    "preset": (["fit", "--preset", SECRET], LONG, {}),
    "root": (["fit", "--root", f"/no/{SECRET}"], LONG, {}),
    "setting": (["fit"], LONG, {"OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMIT": SECRET}),
    "unknown setting": (["fit"], LONG, {"OVERSPILL_NO_SUCH": SECRET}),
    "redact": (["redact", "--why", "--report"], PLANTED, {}),
    "kept by a tool": (
        ["artifacts", "put", "--tool", SECRET, "--type", f"text/{SECRET}", "--source", SECRET],
        LONG,
        {},
    ),
    "kept too large": (
        ["artifacts", "put", "--tool", SECRET],
        LONG,
        {"OVERSPILL_TOOLS__TRUNCATION__MAX_ARTIFACT_SIZE": "5000"},
    ),
    "refused": (["fit", "--tool", SECRET], LONG, {"OVERSPILL_TOOLS__TRUNCATION__MAX_ARTIFACT_SIZE": "5000"}),
    "not an id": (["artifacts", "show", f"../{SECRET}"], "", {}),
    "no such id": (["artifacts", "show", f"art_{SECRET}"], "", {}),
    "session to start": (["session", "start", f"s {SECRET}"], "", {}),
    "stats of a tool": (["stats", "--tool", SECRET], "", {}),
    "stats of a session": (["stats", "--session", SECRET], "", {}),
    "why not": (["doctor", "--why-not", SECRET], "", {}),
}

# What looks at everything that was logged.
LOOKING = (["stats"], ["stats", "--prometheus"], ["stats", "--line"], ["doctor"], ["doctor", "--why-not"])


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["plain", "json"])
@pytest.mark.parametrize("planted", COMMANDS)
def test_a_secret_planted_in_a_command_is_nowhere(planted: str, flags: list[str], tmp_path: Path) -> None:
    words, text, environ = COMMANDS[planted]
    source = tmp_path / f"{SECRET}.log"
    source.write_text(PLANTED)
    done = fed(*words, *flags, chunks=[text.encode()], home=tmp_path, environ=environ)
    source.unlink()
    assert done.status in {0, 2, 3, 4, 8, 21}
    assert done.out + done.err
    assert b"Traceback" not in done.err
    assert_nowhere(tmp_path, done.out.decode(), done.err.decode())


def test_a_planted_secret_is_not_told_by_whoever_looks_at_the_log(tmp_path: Path) -> None:
    for words, text, environ in COMMANDS.values():
        fed(*words, chunks=[text.encode()], home=tmp_path, environ=environ)
    events = {str(event["event"]) for event in History(str(tmp_path / ".acode" / "logs"))}
    assert events >= {"pass", "truncate", "refuse", "create", "retrieve", "violation", "session"}
    for words in LOOKING:
        for flags in ([], ["--json"])[: 1 if len(words) > 1 and words[0] == "stats" else 2]:
            done = fed(*words, *flags, chunks=[], home=tmp_path)
            assert done.status == 0
            assert len(done.out) > 50
            assert_nowhere(tmp_path, done.out.decode(), done.err.decode())


def test_a_command_that_is_killed_leaves_no_secret(tmp_path: Path) -> None:
    child = started("fit", "--tool", SECRET, "--session", SECRET, home=tmp_path)
    assert child.stdin
    for _ in range(80):
        child.stdin.write(PLANTED.encode())
    child.stdin.write(f"and then half of {SECRET[:30]}".encode())
    child.stdin.flush()
    wait_until_it_writes(child.pid, tmp_path)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    assert_nowhere(tmp_path)
