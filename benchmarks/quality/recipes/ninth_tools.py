"""The environments that the tools of the ninth part run in: one of PyPI's, one of npm's; and how their facts are written."""

from collections.abc import Iterable

from items import Fact
from shop import Toolbox

PACKAGES = (
    "aiosmtpd==1.4.6", "bagit==1.9.0", "compare-locales==9.0.5", "kedro==1.7.0", "oletools==0.60.2", "pillow==13.0.0", "pkilint==0.13.3",
    "pyais==3.3.1", "pyang==2.7.1", "pydicom==3.0.2", "pyftpdlib==2.2.0", "pyshacl==0.40.1", "warcio==1.8.1", "yoyo-migrations==9.0.0",
    "setuptools==80.9.0",
)  # fmt: skip

NPM = (
    "acorn@8.19.0", "analyze-css@2.4.39", "dclint@3.1.0", "dockerfilelint@1.8.0", "ibm-openapi-validator@1.38.4", "lighthouse@13.5.0",
    "markdown-link-check@3.15.0", "mjml@5.4.1", "pa11y@10.0.0",
)  # fmt: skip

TOOLS = Toolbox("ninth", PACKAGES, NPM)

python_tools, tool_of, npm_room, npm_tool = TOOLS.python, TOOLS.python_tool, TOOLS.npm_room, TOOLS.npm_tool


def each(kind: str, values: Iterable[object]) -> list[Fact]:
    """A fact a value, each once; values of fewer than two characters say nothing."""
    return [Fact(kind, (one,)) for one in dict.fromkeys(str(value).strip() for value in values) if len(one) > 1]


def pairs(rows: Iterable[tuple[object, ...]]) -> list[Fact]:
    """A fact a row: what has to be told of one another."""
    return [Fact("odd", (), tuple(map(str, row))) for row in dict.fromkeys(rows)]
