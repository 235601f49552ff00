"""The agents that can be set up, by name."""

from overspill._lite import loaded
from overspill.agents.install.agent import Agent
from overspill.cli.commands.agents import AGENTS
from overspill.errors import UsageError


def agent_called(name: str) -> Agent:
    """One agent. `UsageError` names them all.

    >>> agent_called("codex").title
    'Codex'
    """
    if name not in AGENTS:
        raise UsageError(f"no agent {name[:100]!r}; there are: {', '.join(AGENTS)}").helped("spill init --show")
    agent: Agent = loaded(f"overspill.agents.install.{name.replace('-', '_')}").AGENT
    return agent
