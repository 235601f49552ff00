"""The environments that the tools of the seventh part run in: one of PyPI's, one of npm's."""

from shop import Toolbox

PACKAGES = (
    "autopep8==2.3.2", "csvkit==2.2.0", "datasette==0.65.5", "deepdiff==9.1.0",
    "fastapi==0.162.7", "feedgen==1.0.0", "googleapis-common-protos==1.76.0", "graphql-core==3.3.2",
    "hypercorn==0.18.0", "ipykernel==7.4.0", "jsonnet==0.22.0",
    "markitdown[xlsx,docx]==0.1.8", "nbdime==4.0.4", "openpyxl==3.1.5", "papermill==2.7.0",
    "pydoclint==0.12.0", "python-docx==1.2.0", "refurb==2.3.1", "setuptools==65.5.0", "translate-toolkit==3.20.4",
    "xlsx2csv==0.8.6", "xmldiff==3.0", "yappi==1.7.6", "ziglang==0.17.0",
)  # fmt: skip

NPM = (
    "@bufbuild/buf@1.74.0", "@electron/asar@3.4.1", "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@playwright/mcp@0.0.83", "@playwright/test@1.65.1", "@rspack/cli@2.2.8", "@rspack/core@2.3.2", "bunyan@2.0.5",
    "daff@1.4.2", "deno@2.9.6", "lerna@9.0.7", "nx@24.0.0", "remark-cli@12.0.1",
    "remark-preset-lint-consistent@6.0.1", "remark-preset-lint-recommended@7.0.1", "textlint@15.8.0",
    "textlint-rule-common-misspellings@1.0.1", "textlint-rule-terminology@5.2.16", "textlint-rule-write-good@2.0.0",
    "vfile-reporter-json@4.0.0",
)  # fmt: skip

TOOLS = Toolbox("seventh", PACKAGES, NPM)
python_tools, tool_of, npm_room, npm_tool = TOOLS.python, TOOLS.python_tool, TOOLS.npm_room, TOOLS.npm_tool
