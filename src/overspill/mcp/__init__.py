"""The Model Context Protocol, spoken by ourselves: a server for what is kept, and a proxy that limits other servers.

Its SDK costs a second of start-up, and proxies built on it lose messages they do not know. Both doors
here read and write frames, and leave alone what they have no business with.
"""
