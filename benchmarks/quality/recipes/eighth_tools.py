"""The environments that the tools of the eighth part run in: one of PyPI's, one of npm's."""

from shop import Toolbox

PACKAGES = (
    "astropy==8.0.2", "asyncssh==2.24.1", "beancount==3.1.0", "deadcode==2.4.1", "detect-secrets==1.5.0", "fonttools==4.68.0", "griffe==1.7.3",
    "lightgbm==4.7.0", "linkchecker==10.5.0", "mutmut==3.3.1", "pillow==13.0.0", "pygount==1.8.0", "pytest==8.3.5", "scikit-learn==1.9.1", "squawk-cli==2.70.0",
    "ssh-audit==3.3.0", "z3-solver==5.4.0.0",
)  # fmt: skip

NPM = (
    "@graphql-inspector/cli@5.0.8", "@graphql-inspector/core@8.0.0", "@stryker-mutator/core@8.7.1",
    "alex@11.0.1", "assemblyscript@0.27.31", "graphql@16.15.0", "mocha@12.0.3", "tap@21.1.0", "ts-prune@0.10.3", "typescript@5.6.2",
    "vnu-jar@26.9.27", "write-good@1.0.8",
)  # fmt: skip

TOOLS = Toolbox("eighth", PACKAGES, NPM)
INTERFACES = Toolbox(
    "eighth-api",
    ("flask==3.1.0", "frictionless==5.18.1", "hypothesis==6.115.6", "schemathesis==3.39.16", "setuptools==65.5.0"),
)
"""What does not go together with the others."""

python_tools, tool_of, npm_room, npm_tool = TOOLS.python, TOOLS.python_tool, TOOLS.npm_room, TOOLS.npm_tool
