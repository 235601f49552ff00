"""Lists of packages hold names that sound like secrets, with versions behind them: none of them is hidden."""

import random
import string
from collections.abc import Iterator

from overspill.redact.redactor import Redactor

WORDS = "passwd password pass pwd secret secrets token tokens keyring credentials auth apikey jwt vault login key"
PARTS = "lib py node rust go perl ruby app core utils js client store manager cli policy gen lite sys base"


def made_name(draw: random.Random) -> str:
    word, joint = draw.choice(WORDS.split()), draw.choice("-_-")
    return draw.choice((word, draw.choice(PARTS.split()) + joint + word, word + joint + draw.choice(PARTS.split())))


def number(draw: random.Random) -> str:
    return str(draw.choice((draw.randint(0, 9), draw.randint(0, 60), draw.randint(2010, 2026))))


def dotted(draw: random.Random, least: int = 2, most: int = 4) -> str:
    return ".".join(number(draw) for _ in range(draw.randint(least, most)))


def digits(draw: random.Random, count: int) -> str:
    return "".join(draw.choices(string.digits, k=count))


def hexed(draw: random.Random, count: int) -> str:
    return "".join(draw.choices("0123456789abcdef", k=count))


def debian(draw: random.Random) -> str:
    epoch = f"{draw.randint(1, 9)}:" if draw.random() < 0.4 else ""
    upstream = dotted(draw) + draw.choice(
        (
            "",
            "",
            "+dfsg",
            f"+dfsg{draw.randint(1, 4)}",
            f"~rc{draw.randint(1, 9)}",
            "+ds",
            "a",
            "b2",
            f"+git{digits(draw, 8)}.{hexed(draw, 7)}",
            f"~git{digits(draw, 8)}.{hexed(draw, 7)}",
            f".{digits(draw, 8)}",
            "p1",
        )
    )
    revision = draw.choice(
        (
            "-1",
            f"-{draw.randint(1, 20)}",
            f"-{draw.randint(1, 9)}.{draw.randint(1, 3)}",
            "-1build2",
            f"-{draw.randint(1, 9)}ubuntu{draw.randint(1, 9)}",
            f"-{draw.randint(1, 9)}ubuntu{draw.randint(0, 9)}.{draw.randint(1, 24)}",
            f"-{draw.randint(1, 9)}+deb{draw.randint(10, 13)}u{draw.randint(1, 9)}",
            "-2+b1",
            f"-1~bpo{draw.randint(10, 13)}+1",
            "+nmu1",
            "ubuntu0.22.04.1",
        )
    )
    return epoch + upstream + revision


def semantic(draw: random.Random) -> str:
    tail = draw.choice(
        (
            "",
            "",
            "",
            f"-rc.{draw.randint(1, 9)}",
            f"-beta.{draw.randint(1, 20)}",
            "-alpha",
            f"-next.{draw.randint(1, 99)}",
            f"-canary.{hexed(draw, 7)}",
            f"+build.{draw.randint(1, 99)}",
            f"-{digits(draw, 14)}-{hexed(draw, 12)}",
            "+incompatible",
            "-SNAPSHOT",
            f"+{hexed(draw, 7)}",
            ".Final",
            ".RELEASE",
            "-M2",
            f"+wasi-{number(draw)}.{number(draw)}.{number(draw)}",
            f"-dev.{digits(draw, 8)}",
        )
    )
    return dotted(draw, 3, 3) + tail


def pythonic(draw: random.Random) -> str:
    return dotted(draw) + draw.choice(
        (
            "",
            "",
            f"rc{draw.randint(1, 9)}",
            f"a{draw.randint(1, 20)}",
            f"b{draw.randint(1, 9)}",
            f".post{draw.randint(1, 9)}",
            f".dev{draw.randint(0, 300)}",
            f".dev{draw.randint(0, 99)}+g{hexed(draw, 7)}",
            f"+cu{draw.randint(101, 126)}",
            f"+local.{draw.randint(1, 9)}",
            f".dev0+g{hexed(draw, 9)}.d{digits(draw, 8)}",
        )
    )


def rpm(draw: random.Random) -> str:
    return f"{dotted(draw)}-{draw.randint(1, 40)}." + draw.choice(
        (
            f"el{draw.randint(7, 10)}",
            f"fc{draw.randint(36, 43)}",
            f"el{draw.randint(7, 10)}_{draw.randint(1, 9)}.{draw.randint(1, 4)}",
            f"amzn2023.0.{draw.randint(1, 9)}",
            f"{digits(draw, 8)}git{hexed(draw, 7)}.el9",
        )
    )


