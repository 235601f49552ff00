"""`spill report`: one file, no request, no text unless it is asked for, figures as the journal has them."""

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from overspill.journal.calls import call_rows
from overspill.journal.statistics import History
from report_kit import HOSTILE, MARKER, data_in, make_session, reader_environ
from spill_process import run_spill


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reported")
    make_session(place, 60)
    return place


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A root of a few calls, for what any page shows."""
    make_session(tmp_path, 9)
    return tmp_path


def written(root: Path, *more: str) -> str:
    environ = reader_environ(root / "home")
    done = run_spill("report", "-o", "page.html", "--root", str(root), *more, cwd=root, env=environ)
    assert done.returncode == 0, done.stderr
    return (root / "page.html").read_text()


@cache
def page_of(root: Path, *more: str) -> str:
    """A page that several look at."""
    return written(root, *more)


class Tags(HTMLParser):
    """Every element of a page, and whatever could ask somebody for something."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, int] = {}
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names[tag] = self.names.get(tag, 0) + 1
        self.addresses += [value or "" for name, value in attrs if name in {"src", "href", "action", "srcset", "data"}]


@pytest.mark.parametrize("more", [(), ("--with-texts",)])
def test_the_page_asks_nobody_for_anything(root: Path, more: tuple[str, ...]) -> None:
    page = page_of(root, *more)
    tags = Tags()
    tags.feed(page)
    assert set(tags.addresses) <= {"data:,", "#main"}
    assert not {"img", "iframe", "object", "embed", "form", "video", "audio", "base", "b"} & set(tags.names)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; ")
    assert "unsafe" not in policy[1]
    assert "connect-src" not in policy[1]
    for tag in ("style", "script"):
        [inline] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'" in policy[1]
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function", inline)


def test_no_text_and_no_command_is_in_the_page_unless_asked_for(root: Path) -> None:
    page = page_of(root)
    assert MARKER not in page
    assert "worker-3" not in page
    assert "hunter-Zx9" not in page
    assert str(root) not in page
    assert MARKER in page_of(root, "--with-texts")
    assert "hunter-Zx9" not in page_of(root, "--with-texts")


def test_hostile_texts_stay_texts(root: Path) -> None:
    page = page_of(root, "--with-texts")
    assert "window.hacked" in page
    assert "<script>window" not in page
    assert "<img" not in page
    tags = Tags()
    tags.feed(page)
    texts = [data_in(page, name) for name in re.findall(r'id="(text-\d+)"', page)]
    assert any(HOSTILE.splitlines()[0] in json.dumps(text).replace("\\n", "\n") for text in texts)


def test_the_columns_are_what_the_journal_adds_up_to(root: Path) -> None:
    data = data_in(page_of(root))
    assert isinstance(data, dict)
    rows = list(call_rows(str(root / ".acode/logs")))
    calls = data["calls"]
    for name in ("said", "shown", "fetched", "ours"):
        assert calls[name] == [getattr(row, name) for row in rows]
    assert calls["host"] == [-1 if row.host is None else row.host for row in rows]
    assert [calls["names"]["tool"][number] for number in calls["tool"]] == [row.tool for row in rows]
    made = [event for event in History(str(root / ".acode/logs")) if event["event"] == "retrieve"]
    assert len(calls["fetchList"]) == len(made) > 0


def test_positions_lead_to_the_lines_that_were_shown(root: Path) -> None:
    """Counted again with other code: lines by splitting, characters by slicing."""
    page = page_of(root, "--with-texts")
    parts = data_in(page, "parts-0")
    assert isinstance(parts, list)
    looked = 0
    for number, record in enumerate(parts):
        texts = data_in(page, f"text-{number}")
        assert isinstance(texts, list)
        [[start, line, text]] = texts
        assert (start, line, len(text)) == (0, 1, record["chars"])
        for begin, end, first, last in record["kept"]:
            assert first == len(re.findall(r"\r\n|\r|\n", text[:begin])) + 1
            assert last == len(re.findall(r"\r\n|\r|\n", text[: end - 1])) + 1
        if "FATAL" in text:
            [why] = [why for why in record["whys"] if "FATAL" in text[why[0] : why[1]] and why[4] == "fatal"]
            assert "FATAL" in "".join(text.splitlines(keepends=True)[why[2] - 1 : why[3]])
            looked += 1
        for place, unit, *_ in record.get("fetched", []):
            assert unit == "lines"
            assert text[: place[0]].count("\n") == place[2] - 1
    assert looked > 3


def test_a_session_can_be_named(small: Path) -> None:
    make_session(small, 5, session="other")
    one = data_in(written(small, "other"))
    both = data_in(written(small))
    assert isinstance(one, dict)
    assert isinstance(both, dict)
    assert len(one["calls"]["said"]) == 5
    assert len(both["calls"]["said"]) == 14


def test_a_session_that_is_not_there_is_said(root: Path) -> None:
    environ = reader_environ(root / "home")
    done = run_spill("report", "nobody", "-o", "none.html", "--root", str(root), cwd=root, env=environ)
    assert (done.returncode, b"nobody" in done.stderr) == (4, True)
    assert not (root / "none.html").exists()


def test_a_session_without_results_has_a_page(tmp_path: Path) -> None:
    environ = reader_environ(tmp_path / "home")
    run_spill("artifacts", "put", "--session", "a", "--root", str(tmp_path), stdin=b"x\n", cwd=tmp_path, env=environ)
    data = data_in(written(tmp_path, "a"))
    assert isinstance(data, dict)
    assert [session["name"] for session in data["house"]["sessions"]] == ["a"]


def test_nothing_logged_gives_a_page_that_says_so(tmp_path: Path) -> None:
    data = data_in(written(tmp_path))
    assert isinstance(data, dict)
    assert data["calls"]["said"] == []


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    environ = reader_environ(tmp_path / "home")
    done = run_spill("report", "-o", "no/such/page.html", "--root", str(tmp_path), cwd=tmp_path, env=environ)
    assert done.returncode == 3
    assert b"no/such/page.html" in done.stderr


def test_the_page_is_its_owners_alone(root: Path) -> None:
    page_of(root)
    assert (root / "page.html").stat().st_mode & 0o777 == 0o600
    assert not list(root.glob("*.part"))


def test_reading_leaves_no_trace(small: Path) -> None:
    """A report does not keep a session alive, and logs nothing."""
    before = {path: path.stat().st_mtime_ns for path in (small / ".acode").rglob("*") if path.is_file()}
    assert "text-0" in written(small, "--with-texts")
    after = {path: path.stat().st_mtime_ns for path in (small / ".acode").rglob("*") if path.is_file()}
    assert before == after
