"""The environments that the tools of the twelfth part run in: one of PyPI's, one of npm's; and what they say by fixed patterns."""

import re

from items import Fact
from shop import Toolbox

from recipes.tenth_tools import diagnosed

PACKAGES = (
    "complexipy==8.3.0", "conan==2.34.0", "csv-diff==1.2", "diff-cover==11.0.1", "fawltydeps==0.20.0", "fixit==2.2.1", "gabbi==4.2.3",
    "granian==2.8.7", "gunicorn==27.0.1", "httpx[cli]==0.28.1", "litecli==1.16.0", "mamba==0.11.3", "marimo==0.25.2", "nbdime==4.0.4",
    "pyperf==2.10.0", "radish-bdd==0.18.4", "rq==2.12.0", "setuptools==80.9.0", "uvicorn==0.54.0", "visidata==3.4", "yapf==0.43.0",
)  # fmt: skip

NPM = (
    "@eslint/mcp@0.3.13", "@ls-lint/ls-lint@2.3.1",
    "@secretlint/secretlint-rule-preset-recommend@13.0.7",
    "coffeelint@2.1.0", "eslint@9.39.1", "google-closure-compiler-linux@20260927.0.0", "google-closure-compiler@20260927.0.0", "jake@13.0.3",
    "npm-run-all2@9.0.4", "secretlint@13.0.6", "syncpack@15.3.3", "tap-spec@5.0.0", "tstyche@7.2.5", "typescript@5.9.3",
)  # fmt: skip

TOOLS = Toolbox("twelfth", PACKAGES, NPM)
SERVICES = Toolbox("twelfth-services", ("excel-mcp-server==0.1.8", "mcp-server-tree-sitter==0.7.0", "mcp==1.30.0"))
"""What does not go together with the others."""


def found_by(text: str, pattern: str, spelt: str = "{}:{}") -> list[Fact]:
    """The facts of findings for which no report exists: lines with a path, a line, what is said, and a column and a code if there is one."""
    rows = [one.groupdict("") for one in re.finditer(pattern, text, re.MULTILINE)]
    found = [(row["path"], row["line"], row.get("column", ""), row.get("code", ""), row["said"]) for row in rows]
    return diagnosed(found, text, spelt)
