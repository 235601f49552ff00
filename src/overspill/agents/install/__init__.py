"""Coding agents: which settings they read, and how `spill init` puts hooks and the server there and takes them away.

One file an agent says which files, and what stands in them. `jsonc.py` and `toml.py` change a text and keep
everything in it that is not ours, `entries.py` says what is ours, `plan.py` what would become of every file,
and writes it, and `backups.py` remembers what was there before. Only `cli` comes in here.
"""
