"""The workshop: fetches packages by name, runs tools on them in environments of their own, each bounded in time."""

import glob
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from typing import NamedTuple


class CannotMake(Exception):
    """A tool or package that an item needs is not to be had here."""


class Ran(NamedTuple):
    """What a command wrote, and its status."""

    text: str
    status: int

    def check(self) -> None:
        """Nothing can be made of what failed: its last words say why."""
        if self.status:
            raise CannotMake(self.text[-300:])


class Shop:
    """A directory that everything is fetched into and built in. What is there already is not fetched again."""

    def __init__(self, root: str, *, apt: bool = False) -> None:
        self.root = os.path.realpath(root)
        self.apt_allowed = apt
        os.makedirs(self.root, exist_ok=True)

    def room(self, name: str) -> str:
        """An empty directory to work in."""
        path = os.path.join(self.root, "rooms", name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def run(
        self,
        command: list[str],
        cwd: str,
        *,
        seconds: float = 300,
        env: dict[str, str] | None = None,
        apart: bool = False,
    ) -> Ran:
        """What the command wrote (both streams as they came; only standard output if `apart`) and its status."""
        try:
            done = subprocess.run(
                ["nice", "-n", str(max(0, 10 - os.nice(0))), *command],
                cwd=cwd,
                env=self.environment() | (env or {}),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if apart else subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise CannotMake(f"{command[0]} was not done after {seconds} s") from late
        return Ran(done.stdout.decode("utf-8", "replace"), done.returncode)

    def environment(self) -> dict[str, str]:
        """The caller's environment without what would colour, shorten or send elsewhere."""
        drop = ("PYTEST_", "PYTHONPATH", "FORCE_COLOR", "VIRTUAL_ENV", "CI", "GITHUB_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
        kept["PATH"] = os.pathsep.join([*self._unpacked(), kept.get("PATH", os.defpath)])
        return kept | {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8"}

    def _unpacked(self) -> list[str]:
        """Where the commands are of packages that were only unpacked here."""
        return sorted(glob.glob(os.path.join(self.root, "debs", "*", "usr", "*bin")))

    def need(self, *tools: str, package: str = "") -> None:
        """Make sure that a command is there: from the distribution's package, unpacked here or (`--apt`) installed."""
        for tool in tools:
            if self._lacks(tool) and package:
                self._unpack_package(package)
            if self._lacks(tool) and package and self.apt_allowed:
                self.apt(package)
            if self._lacks(tool):
                raise CannotMake(f"there is no {tool} here" + (f" (Debian: {package})" if package else ""))

    def _lacks(self, tool: str) -> bool:
        return shutil.which(tool, path=self.environment()["PATH"]) is None

    def _unpack_package(self, package: str) -> None:
        """The distribution's package, unpacked below this directory without what it depends on."""
        where = os.path.join(self.root, "debs", package)
        if os.path.isdir(where) or shutil.which("apt-get") is None:
            return
        os.makedirs(where)
        self.run(["apt-get", "download", "-q", package], where, seconds=120)
        for archive in glob.glob(os.path.join(where, "*.deb")):
            self.run(["dpkg-deb", "-x", archive, where], where)

    def apt(self, *packages: str) -> None:
        if not self.apt_allowed:
            raise CannotMake(f"needs {' '.join(packages)} (run with --apt)")
        flags = ["-y", "-q", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"]
        done = self.run(["apt-get", "install", *flags, *packages], self.root, seconds=600)
        if done.status:
            raise CannotMake(f"apt-get could not install {' '.join(packages)}")

    def install(self, tool: str, *packages: str) -> None:
        """Make sure that a command is there with all that its packages depend on, which unpacking would not bring."""
        if self._lacks(tool):
            self.apt(*(packages or (tool,)))
        self.need(tool)

    def python(self, name: str, *packages: str) -> str:
        """The interpreter of an environment with these packages."""
        where = os.path.join(self.root, "venvs", name)
        python = os.path.join(where, "bin", "python")
        wanted = "\n".join(packages)
        stamp = os.path.join(where, "wanted")
        if _content(stamp) != wanted:
            shutil.rmtree(where, ignore_errors=True)
            venv.create(where, with_pip=True, symlinks=True)
            command = [python, "-m", "pip", "install", "-q", *packages]
            done = self.run(command, self.root, seconds=600) if packages else Ran("", 0)
            if done.status:
                raise CannotMake(f"pip could not install {' '.join(packages)}: {done.text[-300:]}")
            with open(stamp, "w", encoding="utf-8") as out:
                out.write(wanted)
        return python

    def sdist(self, spec: str, room: str) -> str:
        """The unpacked source distribution of `name==version`, in `room`."""
        name = spec.replace("==", "-")
        store = os.path.join(self.root, "sdists", name)
        if not glob.glob(os.path.join(store, "*")):
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
            command += ["--disable-pip-version-check", "-d", store, spec]
            os.makedirs(store, exist_ok=True)
            done = self.run(command, self.root, seconds=180)
            if not glob.glob(os.path.join(store, "*")):
                raise CannotMake(f"no source of {spec}: {done.text[-300:]}")
        return unpack(glob.glob(os.path.join(store, "*"))[0], room)

    def npm(self, room: str, *packages: str) -> None:
        """Install packages of the npm registry below `room`; install scripts do not run."""
        self.need("npm")
        if not os.path.exists(os.path.join(room, "package.json")):
            with open(os.path.join(room, "package.json"), "w", encoding="utf-8") as out:
                out.write('{"name": "room", "private": true}\n')
        flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--legacy-peer-deps"]
        done = self.run(["npm", "install", *flags, *packages], room, seconds=300)
        if done.status:
            raise CannotMake(f"npm could not install {' '.join(packages)}: {done.text[-300:]}")

    def npm_source(self, spec: str, room: str) -> str:
        """The unpacked tarball of one npm package."""
        self.need("npm")
        store = os.path.join(self.root, "tarballs", spec.replace("/", "_"))
        if not glob.glob(os.path.join(store, "*.tgz")):
            os.makedirs(store, exist_ok=True)
            self.run(["npm", "pack", "--silent", spec], store, seconds=120)
            if not glob.glob(os.path.join(store, "*.tgz")):
                raise CannotMake(f"no tarball of {spec}")
        return unpack(glob.glob(os.path.join(store, "*.tgz"))[0], room)

    def debian_package(self, name: str) -> str:
        """The unpacked files of a package of the distribution."""
        self.need("apt-get", "dpkg-deb")
        self._unpack_package(name)
        return os.path.join(self.root, "debs", name)

    def debian_source(self, name: str, room: str) -> str:
        """The unpacked source of a Debian package, with Debian's patches."""
        self.need("apt-get", "dpkg-source")
        lists = os.path.join(self.root, "apt")
        sources = os.path.join(lists, "source.sources")
        flags = ["-o", f"Dir::State::Lists={lists}/lists", "-o", f"Dir::Etc::SourceList={sources}"]
        flags += ["-o", "Dir::Etc::SourceParts=/dev/null"]
        if not os.path.exists(sources):
            os.makedirs(os.path.join(lists, "lists", "partial"), exist_ok=True)
            _as_sources(sources)
            self.run(["apt-get", "update", *flags], self.root, seconds=180)
        store = os.path.join(self.root, "debian", name)
        if not glob.glob(os.path.join(store, "*", "")):
            os.makedirs(store, exist_ok=True)
            self.run(["apt-get", "source", "-q", *flags, name], store, seconds=180)
        found = glob.glob(os.path.join(store, "*", ""))
        if not found:
            raise CannotMake(f"no source of Debian's {name}")
        target = os.path.join(room, os.path.basename(found[0].rstrip("/")))
        shutil.copytree(found[0], target, symlinks=True)
        return target


class Toolbox(NamedTuple):
    """The tools that a part of the corpus is made with: one environment of PyPI's, one directory of npm's."""

    part: str
    packages: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()

    def python(self, shop: Shop) -> str:
        """The interpreter of the environment."""
        return shop.python(self.part, *self.packages)

    def python_tool(self, shop: Shop, name: str) -> str:
        """A command of the environment."""
        return os.path.join(os.path.dirname(self.python(shop)), name)

    def npm_room(self, shop: Shop) -> str:
        """The directory, in which the tools are installed."""
        room = os.path.join(shop.root, f"npm-{self.part}")
        if not os.path.isdir(os.path.join(room, "node_modules")):
            os.makedirs(room, exist_ok=True)
            shop.npm(room, *self.npm)
        return room

    def npm_tool(self, shop: Shop, name: str) -> str:
        """A command of the directory."""
        return os.path.join(self.npm_room(shop), "node_modules", ".bin", name)


def _content(path: str) -> str | None:
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def _as_sources(path: str) -> None:
    """The distribution's own list of packages, asked for sources."""
    listed = "/etc/apt/sources.list.d/debian.sources"
    if not os.path.exists(listed):
        raise CannotMake("no list of Debian's packages here")
    with open(listed, encoding="utf-8") as file, open(path, "w", encoding="utf-8") as out:
        out.write(file.read().replace("Types: deb\n", "Types: deb-src\n"))


def unpack(archive: str, room: str) -> str:
    """The directory inside an archive, unpacked below `room`."""
    before = set(os.listdir(room))
    if archive.endswith(".zip"):
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(room)
    else:
        with tarfile.open(archive) as bundle:
            bundle.extractall(room, filter="data")
    new = sorted(set(os.listdir(room)) - before)
    return os.path.join(room, new[0]) if new else room


def change(path: str, old: str, new: str) -> None:
    """Break a source file as recorded: the first `old` becomes `new`."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    if old not in text:
        raise CannotMake(f"{os.path.basename(path)} has no {old!r} to change")
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(text.replace(old, new, 1))