SHAPES = {
    debian: (
        "ii  {n:32} {v:32} amd64        change and administer data\n",
        "ii  {n} {v} all tools\n",
        "{n}/stable,now {v} amd64 [installed]\n",
        "{n}/jammy-updates {v} amd64 [upgradable from: {w}]\n",
        "Setting up {n} ({v}) ...\n",
        "Unpacking {n} ({v}) over ({w}) ...\n",
        "Preparing to unpack .../07-{n}_{v}_amd64.deb ...\n",
        "Get:3 http://deb.debian.org/debian bookworm/main amd64 {n} amd64 {v} [972 kB]\n",
        "Inst {n} [{w}] ({v} Debian:12.5/stable [amd64])\nConf {n} ({v} Debian:12.5/stable [amd64])\n",
        "{n}:\n  Installed: {v}\n  Candidate: {w}\n  Version table:\n *** {w} 500\n",
        "Package: {n}\nStatus: install ok installed\nPriority: required\nVersion: {v}\n",
        "apt-get install -y {n}={v} curl={w}\n",
        "upgrade {n}:amd64 {w} {v}\n2026-01-01 10:00:00 status installed {n}:amd64 {v}\n",
        " {n} | {v} | http://deb.debian.org/debian bookworm/main amd64 Packages\n",
        "{n}\t{v}\n",
        "{n} {v}\n",
        "Depends: {n} (>= {v}), libc6 (>= 2.34)\n",
        '{{"name": "{n}", "version": "{v}", "arch": "amd64"}}\n',
        "| {n} | {w} | {v} | fixed |\n",
    ),
    semantic: (
        "├── {n}@{v}\n└─┬ express@4.18.2\n  └── {n}-x@{w}\n",
        "├── {n} v{v}\n│   └── serde v1.0.2\n",
        "+ {n} {v}\n- {n} {w}\n",
        '    "{n}": "{v}",\n    "{n}-x": "^{w}",\n',
        '"{n}" = "{v}"\n',
        '{n} = "{v}"\n',
        '{n} = {{ version = "{v}", features = ["std"] }}\n',
        '[[package]]\nname = "{n}"\nversion = "{v}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\n',
        '"{n}@^{w}":\n  version "{v}"\n  resolved "https://registry.yarnpkg.com/{n}/-/{n}-{v}.tgz"\n',
        "/{n}@{v}:\n  resolution: {{integrity: sha512-x}}\n",
        "github.com/acme/{n} v{v} // indirect\n",
        "    {n} ({v})\n      rack (>= 2)\n",
        "Compiling {n} v{v}\nDownloaded {n} v{v}\n",
        "{n}: {v}\n",
        "{n}  {w}  {v}  {v}  node_modules/{n}\n",
        "[INFO] +- org.acme:{n}:jar:{v}:compile\n",
        "implementation 'org.acme:{n}:{v}'\n",
        "upgraded {n} from {w} to {v}\n",
        "{n}:{v}\n",
        "helm.sh/chart: {n}-{v}\napp.kubernetes.io/version: {v}\n",
    ),
    pythonic: (
        "{n:24} {v}\npip                      24.0\n",
        "{n}=={v}\nsix=={w}\n",
        "{n}=={v} \\\n    --hash=sha256:x\n",
        "Collecting {n}=={v}\n  Downloading {n}-{v}-py3-none-any.whl (12 kB)\n",
        "Successfully installed {n}-{v} six-{w}\n",
        "Requirement already satisfied: {n} in /usr/lib/python3/dist-packages ({v})\n",
        '[[package]]\nname = "{n}"\nversion = "{v}"\ndescription = "x"\n',
        "{n:20} {w:10} {v:10} wheel\n",
        "Uninstalling {n}-{v}:\n  Found existing installation: {n} {v}\n",
        "{n} {v} /usr/lib/python3/dist-packages\n",
        "  - {n}={v}=pyhd8ed1ab_0\n",
        "{n:25} {v:15} pyhd8ed1ab_0    conda-forge\n",
        "{n:25} {v:15} py311h{h}_0\n",
    ),
    rpm: (
        "{n}-{v}.x86_64\n",
        "{n}.x86_64        {v}        @baseos\n",
        "  Installing       : {n}-{v}.x86_64          1/2 \n  Verifying        : {n}-{v}.x86_64          1/2 \n",
        " {n}      x86_64      {v}      baseos      114 k\n",
        "Name        : {n}\nVersion     : {v}\n",
        "{n} {v}\n",
    ),
}


def rows(draw: random.Random) -> Iterator[tuple[str, str]]:
    for version, shapes in SHAPES.items():
        for shape in shapes:
            yield shape, shape.format(n=made_name(draw), v=version(draw), w=version(draw), h=hexed(draw, 7))


def test_no_version_is_hidden_whatever_the_package_is_called() -> None:
    draw, redactor = random.Random(18), Redactor()
    looked_at = [(shape, text) for _ in range(60) for shape, text in rows(draw)]
    assert {shape: text for shape, text in looked_at if redactor.redact(text).text != text} == {}


def test_a_password_that_begins_like_a_version_is_hidden() -> None:
    draw, redactor = random.Random(19), Redactor()
    for _ in range(300):
        value = f"{draw.randint(0, 9)}.{draw.randint(0, 9)}" + "".join(draw.choices(string.ascii_letters, k=10)) + "Q7x"
        assert value not in redactor.redact(f"DB_PASSWORD={value}\n").text
