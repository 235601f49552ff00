r"""Secrets out of many values at once: they go through one scan, so equal secrets stay recognizably equal.

>>> hide = lambda text: text.replace("hunter2", "[REDACTED: PASSWORD]")
>>> redacted_values(["user", "hunter2", ""], hide)
['user', '[REDACTED: PASSWORD]', '']
>>> redacted_json({"verdicts": {"gate": "hunter2"}, "phase": 1}, hide)
{'verdicts': {'gate': '[REDACTED: PASSWORD]'}, 'phase': 1}
"""

from collections.abc import Callable, Iterator, Sequence

Hide = Callable[[str], str]

BETWEEN = "\n\x1e\n"
LONE = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def redacted_values(values: Sequence[str], hide: Hide | None) -> list[str]:
    """The values without their secrets."""
    whole = [well_formed(value) for value in values]
    if hide is None or not any(whole):
        return whole
    parts = hide(BETWEEN.join(whole)).split(BETWEEN)
    # A value that holds the separator, or a secret that swallows one: then each value by itself.
    return parts if len(parts) == len(whole) else [hide(value) for value in whole]


def well_formed(text: str) -> str:
    """The text as it can be written: a lone surrogate, which JSON can say, is no character."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(LONE)
    return text


def redacted_json(value: object, hide: Hide | None) -> object:
    """A value of JSON without the secrets in its texts, and without those that only their key gives away."""
    from json import dumps, loads

    safe = _with_new_texts(value, iter(redacted_values(list(_texts_in(value)), hide)))
    if hide is None:
        return safe
    try:
        return loads(hide(dumps(safe, ensure_ascii=False, indent=2)))
    except ValueError:
        return safe


def each_text(value: object, change: Hide) -> object:
    """A value of JSON with every text in it changed by itself, keys too."""
    return _with_new_texts(value, iter([change(text) for text in _texts_in(value)]))


def _texts_in(value: object) -> Iterator[str]:
    """Every text in a value of JSON, keys too, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _texts_in(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _texts_in(member)


def _with_new_texts(value: object, texts: Iterator[str]) -> object:
    """The same value with other texts."""
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, dict):
        return {next(texts): _with_new_texts(member, texts) for member in value.values()}
    if isinstance(value, list | tuple):
        return [_with_new_texts(member, texts) for member in value]
    return value
