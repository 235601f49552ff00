"""`make browser`: every screen of the page in a real Chromium, on 500 calls and on 20,000, as a file and live.

    python tests/report/browser.py [--screenshots DIR] [--calls 500] [--many 20000]

It needs Debian's `chromium` and `chromium-driver`, selenium, and axe-core from npm, whose file AXE names. Asked are:
no error on the console, no request to anybody, no violation that axe-core finds, keys, search, clicks, dark and narrow,
hostile texts inert, and the first paint of many calls within a second of the processor.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from browser_kit import Browser, Driver, chromium, drain_logs
from report_kit import make_long_session, make_session

SPILL = Path(sys.executable).parent / "spill"
SCREENS = ("session", "call", "regrets", "change", "worth", "house")
WIDTHS = (320, 360, 768, 1280, 2560)
FIRST_PAINT_SECONDS = 1.0
LONG_LINE = "x" * 10_000_000


def look_at_screens(page: Browser) -> None:
    """Every screen, light and dark, narrow and wide."""
    for dark in (False, True):
        for screen in SCREENS:
            page.size(1280, 900, dark=dark)
            page.open(screen)
            page.check(f"{screen} says something", len(page.text("main")) > 40)
            current = page.run("return document.querySelector('nav a[aria-current]').getAttribute('href')")
            page.check(f"{screen} is where we are", current == f"#{screen}")
            page.axe(f"{screen} {'dark' if dark else 'light'}")
    for width in WIDTHS:
        page.size(width, 900)
        for screen in SCREENS:
            page.open(screen)
            wide = page.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            page.none(f"pixels that {screen} is too wide for {width}", max(0, wide))
    page.size(360, 800, dark=True)
    for screen in SCREENS:
        page.open(screen)
        page.axe(f"{screen} at 360 pixels")
    page.quiet()


def use_the_strip(page: Browser, calls: int) -> None:
    """Keys, zoom and clicks in the strip."""
    page.size(1280, 900)
    page.open("session")
    page.check("all calls are counted", f"{calls:,}" in page.text("main"))
    page.check("the picture is a few paths", page.run("return document.querySelectorAll('.strip svg *').length") < 80)
    calls = int(page.run("return state.calls.size"))  # compactions stand between them
    page.run("document.querySelector('.strip').focus()")
    page.press(Keys.END)
    page.check("the chosen call is said", f"Call {calls:,} of {calls:,}" in page.text("#said"))
    page.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    page.check("the one before it", f"Call {calls - 2:,} of" in page.text("#said"))
    page.press("+", "+", "+")
    page.press(Keys.ENTER)
    page.wait(f"return location.hash === '#call/{calls - 3}'")
    page.press("k")
    page.wait(f"return location.hash === '#call/{calls - 4}'")
    page.press(Keys.ESCAPE)
    page.wait("return location.hash === '#session'")
    for number, screen in enumerate(SCREENS, 1):
        page.press(str(number))
        page.wait(f"return location.hash.startsWith('#{screen}')")
    page.press("1")
    page.press("?")
    page.wait("return document.getElementById('keys').open")
    page.axe("the keys")
    page.press(Keys.ESCAPE)
    page.wait("return !document.getElementById('keys').open")
    page.press("t")
    page.check("dark by a key", page.run("return document.documentElement.dataset.theme") == "dark")
    page.press("t")


def find_calls(page: Browser) -> None:
    """The list of calls: found by word and by mark, scrolled, opened by a click."""
    page.open("session")
    page.press("/")
    page.press("read_file")
    page.wait("return document.querySelectorAll('.calls .rows .row').length > 0")
    names = page.run("return [...document.querySelectorAll('.calls .rows a')].map(one => one.textContent)")
    page.check("only what was looked for", names and set(names) == {"read_file"})
    page.run(
        "document.querySelector('#find').value = ''; document.querySelector('#find').dispatchEvent(new Event('input'))"
    )
    rows = "return document.querySelectorAll('.calls .rows .row').length"
    page.check("few rows are drawn", 0 < page.run(rows) < 80)
    page.run("const box = document.querySelector('.calls .scroll'); box.scrollTop = box.scrollHeight")
    last = "document.querySelector('.calls .rows .row:last-child').getAttribute('aria-rowindex')"
    page.wait(f"return {last} === document.querySelector('.calls .scroll').getAttribute('aria-rowcount')")
    page.check("few rows are drawn below, too", 0 < page.run(rows) < 80)
    page.run(
        "[...document.querySelectorAll('.calls .group button')].find(one => one.textContent === 'Fetched').click()"
    )
    page.wait("return document.querySelectorAll('.calls .rows .chip.fetched').length > 0")
    page.run("document.querySelector('.calls .rows a').click()")
    page.wait("return location.hash.startsWith('#call/') && document.querySelector('.text')")
    page.run("location.hash = '#session'")
    page.run(
        "[...document.querySelectorAll('.calls .group button')].find(one => one.textContent === 'Fetched').click()"
    )


def read_a_text(page: Browser) -> None:
    """A text: lit lines, reasons, folds, search, the map."""
    lit = "return document.querySelectorAll('.text .line.kept').length"
    page.wait("return document.querySelectorAll('.text .line').length > 5")
    page.check("lines are lit", page.run(lit) > 0)
    word = page.run("return document.querySelector('.text .line.kept .what').textContent.trim().slice(0, 8)")
    page.check(
        "reasons stand beside them",
        page.run("return [...document.querySelectorAll('.why')].some(one => one.textContent)"),
    )
    folds = "return document.querySelectorAll('.text .fold button').length"
    before = page.run(folds)
    page.check("gaps are folded", before > 0)
    page.run("document.querySelector('.text .fold button').click()")
    page.check("a gap opens", page.run(folds) < before)
    page.run("document.querySelector('#find').focus()")
    page.press(word)
    page.wait("return document.querySelector('.text mark.now')")
    page.check("what was found is told", "1 of" in page.text("#viewer-bar [role=status]"))
    page.press(Keys.ENTER)
    page.run("document.querySelector('#viewer-bar .wide-only').click()")
    sides = page.run("return document.querySelectorAll('.text .saw').length")
    page.check("both stand side by side", sides > 3)
    page.run("document.querySelector('#viewer-bar .group button:last-child').click()")
    page.check("all of it can be shown", page.run(folds) == 0)
    page.run("document.querySelector('.map').scrollIntoView({block: 'center'})")
    page.run("document.querySelector('.text').scrollTop = 0")
    box = page.run("const b = document.querySelector('.map').getBoundingClientRect(); return [b.x + 5, b.bottom - 4]")
    for kind in ("mousePressed", "mouseReleased"):
        where = {"type": kind, "x": box[0], "y": box[1], "button": "left", "clickCount": 1}
        page.driver.execute_cdp_cmd("Input.dispatchMouseEvent", where)
    page.wait("return document.querySelector('.text').scrollTop > 0")
    page.run("document.querySelector('#viewer-bar .group button').click(); document.activeElement.blur()")
    page.press("n", "n", "p")
    page.axe("a text")


def call_with(page: Browser, tool: str) -> None:
    """Open the newest call of a tool that was cut."""
    number = page.run(
        "const {calls} = state; for (let i = calls.size - 1; i >= 0; i -= 1)"
        " if (calls.artifactsOf.has(i) && calls.tool(i).includes(arguments[0])) return i; return -1",
        tool,
    )
    page.check(f"there is a call of {tool}", number >= 0)
    page.open(f"call/{number}")


def stay_inert(page: Browser) -> None:
    """Texts, commands and names that mean harm do none."""
    call_with(page, "mcp__db__")
    page.wait("return document.querySelectorAll('.text .line').length > 5")
    page.run("document.querySelector('#viewer-bar .group button:last-child').click()")
    page.check("the text is there as text", "<script>window.hacked = 1</script>" in page.text(".text"))
    page.check("nothing of it ran", page.run("return window.hacked === undefined"))
    page.check(
        "nothing of it became an element",
        page.run("return document.querySelectorAll('main img, main script, main b b, h1 b').length") == 0,
    )
    page.check("the name of the tool is text", "<b>query</b>" in page.text("h1"))
    page.check("what is hidden is a bar", page.run("return document.querySelectorAll('.text .hid').length") > 0)
    turned = page.run(
        "return [...document.querySelectorAll('.what, td, .row, code')]"
        ".some(one => /[\\u202a-\\u202e\\u2066-\\u2069]/.test(one.textContent))"
    )
    page.check("nothing turns the writing around", not turned)
    page.quiet()


def show_long_lines(page: Browser) -> None:
    """One line of ten million characters."""
    call_with(page, "one_line")
    started = time.monotonic()
    page.wait("return document.querySelectorAll('.text .line').length > 1")
    page.check("a line of 10 MB is shown at once", time.monotonic() - started < 5)
    widest = page.run(
        "return Math.max(...[...document.querySelectorAll('.text .line')].map(one => one.textContent.length))"
    )
    page.check("no row is longer than can be drawn", widest < 600)
    page.check("what is left out is counted", "left out" in page.text(".text"))


def load_more(page: Browser) -> None:
    """What a live page does not hold of a long text comes when it is asked for."""
    call_with(page, "one_line")
    held = "return state && callScreen.view.record.texts.reduce((sum, one) => sum + one[2].length, 0)"
    page.wait("return document.querySelectorAll('.text .fold button').length > 0")
    page.run("document.querySelector('.text .fold button:not(.load)')?.click()")
    page.wait("return document.querySelectorAll('.text button.load').length > 0")
    before = page.run(held)
    page.axe("a text with parts to load")
    page.run("document.querySelector('.text button.load').click()")
    page.wait(f"return ({held.removeprefix('return ')}) > {before} + 60000")
    page.check("what is left is counted", page.run("return callScreen.view.visible.some(one => one.gone)"))
    whole = page.run(
        "const {record} = callScreen.view; let at = -1;"
        " return record.texts.every(one => { const is = one[0] > at; at = one[0] + one[2].length; return is; })"
    )
    page.check("no part of it stands twice", whole)


def agree_with_stats(page: Browser, root: Path) -> None:
    """The columns of the page are those of `spill stats`."""
    page.open("worth")
    shown = page.run(
        "const sum = sums(state.calls, every(state.calls));"
        " return [sum.calls, sum.said, sum.host, sum.shown, sum.fetched, sum.ours, sum.net, sum.rerun]"
    )
    done = subprocess.run([SPILL, "stats", "--all", "--json", "--root", root], check=True, capture_output=True)
    told = json.loads(done.stdout)["stats"]["worth"]["total"]
    names = ("results", "said", "host", "shown", "fetched", "ours", "net", "reruns")
    page.check("what stats says", shown == [told[name] for name in names])


def copy_a_change(page: Browser) -> None:
    """The settings to copy are YAML."""
    page.open("change")
    page.wait("return document.querySelector('.change')")
    if page.run("return !!document.querySelector('pre.yaml')"):
        page.check("settings to copy", "inline_limit: " in page.text("pre.yaml"))
        page.run("document.querySelector('.copy button').click()")
        page.wait("return document.querySelector('.copy button').textContent === 'Copied'")


def renderer_seconds() -> dict[int, float]:
    """Processor seconds of every process of ours that draws pages, all its threads together."""
    found = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            if b"--type=renderer" in (place / "cmdline").read_bytes():
                fields = (place / "stat").read_text().rpartition(")")[2].split()
                found[int(place.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def first_paint(driver: Driver, address: str) -> tuple[float, float]:
    """Processor seconds until the page has drawn itself, and milliseconds to the first paint."""
    driver.get("about:blank")
    before = renderer_seconds()
    driver.get(address)
    drawn = (
        "document.querySelectorAll('.strip svg path').length > 4 && document.querySelectorAll('.rows .row').length > 0"
    )
    painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime || 0"
    end = time.monotonic() + 60
    while not (found := driver.execute_script(f"return {drawn} ? {painted} : 0")):
        assert time.monotonic() < end
        time.sleep(0.02)
    after = renderer_seconds()
    return sum(max(0.0, spent - before.get(pid, 0.0)) for pid, spent in after.items()), float(found)


def write_report(root: Path, name: str, *more: str) -> Path:
    subprocess.run([SPILL, "report", "--root", root, "-o", root / name, *more], check=True, stdout=subprocess.DEVNULL)
    return root / name


@contextlib.contextmanager
def live_page(root: Path) -> Iterator[str]:
    """The address of `spill ui`."""
    child = subprocess.Popen([SPILL, "ui", "--root", root], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert child.stdout is not None
    try:
        yield child.stdout.readline().decode().strip()
    finally:
        child.terminate()  # Ctrl-C is asked for in test_ui.py
        child.wait(20)


def said_and_done(what: str, work: Callable[[], object]) -> None:
    started = time.monotonic()
    work()
    print(f"ok  {what}  ({time.monotonic() - started:.0f} s)", flush=True)


def look_at_files(driver: Driver, small: Path, calls: int, shots: Path | None) -> None:
    """The page as a file, with texts and without."""
    full = write_report(small, "full.html", "--with-texts")
    bare = write_report(small, "bare.html")
    print(f"    {calls:,} calls: {bare.stat().st_size:,} bytes, with texts {full.stat().st_size:,} bytes")
    page = Browser(driver, full.as_uri(), "file://")
    said_and_done("every screen: console, requests, axe, dark, 320 to 2,560 pixels", lambda: look_at_screens(page))
    said_and_done("keys and clicks in the strip", lambda: use_the_strip(page, calls))
    said_and_done("calls are found", lambda: find_calls(page))
    call_with(page, "execute_command")
    said_and_done("a text is read", lambda: read_a_text(page))
    said_and_done("hostile texts are inert", lambda: stay_inert(page))
    said_and_done("a line of 10 MB", lambda: show_long_lines(page))
    said_and_done("settings are copied", lambda: copy_a_change(page))
    said_and_done("the columns are those of spill stats", lambda: agree_with_stats(page, small))
    page.quiet()
    plain = Browser(driver, bare.as_uri(), "file://")
    plain.size(1280, 900)
    plain.open("call")
    plain.check("ranges stand for texts", "shown" in plain.text(".text"))
    plain.axe("a call without texts")
    plain.quiet()
    print(f"    {page.checks + plain.checks} checks")
    if shots is not None:
        take_pictures(page, shots)


def take_pictures(page: Browser, shots: Path) -> None:
    """The pictures of the documentation."""
    shots.mkdir(parents=True, exist_ok=True)
    for name, screen, width, height, dark in (
        ("report-session", "session", 1280, 800, False),
        ("report-call", "", 1280, 800, True),
        ("report-regrets", "regrets", 1280, 720, False),
        ("report-change", "change", 1280, 720, False),
        ("report-worth", "worth", 1280, 720, False),
        ("report-house", "house", 1280, 720, True),
        ("report-narrow", "regrets", 360, 800, False),
    ):
        page.size(width, height, dark=dark)
        if screen:
            page.open(screen)
        else:
            call = page.run(
                "const {calls} = state; for (let i = calls.size - 1; i >= 0; i -= 1)"
                " if (calls.fetched[i] && calls.shown[i] > 700 && calls.tool(i) === 'execute_command') return i"
            )
            page.open(f"call/{call}")
            page.wait("return document.querySelectorAll('.text .line').length > 5")
        time.sleep(0.3)
        page.picture(shots / f"{name}.png")


def look_at_many(driver: Driver, root: Path, calls: int) -> None:
    """Very many calls."""
    report = write_report(root, "many.html")
    drain_logs(driver)
    page = Browser(driver, report.as_uri(), "file://")
    page.size(1280, 900)
    best = min(first_paint(driver, f"{page.address}#session") for _ in range(3))
    size = report.stat().st_size
    print(f"    {calls:,} calls: {size:,} bytes, first paint {best[0]:.2f} s of the processor, {best[1]:.0f} ms")
    page.check("drawn within a second of the processor", best[0] < FIRST_PAINT_SECONDS)
    use_the_strip(page, calls)
    find_calls(page)
    for screen in SCREENS:
        page.open(screen)
        page.axe(f"{screen} of {calls:,} calls")
    page.quiet()


def look_live(driver: Driver, root: Path, calls: int) -> None:
    """`spill ui` in two browsers."""
    with live_page(root) as address, chromium() as other:
        origin = address.partition("/?")[0]
        pages = [Browser(one, address, origin) for one in (driver, other)]
        for page in pages:
            drain_logs(page.driver)
            page.size(1280, 900)
            page.open("session")
            page.wait("return document.getElementById('live').textContent === 'live'")
        make_session(root, 3, session="later")
        for page in pages:
            page.wait(f"return document.querySelector('main').textContent.includes('{calls + 3:,} calls')")
            call_with(page, "execute_command")
            read_a_text(page)
            load_more(page)
            copy_a_change(page)
            page.quiet()
    drain_logs(driver)  # the program has ended, and its page would ask for it


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--screenshots", type=Path)
    reader.add_argument("--calls", type=int, default=500)
    reader.add_argument("--many", type=int, default=20_000)
    asked = reader.parse_args()
    with tempfile.TemporaryDirectory() as place, chromium() as driver:
        print(f"Chromium {driver.capabilities['browserVersion']}")
        small, many = Path(place, "small"), Path(place, "many")
        small.mkdir()
        many.mkdir()
        spill = make_session(small, asked.calls - 1)
        spill.fit(LONG_LINE[:5_000_000] + " FATAL: in the middle " + LONG_LINE[5_000_000:], tool="one_line")
        look_at_files(driver, small, asked.calls, asked.screenshots)
        said_and_done("live, in two browsers", lambda: look_live(driver, small, asked.calls))
        if asked.many:
            make_long_session(many, asked.many)
            said_and_done(f"{asked.many:,} calls", lambda: look_at_many(driver, many, asked.many))


if __name__ == "__main__":
    main()
