"""Which programming language a few lines are in, by the lines nobody would write in another."""

import re

_MOST_LINES = 0.2  # of the lines must be telling
_FEWEST = 2


def _lines(*alternatives: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*(?:{'|'.join(alternatives)})", re.MULTILINE | flags)


_TELLING = {
    "python": _lines(
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
    "javascript": _lines(
        r"(?:export )?(?:default )?(?:async )?function\b",
        r"(?:const|let|var) [\w{\[$]",
        r"import [^;]*['\"];?$",
        r"module\.exports",
        r"export (?:default|const|class|\{|function)",
        r"['\"]use strict['\"]",
        r"\}\);?$",
        r"return [^:]*;$",
        r"[^\n]*=> ?[^\n]*[;,{)]$",
        r"console\.\w+\(",
        r"(?:test|describe|it)\(['\"]",
        r"await ",
    ),
    "typescript": _lines(
        r"(?:export )?(?:declare )?(?:interface \w+|type \w+(?:<[^>]*>)? =|enum \w+)",
        r"import type ",
        r"(?:private|public|protected)?[ ]?(?:readonly )?\w+\??: (?:\w+(?:<[^\n]*>)?(?:\[\])?|\{)(?: \|[^\n]*)?(?: =[^\n]*)?;$",
        r"[^\n]*[\w)\]?]: (?:string|number|boolean|void|any|unknown|never|Promise<|Map<|Record<)",
        r"[^\n]* as (?:string|number|any|const|unknown)\b",
    ),
    "go": _lines(
        r"package \w+$",
        r"import (?:\(|\")",
        r"func (?:\(|\w)",
        r"type \w+ (?:struct|interface|func)\b",
        r"if err != nil",
        r"[^\n]* := ",
        r"defer ",
        r"\"[\w./-]+\"$",
        r"return [^;]*(?:nil|err)$",
        r"fmt\.",
    ),
    "rust": _lines(
        r"(?:pub(?:\(crate\))? )?(?:async |unsafe |const )*fn \w+",
        r"use [\w:]+::[^;]*;",
        r"(?:pub )?(?:struct|enum|trait|mod) \w+",
        r"impl\b",
        r"#!?\[\w",
        r"let (?:mut )?\w+",
        r"//[/!]",
        r"match [^\n]* \{",
        r"\w+!\(",
    ),
    "java": _lines(
        r"package [\w.]+;",
        r"import (?:static )?[\w.]+(?:\.\*)?;",
        r"(?:public|private|protected)\b[^\n:]*[({;]$",
        r"@(?:Override|Test|Autowired|Nullable|Deprecated)\b",
        r"System\.out\.",
        r"(?:abstract |final )?class \w+[^\n:]*\{",
    ),
    "csharp": _lines(
        r"using (?:static )?[\w.]+;",
        r"namespace [\w.]+;?$",
        r"(?:public|private|protected|internal|sealed)\b[^\n]*",
        r"[^\n]*\{ get;",
        r"Console\.Write",
        r"throw new ",
        r"foreach \(",
    ),
    "c": _lines(
        r"#[ \t]*(?:include|define|ifdef|ifndef|endif|pragma)\b",
        r"(?:static |const |unsigned |extern |inline )*(?:int|void|char|double|float|long|struct \w+|size_t|bool|u?int\d+_t) [*\w][^\n:]*[;{(),\w]$",
        r"typedef ",
        r"(?:for|while|if) \([^\n]*\)(?: \{)?$",
        r"printf\(",
        r"return [^\n:{]*;$",
    ),
    "cpp": _lines(
        r"[^\n]*\bstd::",
        r"#include <(?:iostream|string|vector|map|memory|algorithm|utility|functional|unordered_map|set|array|optional)>",
        r"namespace \w* ?\{",
        r"template ?<",
        r"(?:public|private|protected):$",
        r"using namespace",
        r"[^\n]*\b(?:nullptr|constexpr|noexcept)\b",
    ),
    "ruby": _lines(
        r"require(?:_relative)? ['\"]",
        r"def (?:self\.)?\w+[?!]?(?:\([^)]*\))?$",
        r"end$",
        r"module \w+$",
        r"class \w+(?: < [\w:]+)?$",
        r"attr_\w+ ",
        r"puts ",
        r"@\w+ (?:=|<<)",
        r"[^\n]* do(?: \|[^|\n]*\|)?$",
    ),
    "php": _lines(
        r"<\?php",
        r"\$\w+ ?(?:=|->)",
        r"namespace [\w\\]+;",
        r"use \w+\\?[\w\\]*;",
        r"(?:public|private|protected)(?: static)? (?:function|array|string|int|\?)",
        r"echo [^\n]*;$",
        r"\$this->",
        r"declare\(",
    ),
    "shell": _lines(
        r"#!.*\b(?:ba|z|k|da)?sh\b",
        r"(?:if|elif|while|until) [^\n]*; ?(?:then|do)$",
        r"(?:then|fi|done|esac|do)$",
        r"for \w+ in [^\n:{]*$",
        r"export \w+=",
        r"\w+\(\) ?\{$",
        r"set -[eux]",
        r"[A-Za-z_]\w*=[\"'$(\w/][^\n;]*$",
        r"(?:echo|printf|local|source|exit|sudo|rsync) ",
        r"(?:if |\|\| |&& )?\[\[? ",
        r"case [^\n]* in$",
        r"[^\n]*\|\| exit",
    ),
    "sql": _lines(
        r"select\b",
        r"insert into\b",
        r"update \w+ set\b",
        r"delete from\b",
        r"(?:create|alter|drop) (?:table|index|view|unique|or replace|function|database)\b",
        r"(?:from|where|order by|group by|limit) [\w(]",
        r"(?:left |inner |right )?join \w",
        r"(?:begin|begin transaction|commit|pragma [^\n]*);",
        r"\w+ (?:integer|text|varchar|bigint|timestamp|boolean|serial|numeric)\b[^\n]*,?$",
        flags=re.IGNORECASE,
    ),
    "html": _lines(r"</?(?:html|head|body|div|p|ul|li|h[1-6]|a|span|script|link|meta|title|table|tr|td|form|input|img)\b"),
    "css": _lines(
        r"[.#:@*]?[\w.#:>\[\]=\"'()~+* -]+(?:\{$|,$)",
        r"[\w-]+: ?[^;\n]+;$",
        r"@(?:media|import|keyframes|font-face)\b",
        r"\}$",
    ),
    "yaml": _lines(r"---$", r"(?:- )?[\w./-]+:(?: [^{}();\n]*)?$", r"(?:- )?[\w./-]+: \{\}$", r"- [^\n]*$", r"# "),
    "toml": _lines(r"\[\[?[\w.\"-]+\]\]?$", r"[\w.\"-]+ = (?:[\"'\[{]|[\d.+-]+$|true$|false$)", r"\]$"),
}

# A language needs one of these: its telling lines alone are found in its neighbours too.
_REQUIRED = {
    "typescript": re.compile(r"\binterface \w+|: (?:string|number|boolean|void)\b|^(?:export )?(?:type|enum) \w+", re.MULTILINE),
    "csharp": re.compile(r"^using [\w.]+;|\{ get;|Console\.", re.MULTILINE),
    "java": re.compile(r"\b(?:class|interface|enum|record) \w+|^import java", re.MULTILINE),
    "cpp": re.compile(r"std::|#include <\w+>|^template|^namespace|^using namespace", re.MULTILINE),
    "go": re.compile(r"^package \w+$|^func |:= ", re.MULTILINE),
    "php": re.compile(r"<\?php|\$this->|^\s*\$\w+ = ", re.MULTILINE),
    "sql": re.compile(r"(?i)\bcreate table\b|\binsert into \w+|\bselect\b[^\n]*\n?[^\n]*\bfrom\b|\bupdate \w+ set\b"),
    "css": re.compile(r"\{$[^{}]*^\s*[\w-]+: ?[^;\n]+;$", re.MULTILINE),
    "yaml": re.compile(r"^[\w./-]+:$\n(?:[ \t]+\S|- )", re.MULTILINE),
    "toml": re.compile(r"^\[\[?[\w.\"-]+\]\]?$", re.MULTILINE),
    "html": re.compile(r"(?i)<(?:!doctype html|html|body|div|head|ul|table)\b"),
    "shell": re.compile(r"^#!|^\s*(?:fi|done|esac)\b|\$\{?\w|^export \w+=", re.MULTILINE),
}

# Nearly every line of these is telling, or it is something else.
_MOST = {"yaml": 0.8, "css": 0.6, "toml": 0.6, "html": 0.4, "c": 0.25, "python": 0.25}

# What the second says of itself is also said by the first: where both fit, the second is meant.
_REFINED = (("javascript", "typescript"), ("c", "cpp"), ("java", "csharp"))


def language_of(lines: list[str]) -> tuple[str, float]:
    r"""The language, and the share of lines that say so; no language when too few do.

    >>> language_of(["package main", "", "func main() {", "\tx := 1", "}"])[0]
    'go'
    """
    if lines and lines[0].startswith("#!"):
        shebang = _shebang(lines[0])
        if shebang:
            return shebang, 1.0
    text = "\n".join(lines)
    total = sum(1 for line in lines if line.strip(" \t{}()[];,"))
    shares = {}
    for language, telling in _TELLING.items():
        required = _REQUIRED.get(language)
        if required is not None and not required.search(text):
            continue
        found = sum(1 for _ in telling.finditer(text))
        if found >= _FEWEST and found >= total * _MOST.get(language, _MOST_LINES):
            shares[language] = min(1.0, found / max(1, total))
    for plain, refined in _REFINED:
        if plain in shares and refined in shares:
            shares[refined] = max(shares[refined], shares.pop(plain))
    best = max(shares, key=lambda language: shares[language], default="")
    return best, shares.get(best, 0.0)


_SHEBANGS = (("python", "python"), ("node", "javascript"), ("ruby", "ruby"), ("php", "php"), ("perl", "perl"), ("sh", "shell"))


def _shebang(line: str) -> str:
    return next((language for program, language in _SHEBANGS if program in line), "")
