"""The environments that the tools of the sixth part run in: one of PyPI's, one of npm's."""

from shop import Toolbox

PACKAGES = (
    "ansible-core==2.19.14", "ast-grep-cli==0.51.1", "bashate==2.1.1",
    "fortitude-lint==0.10.0", "gixy-ng==0.2.59", "invoke==3.0.3",
    "kubernetes-validate==1.37.0", "memray==1.20.0", "poetry==2.5.1", "proselint==0.16.0",
    "reuse==4.0.3", "ruff==0.14.5", "rust-just==1.59.0", "slipcover==1.1.0",
    "stestr==4.2.1", "troposphere==4.11.1", "viztracer==1.1.1", "xml2rfc==3.34.1", "yt-dlp==2026.10.26",
)  # fmt: skip

NPM = (
    "brittle@4.1.0", "fastify@5.12.8", "gulp@5.0.1",
    "gulp-cli@3.1.0", "json-diff@1.0.6", "knip@6.44.2", "npm-check-updates@22.2.9",
    "pino@10.4.0", "solc@0.8.37",
)  # fmt: skip

TOOLS = Toolbox("sixth", PACKAGES, NPM)
python_tools, tool_of, npm_room, npm_tool = TOOLS.python, TOOLS.python_tool, TOOLS.npm_room, TOOLS.npm_tool
