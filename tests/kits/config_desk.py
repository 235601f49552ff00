"""What the tests of settings share: a project and a user with a place for a settings file each."""

from pathlib import Path
from typing import Final, NamedTuple

from overspill.settings import Settings, load

INLINE: Final = "tools.truncation.inline_limit"
QUOTA: Final = "tools.truncation.artifacts.session_quota"


class Desk(NamedTuple):
    """A project and a user, each with a place for a settings file."""

    root: Path
    home: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.home)}

    def project(self, text: str) -> str:
        return put_file(self.root / ".agent" / "config.yml", text)

    def user(self, text: str) -> str:
        return put_file(self.home / ".config" / "overspill" / "config.yml", text)

    def load(self, **environ: str) -> Settings:
        return load(str(self.root), environ={**self.environ, **environ})

    def cached(self) -> list[Path]:
        return sorted((self.home / ".cache" / "overspill").glob("config-*"))


def put_file(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def desk_in(place: Path) -> Desk:
    root, home = place / "project", place / "home"
    root.mkdir()
    home.mkdir()
    return Desk(root, home)
