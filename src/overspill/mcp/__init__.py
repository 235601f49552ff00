"""The Model Context Protocol, spoken by ourselves: a server for what is kept, and a proxy that limits other servers.

Its SDK costs a second of start-up, and proxies built on it lose messages they do not know. Server
and proxy read and write frames, and leave alone what they have no business with.

`cli` starts both; adapters in `frameworks` take `results.py` and `toolbox.py`. Nothing else comes in here.
"""
