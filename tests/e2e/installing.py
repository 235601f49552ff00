"""Brings the agents from npm, if they are not there."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys

from e2e.wiring import AGENTS

NEEDED = 900  # seconds
NODE = 22  # the oldest that all agents run with
CHOSEN = "OVERSPILL_E2E_AGENTS"  # a directory in which they are installed already


def cache() -> str:
    """Where everything is kept that is worth keeping between two runs."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(home, "overspill-e2e")


def installed(names: list[str]) -> str:
    """The directory of the agents' commands. What is missing there is installed, if the directory is ours."""
    chosen = os.environ.get(CHOSEN)
    directory = os.path.abspath(chosen or os.path.join(cache(), "agents"))
    programs = os.path.join(directory, "node_modules", ".bin")
    missing = [name for name in names if not os.path.exists(os.path.join(programs, AGENTS[name].program))]
    if missing and not chosen:
        install(directory, [*(AGENTS[name].package for name in AGENTS), *newer_node()])
    return programs


def newer_node() -> list[str]:
    """The package of a Node that is new enough for all agents, where the machine's own is not."""
    found = shutil.which("node")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout if found else ""
    version = re.match(r"v(\d+)\.", said)
    if version and int(version[1]) >= NODE:
        return []
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return [f"node-{sys.platform}-{machine}@{NODE}"]


def package_name(package: str) -> str:
    """The name of a package, without its version.

    >>> package_name("@kilocode/cli@7.7.7"), package_name("opencode-ai")
    ('@kilocode/cli', 'opencode-ai')
    """
    return package[0] + package[1:].partition("@")[0]


def install(directory: str, packages: list[str]) -> None:
    """Install packages with their scripts, without a lock file: opencode fetches its program in one."""
    os.makedirs(directory, exist_ok=True)
    # Newer npm runs the scripts of packages only where they are named.
    scripts = [*map(package_name, packages), "node-pty", "@lydell/node-pty"]
    allowed = {"private": True, "allowScripts": dict.fromkeys(scripts, True)}
    with open(os.path.join(directory, "package.json"), "w", encoding="utf-8") as file:
        json.dump(allowed, file)
    print(f"installing {', '.join(packages)} below {directory}", flush=True)
    if not npm_errors(directory, packages):
        return
    # One that cannot be installed takes all others with it.
    for package in packages:
        errors = npm_errors(directory, [package])
        if errors:
            print(f"npm could not install {package}; what is missing is told below. {errors[-1000:]}", flush=True)


def npm_errors(directory: str, packages: list[str]) -> str:
    """What npm says where it cannot install these packages beside those that are there."""
    quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error", "--foreground-scripts"]
    words = ["npm", "install", *quiet, *packages]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, timeout=NEEDED, check=False)
    return (done.stderr or "npm said nothing") if done.returncode else ""
