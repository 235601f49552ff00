"""A fleet on this machine: real object stores and a real PostgreSQL, twelve agents as two tenants, some of them killed.

    python examples/fleet/run.py [seaweedfs|azurite ...]

Each agent is a process with a root of its own, as a pod has. Together they do the tasks of their tenant; what dead ones
had taken, another pod does. What one has kept is read from another's root; the other tenant reads nothing. Everything
is removed in the end, also the servers.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from agent import LEASE_SECONDS
from postgres import started_postgres
from servers import TENANTS, Azurite, Seaweed, Server, ServerMissing

if TYPE_CHECKING:
    from postgres import Postgres

AGENTS, TASKS, KILLED = 12, 24, 4
QUOTAS = {"acme": "50MB", "globex": "1000KB"}  # that of the second is too small for all its results
HERE = Path(__file__).parent
SERVERS = {"seaweedfs": Seaweed, "azurite": Azurite}
Said = dict[str, object]


class Pod:
    """A root of its own, a tenant, and what its platform has put into its environment."""

    def __init__(self, server: Server, dsn: str, folder: Path, number: int) -> None:
        self.number, self.tenant = number, TENANTS[number % len(TENANTS)]
        self.root = folder / f"pod-{number}"
        self.root.mkdir(parents=True)
        self.environ = {
            **{name: os.environ[name] for name in ("PATH",)},
            **server.environ(self.tenant),
            "HOME": str(self.root),
            "OVERSPILL_ROOT": str(self.root),
            "OVERSPILL_TENANT": self.tenant,
            "OVERSPILL_SESSION": f"run-of-{self.tenant}",
            "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__DURABILITY": "strict",
            "OVERSPILL_TOOLS__TRUNCATION__ARTIFACTS__STORE": server.address,
            "OVERSPILL_FLEET__DATABASE": "env:FLEET_DSN",
            "OVERSPILL_FLEET__QUOTA": QUOTAS[self.tenant],
            "FLEET_DSN": dsn,
        }

    def spill(self, *words: str, stdin: str = "", tenant: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of ours in it; it may say that it is another tenant's."""
        environ = {**self.environ, "OVERSPILL_TENANT": tenant or self.tenant}
        line = [sys.executable, "-m", "overspill", *words]
        return subprocess.run(
            line, capture_output=True, text=True, check=False, env=environ, cwd=self.root, input=stdin
        )

    def value(self, key: str, *words: str) -> object:
        """What a command of ours answers."""
        done = self.spill(*words, "--json")
        if done.returncode:
            raise SystemExit(f"spill {' '.join(words)}: {done.stderr or done.stdout}")
        return json.loads(done.stdout)[key]


class Agent:
    """The process of a pod's agent, and what it has said so far."""

    def __init__(self, pod: Pod) -> None:
        self.pod = pod
        self.said: list[Said] = []
        words = [sys.executable, str(HERE / "agent.py"), str(pod.number)]
        self.process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=pod.environ, cwd=pod.root
        )
        self.listener = Thread(target=self._listen)
        self.listener.start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            if line.endswith("}\n"):
                self.said.append({**json.loads(line), "tenant": self.pod.tenant})

    def end(self) -> list[Said]:
        """What it said, when it has ended."""
        self.process.wait(timeout=300)
        self.listener.join()
        errors = self.process.stderr.read() if self.process.stderr else ""
        if "Traceback" in errors:
            raise SystemExit(f"agent {self.pod.number} failed:\n{errors[-2000:]}")
        return self.said


def run_agents(pods: list[Pod]) -> tuple[list[Said], int]:
    """What the agents were shown, as far as they came, and how many were killed."""
    chance = random.Random(7)  # noqa: S311
    agents = [Agent(pod) for pod in pods]
    killed = 0
    for agent in chance.sample(agents, KILLED):
        while not agent.said and agent.process.poll() is None:
            time.sleep(0.02)
        time.sleep(chance.uniform(0.0, 0.1))
        if agent.process.poll() is None:
            agent.process.kill()
            killed += 1
    return [one for agent in agents for one in agent.end()], killed


def read_elsewhere(pods: list[Pod], said: list[Said]) -> tuple[int, int]:
    """How many results were read in another pod of their tenant, and how many in one of the other."""
    own = foreign = 0
    for one in said:
        others = [pod for pod in pods if pod.number != one["agent"]]
        same = next(pod for pod in others if pod.tenant == one["tenant"])
        other = next(pod for pod in others if pod.tenant != one["tenant"])
        line = str(701 + int(str(one["task"]).removeprefix("T")))
        shown = same.spill("artifacts", "show", str(one["id"]), "--lines", f"{line}-{line}")
        own += shown.stdout == f"ERROR: linking failed (agent {one['agent']}, {one['task']})\n"
        foreign += other.spill("artifacts", "show", str(one["id"])).returncode == 0
    return own, foreign


