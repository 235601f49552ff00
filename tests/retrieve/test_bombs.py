"""Whatever is asked of whatever was kept ends soon, in little memory, with an answer that is bounded or says why not.

Each bomb runs in a process of its own, which says what it took: under 2 seconds of its own time and 200 MB.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SECONDS, MEGABYTES = 5.0, 200  # of CPU on a busy machine, where what has no end would take minutes
ANSWER = 220_000  # characters that any answer may have

SERVE = """
import json, os, signal, sys, time
import msgspec, re2, jsonpath
from overspill.retrieve.access import Access
from overspill.errors import OverspillError
from overspill.core import measure
from overspill.store import Label
from overspill.store.files import FileStore
from overspill.workspace.opening import open_store
from overspill.store.quota import Limits
from overspill.core.markers import tool_call
from overspill.retrieve.jsonpath import pretty
from overspill.retrieve.tools import Answer, get_artifact, search_artifacts

for line in sys.stdin:
    if not os.fork():
        signal.alarm(60)
        exec(json.loads(line))
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1]:
        print("null", flush=True)
"""
OPEN = """
limits = Limits(max_artifact_size=None, rate=None)
store = open_store(ROOT, environ={"XDG_STATE_HOME": ROOT}, limits=limits, compress=COMPRESS)
"""
KEEP = """
size = lines = 0
with store.open(Label("bash", "text/plain")) as writer:
    for piece in CONTENT:
        writer.write(piece)
        size += len(piece)
        lines += piece.count(b"\\n")
    print(json.dumps(writer.commit(measure("")._replace(chars=size, bytes=size, lines=lines)).id))
"""
MEASURE = """
access = Access(store, 50_000, 200_000, requester="model")
def got(query="", **arguments):
    return get_artifact(access, {"id": kept_id, **({"query": query} if query else arguments)})

def drawn():
    try:
        page = pretty(store, kept_id, (1_000, 2_000), 50_000, 0, tool_call)
    except OverspillError as error:
        return Answer(str(error), status=400)
    return Answer(page.text, note=page.next or 'all of it')

def found(pattern, regex=False, **arguments):
    return search_artifacts(access, {"pattern": pattern, "regex": regex, **arguments})

