"""Which programming language a few lines are in, by the lines nobody would write in another."""

import re
from itertools import islice

_MOST_LINES = 0.12  # of the lines must be telling
_FEWEST = 2


def _lines_pattern(*alternatives: str, flags: str = "m") -> str:
    """Lines that begin like this. Negated classes are kept within the line."""
    either = "|".join(alternatives).replace("[^", r"[^\n")
    return rf"(?{flags})^[ \t]*(?:{either})"


_TELLING = {
    "python": _lines_pattern(
        r"(?:async )?def \w+\(",
        r"class \w+(?:\(.*\))?:[ \t]*$",
        r"from \.*[\w.]+ import ",
        r"import \w[\w.]*(?: as \w+)?[ \t]*$",
        r"@\w[\w.]*(?:\([^{]*)?$",
        r"(?:if|elif|for|while|with|try|except|else|finally)\b[^{}]*:[ \t]*$",
        r"self\.\w+",
        r"raise \w+",
        '"""',
        r"return\b[^;{]*$",
        r"assert ",
        r"print\(",
    ),
    "javascript": _lines_pattern(
        r"(?:export )?(?:default )?(?:async )?function\b",
        r"(?:const|let|var) [\w{\[$]",
        r"import [^;]*['\"];?$",
        r"module\.exports",
        r"export (?:default|const|class|\{|function)",
        r"['\"]use strict['\"]",
        r"\}\);?$",
        r"return [^:]*;$",
        r"[^=]*=> ?.*[;,{)]$",
        r"console\.\w+\(",
        r"(?:Object\.|exports\.|module\.|this\.|process\.)\w+",
        r"class \w+(?: extends [\w.]+)? \{$",
        r"(?:constructor|async \w+|static \w+|get \w+|set \w+|\w+) ?\([\w, {}=.]*\) \{$",
        r"\} else(?: if .*)? \{$",
        r"throw new ",
        r"for \((?:const|let|var) ",
        r"(?:test|describe|it)\(['\"]",
        r"await ",
    ),
    "typescript": _lines_pattern(
        r"(?:export )?(?:declare )?(?:interface \w+|type \w+(?:<[^>]*>)? =|enum \w+)",
        r"import type ",
        r"(?:private|public|protected)?[ ]?(?:readonly )?\w+\??: (?:\w+(?:<.*>)?(?:\[\])?|\{)(?: \|.*)?(?: =.*)?;$",
    ),
    "go": _lines_pattern(
        r"package \w+$",
        r"import (?:\(|\")",
        r"func (?:\(|\w)",
        r"type \w+ (?:struct|interface|func)\b",
        r"if err != nil",
        r"defer ",
        r"\"[\w./-]+\"$",
        r"return [^;]*(?:nil|err)$",
        r"fmt\.",
    ),
    "rust": _lines_pattern(
        r"(?:pub(?:\(crate\))? )?(?:async |unsafe |const )*fn \w+",
        r"use [\w:]+::[^;]*;",
        r"(?:pub )?(?:struct|enum|trait|mod) \w+",
        r"impl\b",
        r"#!?\[\w",
        r"let (?:mut )?\w+",
        r"//[/!]",
        r"match .* \{",
        r"\w+!\(",
    ),
    "java": _lines_pattern(
        r"package [\w.]+;",
        r"import (?:static )?[\w.]+(?:\.\*)?;",
        r"(?:public|private|protected)\b[^:]*[({;]$",
        r"@(?:Override|Test|Autowired|Nullable|Deprecated)\b",
        r"System\.out\.",
        r"(?:abstract |final )?class \w+[^:]*\{",
    ),
    "csharp": _lines_pattern(
        r"using (?:static )?[\w.]+;",
        r"namespace [\w.]+;?$",
        r"(?:public|private|protected|internal|sealed)\b.*",
        r"Console\.Write",
        r"throw new ",
        r"foreach \(",
    ),
    "c": _lines_pattern(
        r"#[ \t]*(?:include|define|ifdef|ifndef|endif|pragma)\b",
        r"(?:static |const |unsigned |extern |inline )*"
        r"(?:int|void|char|double|float|long|struct \w+|size_t|bool|u?int\d+_t) [*\w][^:]*[;{(),\w]$",
        r"typedef ",
        r"(?:for|while|if) \(.*\)(?: \{)?$",
        r"printf\(",
        r"return [^:{]*;$",
    ),
    "cpp": _lines_pattern(
        r"namespace \w* ?\{",
        r"template ?<",
        r"(?:public|private|protected):$",
        r"using namespace",
        r"#include <\w+(?:/[\w./]+)?>",
    ),
    "ruby": _lines_pattern(
        r"require(?:_relative)? ['\"]",
        r"def (?:self\.)?\w+[?!]?(?:\([^)]*\))?$",
        r"end$",
        r"module \w+$",
        r"class \w+(?: < [\w:]+)?$",
        r"attr_\w+ ",
        r"puts ",
        r"@\w+ (?:=|<<)",
        r"\w[\w.@]*(?:\(.*\))? do(?: \|[^|]*\|)?$",
    ),
    "php": _lines_pattern(
        r"<\?php",
        r"\$\w+ ?(?:=|->)",
        r"namespace [\w\\]+;",
        r"use \w+\\?[\w\\]*;",
        r"(?:public|private|protected)(?: static)? (?:function|array|string|int|\?)",
        r"echo .*;$",
        r"\$this->",
        r"declare\(",
    ),
    "shell": _lines_pattern(
        r"#!.*\b(?:ba|z|k|da)?sh\b",
        r"(?:if|elif|while|until) .*; ?(?:then|do)$",
        r"(?:then|fi|done|esac|do)$",
        r"for \w+ in [^:{]*$",
        r"export \w+=",
        r"\w+\(\) ?\{$",
        r"set -[eux]",
        r"[A-Za-z_]\w*=[\"'$(\w/][^;]*$",
        r"(?:echo|printf|local|source|exit|sudo|rsync) ",
        r"(?:if |\|\| |&& )?\[\[? ",
        r"case .* in$",
    ),
    "sql": _lines_pattern(
        r"select\b",
        r"insert into\b",
        r"update \w+ set\b",
        r"delete from\b",
        r"(?:create|alter|drop) (?:table|index|view|unique|or replace|function|database)\b",
        r"(?:from|where|order by|group by|limit) [\w(]",
        r"(?:left |inner |right )?join \w",
        r"(?:begin|begin transaction|commit|pragma .*);",
        r"\w+ (?:integer|text|varchar|bigint|timestamp|boolean|serial|numeric)\b.*,?$",
        flags="mi",
    ),
    "html": _lines_pattern(
        r"</?(?:html|head|body|div|p|ul|li|h[1-6]|a|span|script|link|meta|title|table|tr|td|form|input|img)\b"
    ),
    "css": _lines_pattern(
        r"[.#:@*]?[\w.#:>\[\]=\"'()~+* -]+\{[^{}]*\}?$",
        r"[\w-]+ ?: ?[^;]+;$",
        r"@(?:media|import|keyframes|font-face)\b",
        r"\}$",
    ),
    "yaml": _lines_pattern(r"---$", r"(?:- )?[\w./-]+:(?: [^{}();]*)?$", r"(?:- )?[\w./-]+: \{\}$", r"- .*$"),
    "toml": _lines_pattern(r"\[\[?[\w.\"-]+\]\]?$", r"[\w.\"-]+ = (?:[\"'\[{]|[\d.+-]+$|true$|false$)", r"\]$"),
}

