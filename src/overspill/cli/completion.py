"""`spill completion`: what a shell offers while a line is written, made of the table that reads the line."""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cli.arguments import GENERAL, Command, CommandCall, Option
from overspill.cli.commands import commands
from overspill.cli.output import write_text
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = ("spill", "acode")


def run(call: CommandCall) -> int:
    """Print the script of a shell."""
    shell = call.argument(0, "SHELL")
    if shell not in SCRIPTS:
        raise UsageError(f"no completion for {shell[:100]!r}; there is: {', '.join(SCRIPTS)}")
    write_text("".join(f"{line}\n" for line in SCRIPTS[shell]()))
    return 0


def offers() -> dict[str, list[str]]:
    """What may follow the words of a line: other words, or options."""
    found: dict[str, list[str]] = {"": []}
    for command in commands():
        for depth, word in enumerate(command.words):
            above = " ".join(command.words[:depth])
            words = found.setdefault(above, [])
            if word not in words:
                words.append(word)
        found.setdefault(command.name, []).extend(option.name for option in (*command.options, *GENERAL))
    found[""] += [option.name for option in GENERAL]
    return found


def options_with_value() -> list[str]:
    """The options that take a word."""
    every: list[Option] = [*GENERAL, *(option for command in commands() for option in command.options)]
    return sorted({option.name for option in every if option.value})


def bash() -> Iterator[str]:
    """For bash: `source <(spill completion bash)`."""
    yield "# spill completion bash"
    yield "_spill() {"
    yield '    local cur="${COMP_WORDS[COMP_CWORD]}" path="" after="" word words=""'
    yield '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield '        if [[ -n "$after" ]]; then after=""; continue; fi'
    yield '        case "$word" in'
    yield f"            {'|'.join(options_with_value())}) after=1 ;;"
    yield "            -*) ;;"
    yield '            *) path="$path$word " ;;'
    yield "        esac"
    yield "    done"
    yield '    if [[ -z "$after" ]]; then'
    yield '        case "$path" in'
    yield from _cases("            ")
    yield "        esac"
    yield "    fi"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield '    if [[ ${#COMPREPLY[@]} -eq 0 && "$cur" != -* ]]; then COMPREPLY=($(compgen -f -- "$cur")); fi'
    yield "}"
    yield f"complete -o filenames -F _spill {' '.join(PROGRAMS)}"


def zsh() -> Iterator[str]:
    """For zsh: into a file `_spill` of a directory in `fpath`, or `source <(spill completion zsh)`."""
    yield f"#compdef {' '.join(PROGRAMS)}"
    yield "_spill() {"
    yield '    local line="" after="" word offered=""'
    yield '    for word in "${(@)words[2,CURRENT-1]}"; do'
    yield '        if [[ -n "$after" ]]; then after=""; continue; fi'
    yield '        case "$word" in'
    yield f"            {'|'.join(options_with_value())}) after=1 ;;"
    yield "            -*) ;;"
    yield '            *) line="$line$word " ;;'
    yield "        esac"
    yield "    done"
    yield '    if [[ -z "$after" ]]; then'
    yield '        case "$line" in'
    yield from (line.replace("words=", "offered=") for line in _cases("            "))
    yield "        esac"
    yield "    fi"
    yield "    compadd -- ${=offered}"
    yield "    _files"
    yield "}"
    yield f"compdef _spill {' '.join(PROGRAMS)}"


def _cases(indent: str) -> Iterator[str]:
    """The longest first: what follows `artifacts list` is not what follows `artifacts`."""
    for path, words in sorted(offers().items(), key=lambda offer: -len(offer[0].split())):
        form = f'"{path} "*' if " " in path or path in {command.name for command in commands()} else f'"{path} "'
        yield f"{indent}{form if path else chr(34) * 2}) words={chr(34)}{' '.join(words)}{chr(34)} ;;"


def fish() -> Iterator[str]:
    """For fish: `spill completion fish > ~/.config/fish/completions/spill.fish`."""
    yield from FISH_WORDS
    for program in PROGRAMS:
        for option in GENERAL:
            yield _fish_option(program, option, "")
        for command in commands():
            yield from _fish_command(program, command)


# fish asks of every row whether it applies. Its own functions look for a word anywhere on the line; ours compare the
# beginning, without options and what they take: `list` and `artifacts list` have other options.
FISH_WORDS = (
    "function __spill_words",
    "    set -l after 0",
    "    for word in (commandline -opc)[2..-1]",
    f"        if contains -- $word {' '.join(options_with_value())}",
    "            set after 1",
    "        else if test $after = 1",
    "            set after 0",
    "        else if not string match -q -- '-*' $word",
    "            echo $word",
    "        end",
    "    end",
    "end",
    "function __spill_is",
    "    set -l words (__spill_words)",
    '    test "$words" = "$argv"',
    "end",
    "function __spill_begins",
    "    set -l words (__spill_words)",
    '    string match -q -- "$argv *" "$words "',
    "end",
)


def _fish_command(program: str, command: Command) -> Iterator[str]:
    first, *verbs = command.words
    here = f"complete -c {program} -f -n __spill_is -a {first}"
    yield here if verbs else f"{here} -d {_fish_word(command.summary)}"
    if verbs:
        alone = _fish_word(f"__spill_is {first}")
        yield f"complete -c {program} -f -n {alone} -a {verbs[0]} -d {_fish_word(command.summary)}"
    for option in command.options:
        yield _fish_option(program, option, f"__spill_begins {command.name}")


def _fish_option(program: str, option: Option, seen: str) -> str:
    name = f"-l {option.name[2:]}" if option.name.startswith("--") else f"-s {option.name[1:]}"
    value = " -r" if option.value else ""
    where = f" -n {_fish_word(seen)}" if seen else ""
    return f"complete -c {program}{where} {name}{value} -d {_fish_word(option.help)}"


def _fish_word(words: str) -> str:
    r"""A word for fish, where only a backslash and a quote mean something inside quotes.

    >>> _fish_word("what's kept")
    "'what\\'s kept'"
    """
    return "'" + words.replace("\\", "\\\\").replace("'", "\\'") + "'"


SCRIPTS = {"bash": bash, "zsh": zsh, "fish": fish}