started = time.process_time()
answer = ASKED
spent = time.process_time() - started
with open("/proc/self/status") as status:  # what its parent took counts for nothing
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
why = answer.content[:200] if answer.is_error else ""
print(json.dumps([answer.status, len(answer.content), round(spent, 2), round(peak), why, answer.note[:300]]))
"""

LOG = (
    "[b'the quick brown fox took=%dms and aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\\n' % n * 100 for n in range(1_500)]"  # 10 MB
)
LINE = "[b'aaaaaaaaab' * 10_000] * 100"  # 10 MB, one line
NEEDLES = "[b'needle\\n' * 10_000] * 100"  # a million
NUMBERS = "[b'[', *[b'1,' * 50_000] * 50, b'1]']"  # 5 MB of small values
RECORDS = "[b'[', *[b'{\"a\":[1,2,{\"b\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac\"}]},' * 1_000] * 100, b'0]']"  # 5 MB
NESTED = "[b'[' * 800, b'1,' * 300_000, b'1', b']' * 800]"
DEEP = "[b'[' * 1_000_000, b']' * 1_000_000]"
LAUGHS = (
    "[b'<!DOCTYPE x [<!ENTITY a \"ha\">' + b''.join(b'<!ENTITY a%d \"%s\">' % (n, b'&a%d;' % (n - 1) * 10)"
    " for n in range(1, 30)) + b']><x>&a29;</x>'] + [b'<y/>' * 100_000]"
)
ZEROS = "[bytes(1 << 20)] * 64"  # 64 MB that are stored as a few KB

BOMBS = {
    "a regular expression with nested choices": (LOG, 'found("(a|aa)+$", regex=True)'),
    "nested repetition": (LOG, 'found("(.*)*x", regex=True)'),
    "nested repetition in one line": (LINE, 'found("(a+)+c", regex=True)'),
    "a look ahead at every place of one line": (LINE, 'found("a.*c|a", regex=True)'),
    "huge counted repetition": (LOG, 'found("(a{1000}){1000}", regex=True)'),
    "counted repetition of a large class": (LOG, r'found("(?i)\\pL{200}", regex=True)'),
    "a pattern that matches everywhere": (LINE, 'found("z*", regex=True)'),
    "a pattern that is not closed": (LOG, 'found("(" * 4000, regex=True)'),
    "a long pattern": (LOG, 'found("a" * 1_000_000)'),
    "an empty pattern": (LOG, 'found("")'),
    "a million matches": (NEEDLES, 'found("needle")'),
    "a million matches of an expression": (NEEDLES, 'found("ne+dle", regex=True)'),
    "all of a million matches": (NEEDLES, 'found("needle", limit=0, context=50)'),
    "a match that overlaps itself": (LINE, 'found("aa", limit=10**18)'),
    "matches behind a huge offset": (NEEDLES, 'found("needle", offset=10**30)'),
    "nothing but NUL": (ZEROS, r'found("\x00" * 1000, limit=0)'),
    "an expression in nothing but NUL": (ZEROS, r'found("\\x00+$", regex=True)'),
    "one line of 10 MB": (LINE, "got(start_line=1, end_line=1)"),
    "everything at once": (LOG, "got(limit=0)"),
    "huge limits and offsets": (LOG, "got(limit=10**30, offset=10**30)"),
    "huge ranges": (LOG, "got(start_byte=10**18, end_byte=10**30)"),
    "negative numbers": (LOG, "got(start_byte=-5, end_byte=-1)"),
    "a query for everything": (RECORDS, 'got("$..*")'),
    "everything of everything": (RECORDS, 'got("$..*..*")'),
    "everything of small values": (NUMBERS, 'got("$..[?@>0]")'),
    "nested filters": (RECORDS, 'got("$[?@.a[?@.b[?@..b]]]")'),
    "a filter that looks at all for each": (RECORDS, 'got("$[?count($..*)>count(@..*)]")'),
    "a filter that looks below for each": (NESTED, 'got("$..[?@..[0]]")'),
    "a filter with a hostile pattern": (RECORDS, "got(\"$[?search(@.a[2].b, '(a+)+b')]\")"),
    "huge slices": (NUMBERS, 'got("$[-9007199254740991:9007199254740991:2]")'),
    "a slice backwards": (NUMBERS, 'got("$[::-1]")'),
    "the last of many": (NUMBERS, 'got("$[-1]")'),
    "a long union": (NUMBERS, 'got("$[" + ",".join(["*"] * 2000) + "]")'),
    "a union of far elements": (NUMBERS, 'got("$[" + ",".join(["-1"] * 900) + "]")'),
    "a query that is nested": (NUMBERS, 'got("$[?" + "(" * 2000 + "@" + ")" * 2000 + "]")'),
    "a query of many steps": (RECORDS, 'got("$" + ".*" * 2000)'),
    "JSON of a million levels": (DEEP, 'got("$..a")'),
    "entities of XML": (LAUGHS, 'got("$.*")'),
    "blanks before deep values": (NESTED, "drawn()"),
    "many small values on lines of their own": (RECORDS, "drawn()"),
}  # fmt: skip


class Exploded(NamedTuple):
    """What came of a bomb: the status of the answer and its length, seconds, megabytes, and what was said."""

    status: int
    length: int
    spent: float
    peak: int
    why: str
    note: str


class Proving:
    """A process that has loaded what is asked, and forks for every bomb; what several ask about is kept once."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._errors = errors = place / "errors"
        self._kept: dict[tuple[str, bool], tuple[Path, str]] = {}
        with errors.open("wb") as told:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=told, text=True
            )

    def explode(self, content: str, asked: str, *, compress: bool = False) -> Exploded:
        if (content, compress) not in self._kept:
            root = self._place / str(len(self._kept))
            root.mkdir()
            self._kept[content, compress] = root, self._say(root, KEEP.replace("CONTENT", content), compress=compress)
        root, kept = self._kept[content, compress]
        return Exploded(*self._say(root, f"kept_id = {kept!r}\n" + MEASURE.replace("ASKED", asked), compress=compress))

    def _say(self, root: Path, code: str, *, compress: bool) -> Any:  # noqa: ANN401  # what the code prints
        code = OPEN.replace("COMPRESS", str(compress)).replace("ROOT", repr(str(root))) + code
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(code), file=self.process.stdin, flush=True)
        said = json.loads(self.process.stdout.readline())
        assert said, self._errors.read_text()[-500:]
        assert not self._errors.read_text(), self._errors.read_text()[-500:]
        return said


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proving]:
    proving = Proving(tmp_path_factory.mktemp("ground"))
    with proving.process as process:
        yield proving
        assert process.stdin
        process.stdin.close()


@pytest.mark.parametrize("name", list(BOMBS))
def test_a_bomb_ends_soon_in_little_memory(name: str, ground: Proving) -> None:
    content, asked = BOMBS[name]
    status, length, spent, peak, why, note = ground.explode(content, asked)
    assert status in {200, 400}, why
    assert why or note
    assert length <= ANSWER
    assert spent < SECONDS, (spent, why, note)
    assert peak < MEGABYTES, (peak, why, note)


@pytest.mark.parametrize(
    "asked",
    [
        r'found("\x00\x01")',
        "got(offset=60_000_000)",
        'got("$")',
    ],
)
def test_a_compressed_artifact_is_unpacked_a_piece_at_a_time(asked: str, ground: Proving) -> None:
    status, length, spent, peak, why, note = ground.explode(ZEROS, asked, compress=True)
    assert status in {200, 400}, why
    assert length <= ANSWER
    assert spent < SECONDS, (spent, why, note)
    assert peak < MEGABYTES, (peak, why, note)
