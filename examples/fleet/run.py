"""A fleet on this machine: real object stores on loopback, twelve agents as two tenants, some of them killed.

    python examples/fleet/run.py [seaweedfs|azurite ...]

Each agent is a process with a root of its own, as a pod has. What one has kept is read from another's root; the other
tenant reads nothing. Everything is removed in the end, also the servers.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from servers import TENANTS, Azurite, Seaweed, Server

AGENTS, RESULTS, KILLED = 12, 6, 4
HERE = Path(__file__).parent
STORE = "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE"
SERVERS = {"seaweedfs": Seaweed, "azurite": Azurite}


class Pod:
    """A root of its own, a tenant, and an agent in it."""

    def __init__(self, server: Server, folder: Path, number: int) -> None:
        self.number, self.tenant = number, TENANTS[number % len(TENANTS)]
        self.root = folder / f"pod-{number}"
        self.root.mkdir()
        self.environ = {
            **{name: os.environ[name] for name in ("PATH",)},
            **server.environ(self.tenant),
            "HOME": str(self.root),
            "OVERSPILL_ROOT": str(self.root),
            "OVERSPILL_TENANT": self.tenant,
            "OVERSPILL_SESSION": f"run-of-{self.tenant}",
            "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__DURABILITY": "strict",
            STORE: server.address,
        }

    def start(self) -> subprocess.Popen[str]:
        """Start its agent."""
        words = [sys.executable, str(HERE / "agent.py"), str(self.number), str(RESULTS)]
        return subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environ, cwd=self.root
        )

    def spill(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command of ours in it."""
        line = [sys.executable, "-m", "overspill", *words]
        return subprocess.run(line, capture_output=True, text=True, check=False, env=self.environ, cwd=self.root)


def run_agents(pods: list[Pod]) -> tuple[list[dict[str, object]], int]:
    """What the agents were shown, as far as they came, and how many were killed."""
    chance = random.Random(7)  # noqa: S311
    started = [(pod, pod.start()) for pod in pods]
    killed = 0
    for _pod, process in chance.sample(started, KILLED):
        time.sleep(chance.uniform(0.1, 0.4))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
    said: list[dict[str, object]] = []
    for pod, process in started:
        out, err = process.communicate(timeout=300)
        if "Traceback" in err:
            raise SystemExit(f"agent {pod.number} failed:\n{err[-2000:]}")
        said += [{**json.loads(line), "tenant": pod.tenant} for line in out.splitlines() if line.endswith("}")]
    return said, killed


def read_elsewhere(pods: list[Pod], said: list[dict[str, object]]) -> tuple[int, int]:
    """How many results were read in another pod of their tenant, and how many in one of the other."""
    own = foreign = 0
    for one in said:
        others = [pod for pod in pods if pod.number != one["agent"]]
        same = next(pod for pod in others if pod.tenant == one["tenant"])
        other = next(pod for pod in others if pod.tenant != one["tenant"])
        line = str(701 + int(str(one["number"])))
        shown = same.spill("artifacts", "show", str(one["id"]), "--lines", f"{line}-{line}")
        own += shown.stdout == f"ERROR: linking failed (agent {one['agent']}, {one['number']})\n"
        foreign += other.spill("artifacts", "show", str(one["id"])).returncode == 0
    return own, foreign


def show(name: str, folder: Path) -> bool:
    """Run the fleet on one server, and say how it went."""
    with SERVERS[name](folder) as server:
        pods = [Pod(server, folder / name, number) for number in range(AGENTS)]
        checked = pods[0].spill("fleet", "check")
        print(checked.stdout, end="")
        said, killed = run_agents(pods)
        there = [one for one in said if not one["kept_here"]]
        own, foreign = read_elsewhere(pods, there)
        for pod in pods[: len(TENANTS)]:
            print(pod.spill("fleet", "status").stdout, end="")
        print(
            f"{name}: {AGENTS} agents as {len(TENANTS)} tenants, {killed} killed; {len(said)} results shown, "
            f"{len(there)} of them in the bucket; {own} read in another pod, {foreign} by the other tenant"
        )
        return checked.returncode == 0 and own == len(there) == len(said) > 0 and not foreign


def main() -> int:
    """Run it on each server that was named, or on both."""
    names = sys.argv[1:] or list(SERVERS)
    with tempfile.TemporaryDirectory() as folder:
        good = [show(name, Path(folder)) for name in names]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
