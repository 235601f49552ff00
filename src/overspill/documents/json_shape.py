"""What a record is made of, in a few words: its keys, and of what is nested in it the keys, too."""

LONGEST = 240
MOST_KEYS = 24
DEEPEST = 3
LONGEST_KEY = 40
LARGEST = 65_536  # bytes of a record that is looked at


def shape_of(value: object, depth: int = 1) -> str:
    """The shape of a value.

    >>> shape_of({"id": 7, "tags": ["a"], "owner": {"name": "x", "admin": False}, "note": None})
    '{id: number, tags: [string], owner: {name: string, admin: boolean}, note: null}'
    """
    if isinstance(value, dict):
        if depth > DEEPEST:
            return f"{{{len(value)} keys}}"
        names = [
            f"{str(key)[:LONGEST_KEY]}: {shape_of(inner, depth + 1)}" for key, inner in [*value.items()][:MOST_KEYS]
        ]
        names += [f"+{len(value) - MOST_KEYS} more"] if len(value) > MOST_KEYS else []
        return f"{{{', '.join(names)}}}"
    if isinstance(value, list):
        return f"[{shape_of(value[0], depth + 1)}]" if value else "[]"
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "null" if value is None else "number"


def told(record: bytes) -> str:
    """The shape of a record as it is told, or nothing where that is no record or takes too many words."""
    from msgspec import DecodeError
    from msgspec.json import decode

    if len(record) > LARGEST:
        return ""
    try:
        value = decode(record)
    except (DecodeError, RecursionError):
        return ""
    said = f"shape: {shape_of(value)}"
    return said if isinstance(value, dict) and len(said) <= LONGEST else ""