# A language has one of these somewhere: without them its telling lines are those of a neighbour. They
# are plain strings because most content is not code at all, and should not pay for the question.
_SIGNS = {
    "python": ("def ", "class ", "import ", "__name__"),
    "javascript": ("const ", "let ", "var ", "function", "require(", "exports", "=>", "import "),
    "typescript": ("interface ", ": string", ": number", ": boolean", ": void", "enum ", "export type "),
    "go": ("package ", "func ", ":= "),
    "rust": ("fn ", "impl ", "let mut ", "use std::", "use crate::"),
    "java": ("class ", "import java", "interface ", "enum ", "record "),
    "csharp": ("using ", "{ get;", "Console."),
    "c": ("#include", "#define", "#if", "int ", "void ", "struct "),
    "cpp": ("::", "template", "namespace ", "class ", "#include"),
    "ruby": ("end\n", "end"),
    "php": ("<?php", "$this->", " = "),
    "shell": ("fi\n", "done", "esac", "${", "$(", "export ", 'echo "', "set -e", "#!/"),
    "sql": ("create ", "CREATE ", "insert ", "INSERT ", "select ", "SELECT ", "update ", "UPDATE "),
    "html": ("<div", "<body", "<html", "<head", "<ul", "<table", "<p"),
    "css": ("{",),
    "yaml": (":\n",),
    "toml": ("]\n",),
}
_REQUIRED = {
    "csharp": r"(?m)^using [\w.]+;|\{ get;|Console\.",
    "cpp": r"(?m)\w::\w|#include <[a-z_]+>|^[ \t]*(?:template ?<|using namespace|namespace \w)",
    "ruby": r"(?m)^[ \t]*end$",
    "php": r"(?m)<\?php|\$this->|^[ \t]*\$\w+ = ",
    "sql": r"(?i)\bcreate table\b|\binsert into \w|\bselect\b[^\n]*\n?[^\n]*\bfrom\b|\bupdate \w+ set\b",
    "css": r"\{\s*[\w-]+ ?: ?[^;{}\n]+[;}]",
    "yaml": r"(?m)^[\w./-]+:$\n(?:[ \t]+\S|- )",
    "toml": r"(?m)^\[\[?[\w.\"-]+\]\]?$",
}