def prepare(server: Server, postgres: Postgres, folder: Path) -> list[Pod]:
    """Tables, a role for each tenant that may use no other, its tasks, and the pods."""
    administrator = Pod(server, postgres.dsn(), folder, AGENTS + 2)
    for tenant in TENANTS:
        postgres.admin(f"create role {tenant}_pods login")
        done = administrator.spill("fleet", "init", "--role", f"{tenant}_pods", "--tenant", tenant)
        print(done.stdout or done.stderr, end="")
    pods = [
        Pod(server, postgres.dsn(f"{TENANTS[number % len(TENANTS)]}_pods"), folder, number)
        for number in range(AGENTS + len(TENANTS))
    ]
    tasks = "".join(json.dumps({"title": f"Build part {number}"}) + "\n" for number in range(TASKS))
    for pod in pods[: len(TENANTS)]:
        pod.spill("add", "-", stdin=tasks)
    return pods


def is_kept_apart(pods: list[Pod]) -> bool:
    """Whether a pod that says it is of the other tenant is refused by the database."""
    mine, other = pods[:2]
    refused = mine.spill("list", tenant=other.tenant)
    return refused.returncode != 0 and f"may not use tenant '{other.tenant}'" in refused.stderr


def tell_tenant(pod: Pod, said: list[Said]) -> bool:
    """Say what the database has of a tenant, and whether it is what its agents said."""
    status = pod.spill("fleet", "status")
    print(status.stdout, end="")
    done = {str(one["id"]) for one in _records(pod.value("tasks", "list", "--status", "done", "--limit", "0"))}
    handed = _mapping(pod.value("handoff", "handoff", "show", "1"))["decisions_made"]
    mine = [one for one in said if one["tenant"] == pod.tenant]
    quota = _mapping(_mapping(pod.value("fleet", "fleet", "status"))["quota"])
    missing = [one for one in mine if not any(str(one["id"]) in str(words) for words in _list(handed))]
    print(
        f"{pod.tenant}: {len(done)} of {TASKS} tasks done, {len(mine)} of them told by their agents, "
        f"{len(mine) - len(missing)} of those handed over; {quota['bytes']:,} of {quota['limit']:,} bytes reserved"
    )
    told = {str(one["task"]) for one in mine}
    within = int(str(quota["bytes"])) <= int(str(quota["limit"]))
    return len(done) == TASKS and told <= done and len(told) == len(mine) and not missing and within


def _mapping(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _records(value: object) -> list[dict[str, object]]:
    return [_mapping(one) for one in _list(value)]


def show(name: str, folder: Path) -> bool:
    """Run the fleet on one server, and say how it went."""
    with SERVERS[name](folder) as server, started_postgres(durable=True) as postgres:
        pods = prepare(server, postgres, folder / f"pods-{name}")
        checked = pods[0].spill("fleet", "check")
        print(checked.stdout, end="")
        said, killed = run_agents(pods[:AGENTS])
        # Pods that come in the place of the dead ones do what those had taken, once they had it for long enough.
        time.sleep(LEASE_SECONDS + 1)
        said += [one for agent in [Agent(pod) for pod in pods[AGENTS:]] for one in agent.end()]
        there = [one for one in said if not one["kept_here"]]
        own, foreign = read_elsewhere(pods, there)
        whole = [tell_tenant(pod, said) for pod in pods[: len(TENANTS)]]
        apart = is_kept_apart(pods)
        print(
            f"{name}: {AGENTS} agents as {len(TENANTS)} tenants, {killed} killed, {len(TENANTS)} in their place; "
            f"{len(said)} results shown, {len(there)} of them in the bucket, {len(said) - len(there)} beyond a quota "
            f"and kept here; {own} read in another pod, {foreign} by the other tenant, which the database "
            f"{'refuses' if apart else 'LETS IN'}"
        )
        return checked.returncode == 0 and own == len(there) > 0 and not foreign and all(whole) and apart


def main() -> int:
    """Run it on each server that was named, or on both."""
    names = sys.argv[1:] or list(SERVERS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            good = [show(name, Path(folder)) for name in names]
    except ServerMissing as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
