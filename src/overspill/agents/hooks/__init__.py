"""Hooks of coding agents: `spill hook AGENT` reads the agent's event and answers in its format.

One file an agent says what it sends and what it honours. What they share: `opening.py` fits texts in the agent's
session, `rewriting.py` puts `overspill.sh` before a command, `texts.py` finds the texts in a result, `writes.py` looks
for marks of ours in what is about to be written. What that script starts is `shell.py`, and `meanwhile.py` shows how
far it is. Only `cli` comes in here.
"""
