"""JSON of small values, without the package: a line in a log, a record of a file.

Importing it costs more than all that `spill fit` writes with it.
"""


def in_json(value: object) -> str:
    """One value as JSON.

    >>> in_json({"name": "build", "lines": [1, 2.5], "kept": True, "source": None})
    '{"name":"build","lines":[1,2.5],"kept":true,"source":null}'
    """
    if isinstance(value, str) and value.isascii() and value.isprintable() and '"' not in value and "\\" not in value:
        return f'"{value}"'
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return f"[{','.join(map(in_json, value))}]"
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return "{" + ",".join(f"{in_json(key)}:{in_json(member)}" for key, member in value.items()) + "}"
    if isinstance(value, int | float) and value - value == 0:
        return (int if isinstance(value, int) else float).__repr__(value)
    import json

    return json.dumps(value, separators=(",", ":"))
