"""`make site-browser`: every page of the site in a real Chromium, opened from the disk.

    python tests/repository/site_browser.py [--screenshots DIR]

It needs Debian's `chromium` and `chromium-driver`, selenium, and axe-core from npm, whose file AXE names. Asked are: no
word on the console, no request to anybody, nothing wider than a telephone or a desk, light and dark, a search that
finds, and no violation that axe-core finds on one page of each kind.
"""

import argparse
from pathlib import Path

from selenium.webdriver.common.by import By

from browser_kit import Browser, chromium, drain_logs

SITE = Path(__file__).parents[2] / ".cache" / "site"
SIZES = ((390, 844), (1440, 900))
# One of each kind: prose, a drawing, commands, tables, signatures, schemas.
KINDS = ("index", "concepts", "tutorials/coding-agent", "settings", "api", "answers")
# The theme draws several navigations of one name, some of them while one scrolls; and it lets keys into what can be
# moved sideways once that is in view, which today's browsers do by themselves.
THEMES = ("landmark-unique", "scrollable-region-focusable")
WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
FOUND = "return document.querySelectorAll('.md-search-result__item').length"
BACKGROUND = "return getComputedStyle(document.body).backgroundColor"


def open_page(page: Browser, name: str) -> None:
    page.driver.get((SITE / f"{name}.html").as_uri())


def forget_choice(page: Browser) -> None:
    """The site remembers what was chosen; whoever comes for the first time has chosen nothing."""
    page.run("localStorage.clear()")
    page.driver.get("about:blank")


def look_at_pages(page: Browser) -> int:
    # Served by a web server, not opened from a disk: what it loads stands at the top of that server.
    names = sorted(str(path.relative_to(SITE).with_suffix("")) for path in SITE.rglob("*.html") if path.stem != "404")
    for width, height in SIZES:
        page.size(width, height)
        for name in names:
            open_page(page, name)
            page.check(f"{name} says something", len(page.text("article")) > 100)
            page.none(f"pixels that {name} is too wide for {width}", max(0, page.run(WIDE)))
    return len(names)


def look_at_kinds(page: Browser, shots: Path | None) -> None:
    seen = set()
    for dark in (False, True):
        for width, height in SIZES:
            page.size(width, height, dark=dark)
            for name in KINDS:
                open_page(page, name)
                forget_choice(page)
                open_page(page, name)
                page.wait("return document.body.hasAttribute('data-md-color-scheme')")
                seen.add((dark, page.run(BACKGROUND)))
                if shots:
                    page.picture(shots / f"{name.replace('/', '-')}-{'dark' if dark else 'light'}-{width}.png")
                page.axe(f"{name} {'dark' if dark else 'light'} at {width} pixels", *THEMES)
    page.check("light and dark each have a colour of their own", len(seen) == len({colour for _, colour in seen}) == 2)


def search(page: Browser) -> None:
    """By keys, in a page from the disk, where no worker may be started."""
    page.size(*SIZES[1])
    open_page(page, "recipes/ci")
    field = page.driver.find_element(By.CSS_SELECTOR, ".md-search__input")
    field.click()
    field.send_keys("jsonpath")
    page.wait(FOUND)
    page.driver.find_element(By.CSS_SELECTOR, ".md-search-result__link").click()
    page.wait("return document.querySelector('article').textContent.includes('JSONPath')")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--screenshots", type=Path)
    shots = reader.parse_args().screenshots
    if shots:
        shots.mkdir(parents=True, exist_ok=True)
    with chromium() as driver:
        page = Browser(driver, SITE.as_uri(), SITE.as_uri())
        drain_logs(driver)
        pages = look_at_pages(page)
        search(page)
        page.quiet()
        look_at_kinds(page, shots)
        page.quiet()
    print(f"{pages} pages from the disk, {page.checks} checks: nobody was asked, the search finds")


if __name__ == "__main__":
    main()
