"""A real Chromium, one page in it, and what is asked of it; `make browser` brings what it needs."""

import base64
import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --hide-scrollbars --disable-extensions"
)

Driver = Any


def drain_logs(driver: Driver) -> None:
    """Forget what was logged of another page."""
    driver.get("about:blank")
    for log in ("browser", "performance"):
        driver.get_log(log)


@contextlib.contextmanager
def chromium() -> Iterator[Driver]:
    """A browser of its own."""
    with tempfile.TemporaryDirectory() as profile:
        options = Options()
        options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
        for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver: Driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        driver.set_script_timeout(120)
        drain_logs(driver)  # what the browser asked itself for its first tab
        try:
            yield driver
        finally:
            driver.quit()


class Browser:
    """One page in a browser, and what is asked of it."""

    def __init__(self, driver: Driver, address: str, allowed: str) -> None:
        self.driver = driver
        self.address = address
        self.allowed = allowed  # how every request begins
        self.checks = 0

    def size(self, width: int, height: int, *, dark: bool = False) -> None:
        told = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", told)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})

    def open(self, screen: str) -> None:
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}#{screen}")
        self.wait(
            "return document.querySelectorAll('#tabs a').length === 6 && !document.querySelector('[role=status].empty')"
        )

    def run(self, script: str, *words: object) -> Driver:
        return self.driver.execute_script(script, *words)

    def wait(self, script: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not self.run(script):
            assert time.monotonic() < end, f"it did not come: {script}"
            time.sleep(0.05)

    def check(self, what: str, is_so: object) -> None:
        assert is_so, f"{what}: {is_so!r}"
        self.checks += 1

    def none(self, what: str, found: object) -> None:
        assert not found, f"{what}: {found!r}"
        self.checks += 1

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0])?.textContent || ''", selector))

    def quiet(self) -> None:
        """Nothing was said on the console, and nobody was asked."""
        said = [entry["message"] for entry in self.driver.get_log("browser")]
        self.none("no word on the console", said)
        asked = set()
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                asked.add(event["params"]["request"]["url"])
        strange = [url for url in asked if not url.startswith((self.allowed, "data:", "about:"))]
        self.none("no request to anybody", strange)

    def axe(self, name: str, *passed_over: str) -> None:
        """What a checker of accessibility finds, but for the rules that are named."""
        path = os.environ.get("AXE", "")
        if not path:
            raise SystemExit("AXE must name axe.min.js of axe-core: `make browser` does")
        self.run(Path(path).read_text() + ";window.axe = axe;")
        found = self.driver.execute_async_script(
            "const [rules, done] = arguments;"
            "axe.run(document, {resultTypes: ['violations'], preload: false, rules}).then(r => done(r.violations.map("
            "v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 140) + n.failureSummary).join(' | '))))",
            {rule: {"enabled": False} for rule in passed_over},
        )
        self.none(f"{name} without violations", found)

    def picture(self, path: Path) -> None:
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        path.write_bytes(base64.b64decode(shot["data"]))