# Told wherever in a line they stand.
_ANYWHERE = {
    "typescript": (": string", ": number", ": boolean", ": void", ": unknown", ": Promise<", " as const"),
    "go": (" := ",),
    "csharp": ("{ get;",),
    "cpp": ("::", "nullptr", "constexpr", "noexcept", "typename"),
}

# Nearly every line of these is telling, or it is something else.
_MOST = {"yaml": 0.8, "css": 0.4, "toml": 0.6, "html": 0.4, "shell": 0.2, "c": 0.2}

# What the second says of itself is also said by the first: where both fit, the second is meant.
_REFINED = (("javascript", "typescript"), ("c", "cpp"), ("java", "csharp"))


# Comments look alike everywhere, and licences in them like prose.
_COMMENT = (
    r"[ \t]*(?://(?![/!])|\*(?:[ /]|$)|#(?![!\[]|[ \t]*(?:include|define|ifdef|ifndef|endif|if|else|pragma)\b)|--)"
)
_BLOCK = r"(?s)(\"\"\"|\'\'\').*?(?:\1|\Z)|/\*.*?(?:\*/|\Z)"
_ENOUGH = 60


def _without_comments(lines: list[str]) -> list[str]:
    text = re.sub(_BLOCK, lambda block: block[1] or "", "\n".join(lines))
    told = (line for line in text.split("\n") if line.strip(" \t{}()[];,") and not re.match(_COMMENT, line))
    return list(islice(told, _ENOUGH))


def language_of(lines: list[str]) -> tuple[str, float]:
    r"""The language, and the share of lines that say so; no language when too few do.

    >>> language_of(["package main", "", "func main() {", "\tx := 1", "}"])[0]
    'go'
    """
    if lines and lines[0].startswith("#!"):
        shebang = _shebang(lines[0])
        if shebang:
            return shebang, 1.0
    lines = _without_comments(lines)
    text, total = "\n".join([*lines, ""]), len(lines)
    shares = {}
    for language, telling in _TELLING.items():
        required = _REQUIRED.get(language)
        if not any(sign in text for sign in _SIGNS[language]) or (required and not re.search(required, text)):
            continue
        found = len(re.findall(telling, text)) + sum(map(text.count, _ANYWHERE.get(language, ())))
        if found >= _FEWEST and found >= total * _MOST.get(language, _MOST_LINES):
            shares[language] = min(1.0, found / max(1, total))
    for plain, refined in _REFINED:
        if plain in shares and refined in shares:
            shares[refined] = max(shares[refined], shares.pop(plain))
    best = max(shares, key=lambda language: shares[language], default="")
    return best, shares.get(best, 0.0)


_SHEBANGS = (
    ("python", "python"),
    ("node", "javascript"),
    ("ruby", "ruby"),
    ("php", "php"),
    ("perl", "perl"),
    ("sh", "shell"),
)


def _shebang(line: str) -> str:
    return next((language for program, language in _SHEBANGS if program in line), "")
