"""The environments that the tools of the eleventh part run in: one of PyPI's, one of npm's; and those that need one of their own."""

from shop import Toolbox

PACKAGES = (
    "cfn-flip==1.3.0", "crossplane==0.5.8", "csvkit==2.2.0", "daphne==4.2.3", "flake8==7.5.0", "git-cliff==2.14.2", "gitlint-core==0.19.1", "hunter==3.9.0",
    "import-linter==2.16", "johnnydep==2.1.1", "jupytext==1.19.6", "nbqa==1.9.1",
    "openpyxl==3.1.5", "parquet-tools==0.2.16", "poethepoet==0.49.0", "pprofile==2.2.0", "prospector==1.20.0", "pyarrow==26.0.1",
    "pylint==4.1.4", "pymarkdownlnt==0.9.41", "rstcheck==6.3.0", "setuptools==80.9.0",
    "whispers==2.2.1",
)  # fmt: skip

NPM = (
    "@web/test-runner-chrome@0.18.1", "@web/test-runner@0.20.2", "chrome-devtools-mcp@1.11.0", "depcheck@1.4.7",
    "json-server@0.17.4", "karma-chrome-launcher@3.2.0", "karma-mocha@2.0.1", "karma@6.4.4", "license-report@6.8.5", "lockfile-lint@5.0.1",
    "mammoth@1.13.0", "mocha@12.0.3", "monocart-coverage-reports@2.13.0", "npm-package-json-lint@9.1.0", "rolldown@1.3.2", "sass-lint@1.13.1",
    "tslint@6.1.3", "tsup@8.5.1", "type-coverage@2.30.3", "typedoc@0.28.20", "typescript@5.9.3", "wireit@0.14.13", "zora@5.2.0",
)  # fmt: skip

TOOLS = Toolbox("eleventh", PACKAGES, NPM)
SERVICES = Toolbox(
    "eleventh-services", ("lxml-html-clean==0.4.6", "mcp==1.30.0", "mcp-server-sqlite==2025.4.25", "trafilatura==2.3.1")
)
"""What does not go together with the others."""
