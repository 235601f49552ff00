"""The page in a real browser, where there is one: it draws itself, says nothing on the console, and runs no text.

`make browser` asks far more. Without Chromium no page is opened, and `make test` says so.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from report_kit import make_session, reader_environ
from spill_process import run_spill

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --enable-logging=stderr --window-size=1280,900"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("seen")
    make_session(root, 60)
    environ = reader_environ(root / "home")
    run_spill("stats", "--all", "--export", "sums.json", "--root", str(root), cwd=root, env=environ)
    words = ("report", "--with-texts", "--fleet", "sums.json", "-o", "page.html", "--root", str(root))
    done = run_spill(*words, cwd=root, env=environ)
    assert done.returncode == 0, done.stderr
    return root / "page.html"


def drawn(page: Path, screen: str, profile: Path) -> str:
    """The page after its scripts ran, as markup; an error on the console fails."""
    command = [str(CHROMIUM), *FLAGS.split(), f"--user-data-dir={profile}", "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run(
        [*command, f"{page.as_uri()}#{screen}"], capture_output=True, text=True, check=True, timeout=120
    )
    assert "CONSOLE" not in done.stderr, done.stderr
    return done.stdout.partition('<script type="application/json"')[0]


SCREENS = {
    "session": "Session, call by call",
    "call": "Tool said, model saw",
    "regrets": "Cut, then fetched",
    "change": "What to change",
    "worth": "The columns, in tokens",
    "house": "Secrets hidden, by rule",
    "fleet": "Roots, those that said most first",
}


@pytest.mark.parametrize("screen", SCREENS if CHROMIUM else ["none"])
def test_every_screen_draws_itself(page: Path, screen: str, tmp_path: Path) -> None:
    if CHROMIUM is None:
        assert "No Chromium here" in (Path(__file__).parents[2] / "Makefile").read_text()
        return
    markup = drawn(page, screen, tmp_path)
    assert SCREENS[screen] in markup
    assert f'href="#{screen}" title="' in markup
    assert "60 calls" in markup
    assert "<img" not in markup
    assert "window.hacked = 1</script>" not in markup
