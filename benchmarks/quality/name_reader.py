"""The names that lines begin with, in each of the forms that a text may have them in."""

import re
import string
from collections.abc import Iterator

NAMED = frozenset(string.ascii_letters + string.digits + "_.:/@-")
LOOKED_AT = 120
SIGILS = ("$", "@", "%", "&")
"""What the name of a variable may begin with."""


def read_leading_names(lines: list[str]) -> Iterator[set[str]]:
    """The names that differ, form by form."""
    filled = [line[:LOOKED_AT] for line in lines if line.strip()]
    for form in (_arrowed, _option, _measured, _quoted, _in_parens, _said_whence, _equal, _colon, _column):
        yield {name for line in filled if (name := form(line))}
    yield {name for line in filled if (name := _block(line))}
    yield {name for line in filled for name in _styles(line)}
    words = (line.split() for line in lines)
    yield {found[0] for found in words if len(found) == 1 and not found[0].isdecimal()}


def read_heads(lines: list[str]) -> Iterator[set[str]]:
    """The first lines of what stands between blank lines, and those at the margin with something indented below them.

    Without what they are drawn with, blanks counted once.
    """
    blocks = re.split(r"\n(?:[ \t\r\f\v]*\n)+", "\n".join(lines).strip())
    indented = re.finditer(r"(?m)^(?![ \t])(.+)\n(?=[ \t])", "\n".join(lines))
    for firsts in ((block.strip().split("\n")[0] for block in blocks), (one[1] for one in indented)):
        bare = (" ".join(re.sub(r"^[\s*=_~#.+|-]+|[\s*=_~#.+|-]+$", "", first).split()) for first in firsts)
        yield {head for head in bare if head}


def _first_word(line: str, most: int = 1 << 20) -> str:
    """The word that a line begins with behind at most so many blanks, if it can be a name."""
    bare = line.lstrip()
    if len(line) - len(bare) > most:
        return ""
    if bare[:1] in SIGILS:
        word = _first_word(bare[1:], 0)
        return bare[0] + word if word else ""
    end = next(
        (at for at, sign in enumerate(bare) if not (sign in NAMED or (sign.isalnum() and not sign.isascii()))),
        len(bare),
    )
    word = bare[:end].rstrip("/@")
    return word if len(word) > 1 and (word[0].isalpha() or word[0] in "_.") and re.search("[A-Za-z]", word) else ""


def _rest(line: str, word: str) -> str:
    return line.lstrip()[len(word) :]


def _arrowed(line: str) -> str:
    name, sign, _ = line.partition(" => ")
    fine = sign and name.strip() == name and name and "=" not in name and len(name) <= 62
    return name if fine else ""


def _option(line: str) -> str:
    bare = re.sub(r"^-\w, ", "", line.lstrip())
    dashes = len(bare) - len(bare.lstrip("-"))
    found = re.match(r"[A-Za-z][\w-]+", bare[dashes:]) if dashes in (1, 2) else None
    return bare[:dashes] + found[0] if found else ""


def _said_whence(line: str) -> str:
    """`NAME(default) = value`."""
    name = _first_word(line)
    head, sign, rest = _rest(line, name).partition("=")
    head = head.strip()
    fine = name and sign and rest[:1] != "=" and head[:1] == "(" and head.find(")") == len(head) - 1
    return name if fine else ""


def _measured(line: str) -> str:
    name = _first_word(line, 0)
    rest = re.sub(r"^\{[^}]*\}", "", _rest(line, name))
    return name if name and re.fullmatch(r" [-+]?[\d.]+(?:[eE][-+]?\d+)?", rest) else ""


def _quoted(line: str) -> str:
    name = _first_word(line, 0)
    return name if name and re.fullmatch(r' "[^"]*";?', _rest(line, name)) else ""


def _in_parens(line: str) -> str:
    name = _first_word(line)
    rest = _rest(line, name)
    inside = rest[2:-1]
    return name if name and rest[:2] == " (" and rest[-1] == ")" and not set(inside) & set("()") else ""


def _block(line: str) -> str:
    words = line.strip().removesuffix("{").split()
    if line[-1] != "{" or len(words) < 2 or not re.fullmatch(r"[A-Za-z]\w*", words[0]):
        return ""
    name = re.match(r"[A-Za-z_]\w*", words[1])
    rest = words[1][name.end() :] if name else "?"
    goes_on = rest[:1] in tuple("(:<") or (
        not rest and (len(words) == 2 or words[2] in ("implements", "extends", "for"))
    )
    return name[0] if name and (goes_on or (not rest and words[2][0] in "(:<")) else ""


def _styles(line: str) -> list[str]:
    if line[-1] not in "{," or ": " in line:
        return []
    return [sign + name for sign, name in re.findall(r"([.#])([A-Za-z_][\w-]*)", line)]


def _equal(line: str) -> str:
    name = _first_word(line)
    rest = _rest(line, name).lstrip()
    return name if name and rest.startswith("=") and not rest.startswith("==") else ""


def _colon(line: str) -> str:
    word = _first_word(line)
    name = word.rstrip(":")
    return name if len(name) > 1 and word == f"{name}:" and _rest(line, word).startswith(" ") else ""


def _column(line: str) -> str:
    name = _first_word(line, 8)
    rest = _rest(line, name)
    return name if name and rest.startswith(("\t", "  ")) and rest.strip() else ""
