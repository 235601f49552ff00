"""How definitions and imports begin in each language, and what else tells where they end.

Patterns are matched against a line from its first character that is no blank. The first group is the name.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING, NamedTuple, compile_pattern, lru_cache

if TYPE_CHECKING:
    import re

_NOT_A_NAME = r"(?!(?:if|for|while|switch|catch|return|new|else|do|try|with|throw|await|yield|case|function|sizeof|using|lock|foreach|when|typeof|delete|super|assert|synchronized|elif|elseif|unless|match|loop)\b)"
_MODIFIERS = r"(?:(?:public|private|protected|internal|static|final|abstract|virtual|override|async|sealed|partial|readonly|synchronized|native|default|unsafe|extern|new|strictfp|const|inline|declare|export)\s+)*"
_TYPE = r"[\w$][\w$.:<>,?\[\]&* ]*?[\s*&>\]]"

# Prose speaks of functions, too: "the function that".
_ANY = r"(?:(?!(?:the|an?|this|that|these|of|to|for|in|is|and|or|by|with|each|your|no|which|same|if)\b)[\w()]+\s+){0,4}?(?:def|defp|defmodule|defmacro|func|fn|fun|function|sub|proc|class|struct|interface|trait|module|enum|protocol|type|impl|object|extension)\s+([\w$.:!?]+)(?=\s*(?:[({:=<\[;,]|$|(?:do|is|extends|implements|where|returns?)\b))"  # fmt: skip


class Language(NamedTuple):
    """How a language is read."""

    define: str
    container: str = ""  # those definitions that hold others
    bring: str = ""  # imports
    attached: str = r"[@\[#/*]"  # what stands before a definition and belongs to it
    closing: str = r"[})\]]"  # a line that ends a definition although it is not indented
    going_on: str = ""  # other lines that are not indented and do not end one
    quotes: str = ""  # texts of many lines, in which indents say nothing
    body: str = ""  # without this, what looks like a definition is not one
    nests: bool = True  # whether there are functions in functions


_C_FUNCTION = rf"{_NOT_A_NAME}(?:{_TYPE}\s*)?(?:[\w~]+::)*~?((?:operator\s*\S+?|{_NOT_A_NAME}[\w~$]+))\s*\([^;\"]*(?:[,({{)]|const|noexcept|override)\s*(?://.*)?$"
_METHOD = rf"{_MODIFIERS}(?:<[^>]+>\s+)?{_NOT_A_NAME}{_TYPE}\s*({_NOT_A_NAME}[\w$]+)\s*\([^;]*(?:[,({{)]|=>.*|throws [\w., ]+)\s*$"
_CONSTRUCTOR = r"(?:public|private|protected|internal)\s+([A-Z]\w*)\s*\([^;]*[,({)]\s*$"
_BRACES = r"(?:\{|#)"
_BACKTICKS = r"`(?:\\.|[^`\\])*`"

_LANGUAGES = {
    "python": Language(
        r"(?:async\s+def|def|class)\s+(\w+)",
        r"class\s",
        r"import\s|from\s+\S+\s+import\b",
        r"[@#]",
        quotes=r'(?:"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\')',
    ),
    "javascript": Language(
        r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|enum|namespace|module|type(?=\s+\w+.*=))\s+([\w$]+)"
        r"|(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^)]*\)?[^;]*(?:=>|,|\()\s*.*|[\w$]+\s*=>.*|class\b.*)$"
        r"|[\w$]+(?:\.[\w$]+)*\.([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|class\b)"
        rf"|(?:(?:static|async|get|set|public|private|protected|readonly|override|abstract)\s+)*[#*]?({_NOT_A_NAME}[\w$]+)\s*(?:<[^>]*>)?\([^;]*\)\s*(?::[^{{;]+)?\{{\s*$"
        rf"|({_NOT_A_NAME}[\w$]+)\s*[:=]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*=>\s*\{{)",
        r"(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:class|interface|namespace|module|enum)\s",
        r"import\b|(?:const|let|var)\s+[^=]+=\s*require\(|export\s+(?:\*|\{).*\bfrom\b|require\(",
        going_on=_BRACES,
        quotes=_BACKTICKS,
    ),
    "go": Language(
        r"func\s+(?:\([^)]*\)\s*)?(\w+)|type\s+(\w+)",
        "",
        r"import\b|package\s",
        r"//",
        quotes=r"`[^`]*`",
    ),
    "rust": Language(
        r"(?:pub(?:\([^)]*\))?\s+)?(?:(?:default|async|unsafe|const|extern(?:\s+\"[^\"]*\")?)\s+)*fn\s+(\w+)"
        r"|(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:struct|enum|trait|union|mod|type)\s+(\w+)"
        r"|(?:unsafe\s+)?impl\b(?:<[^>]*>)?\s*([^{]+?)\s*(?:where\b.*)?\{?\s*$|macro_rules!\s+(\w+)",
        r"(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:impl|trait|mod)\b",
        r"(?:pub(?:\([^)]*\))?\s+)?use\s|extern\s+crate|mod\s+\w+;",
        r"#|//[/!]",
        going_on=r"(?:\{|where\b)",
    ),
    "java": Language(
        rf"{_MODIFIERS}(?:class|interface|enum|record|@interface)\s+(\w+)|{_CONSTRUCTOR}|{_METHOD}",
        rf"{_MODIFIERS}(?:class|interface|enum|record|@interface)\s",
        r"import\s|package\s",
        going_on=_BRACES,
        quotes=r'"""(?:\\.|[^\\])*?"""',
        body="{",
    ),
    "csharp": Language(
        rf"{_MODIFIERS}(?:class|interface|enum|record(?:\s+struct)?|struct|namespace)\s+([\w.]+)|{_CONSTRUCTOR}|{_METHOD}",
        rf"{_MODIFIERS}(?:class|interface|enum|record|struct|namespace)\s",
        r"(?:global\s+)?using\s+[\w.=\s]+;",
        going_on=r"(?:\{|#|where\b)",
        quotes=r'@"(?:""|[^"])*"|"""(?:[^"]|"(?!""))*"""',
    ),
    "c": Language(
        rf"(?:typedef\s+)?(?:static\s+)?(?:struct|enum|union)\s+(\w+)\s*(?:\{{.*)?$|#\s*define\s+(\w+)\(|{_C_FUNCTION}",
        "",
        r"#\s*include\b",
        r"[/*]|[\w][\w*\s]*$",
        going_on=r"(?:\{|#|\w+:\s*$)",
        body="{",
        nests=False,
    ),
    "cpp": Language(
        rf"(?:class|struct|enum(?:\s+class)?|union|namespace|concept)\s+([\w:]+)[^;]*$|#\s*define\s+(\w+)\(|{_C_FUNCTION}",
        r"(?:class|struct|namespace|extern\s+\"C\")",
        r"#\s*include\b|using\s+(?:namespace\s)?[\w:]+;",
        r"[/*\[]|template\b|[\w][\w:*&\s]*[\w*&]$",
        going_on=r"(?:\{|#|\w+:\s*$|:\s)",
        body="{",
    ),
    "ruby": Language(
        r"(?:private\s+|public\s+|protected\s+)?def\s+((?:self\.)?[\w?!=\[\]<>+*/-]+)|(?:class|module)\s+([\w:]+)",
        r"(?:class|module)\s",
        r"require(?:_relative)?\b|load\s|autoload\b",
        r"#",
        r"(?:end\b|[})\]])",
        r"(?:rescue|ensure|else)\b",
        r"^=begin\b.*?^=end\b",
    ),
    "php": Language(
        r"(?:(?:abstract|final|public|private|protected|static|readonly)\s+)*(?:function\s+&?\s*(\w+)|(?:class|interface|trait|enum)\s+(\w+))",
        r"(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s",
        r"use\s+[\w\\]|(?:require|include)(?:_once)?\b|namespace\s|<\?php",
        r"[/*#]",
        going_on=_BRACES,
    ),
}
_LANGUAGES["typescript"] = _LANGUAGES["javascript"]
_LANGUAGES["shell"] = Language(
    r"(?:function\s+)?([\w:.@-]+)\s*\(\)\s*[{(]?\s*(?:#.*)?$|function\s+([\w:.@-]+)",
    bring=r"(?:\.|source)\s",
    attached=r"#",
    going_on=r"\{",
    body="{",
)
_OTHER = Language(
    rf"{_ANY}|([\w-]+)\s*\(\)\s*\{{"
    r"|[-+]\s*\([^)]*\)\s*(\w+)|@(?:implementation|interface|protocol)\s+(\w+)"  # as in Objective-C
    r"|([\w.]+)\s*(?:<-|=)\s*function\b"  # in R and Lua
    r"|\(def\w*\s+([^\s()]+)",  # in a Lisp
    r"(?:[\w()]+\s+){0,3}?(?:class|struct|interface|trait|module|defmodule|protocol|impl|object|extension)\s|@(?:implementation|interface|protocol)\s",
    r"(?:import|from|use|using|require|include|package|source|library)\b|#\s*include\b",
    closing=r"(?:[})\]]|end\b|(?i:end)_?[a-z]*(?:\([^()]*\))?;?\s*$|fi\b|done\b)",
    going_on=_BRACES,
)

# Languages without definitions, or whose definitions are not what matters.
WITHOUT_DEFINITIONS = frozenset(
    ("html", "css", "yaml", "toml", "ini", "sql", "makefile", "dockerfile", "cmake", "protobuf")
)


class Grammar(NamedTuple):
    """A `Language` with its patterns compiled."""

    define: re.Pattern[str]
    container: re.Pattern[str] | None
    bring: re.Pattern[str] | None
    attached: re.Pattern[str]
    closing: re.Pattern[str]
    going_on: re.Pattern[str] | None
    quotes: re.Pattern[str] | None
    body: str
    nests: bool


@lru_cache(maxsize=16)
def grammar_of(language: str) -> Grammar:
    """How to read a language; one that is not known is read by the words that languages share."""
    said = _LANGUAGES.get(language, _OTHER)
    define, container, bring, attached, closing, going_on, quotes, body, nests = said
    return Grammar(
        compile_pattern(define),
        compile_pattern(container) if container else None,
        compile_pattern(bring) if bring else None,
        compile_pattern(attached),
        compile_pattern(closing),
        compile_pattern(going_on) if going_on else None,
        compile_pattern("(?sm)" + quotes) if quotes else None,
        body,
        nests,
    )
