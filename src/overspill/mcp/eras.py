"""The two eras of the protocol: with a handshake, and with the version in every request."""

Json = dict[str, object]

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = ("2026-07-28",)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


def version_of(parameters: Json) -> object:
    """The version a request names, as the newer era has it; None in the older one."""
    meta = parameters.get("_meta")
    return meta.get(VERSION_KEY) if isinstance(meta, dict) else None


def dressed(result: Json, parameters: Json, *, cached: bool = False) -> Json:
    """A result as the era of its request wants it: the newer one says what it is, and how long it may be kept."""
    if version_of(parameters) is None:
        return result
    marked = {**result, "resultType": "complete"}
    return {**marked, "ttlMs": 0, "cacheScope": "private"} if cached else marked
