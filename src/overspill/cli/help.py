"""What the table of commands says: `spill help` and `--help` to people, `spill completion` to a shell.

Everything about commands is made of the tables that read the command line. A topic is a page of its own: what one has
to know that belongs to no single command.
"""

from __future__ import annotations

from overspill._lite import TYPE_CHECKING
from overspill.cli.arguments import GENERAL, Command, CommandCall, Option, nearest, usage
from overspill.cli.commands import commands
from overspill.cli.output import print_answer, write_text
from overspill.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


ABOUT = "spill keeps what tools say inside an agent's context budget, and the rest within reach."

BEGIN = (
    ("spill demo", "what a model sees of a long test run, beside what the tool said"),
    ("make test 2>&1 | spill", "fit what a command says; the first line of the view tells how to fetch the rest"),
    ("spill init claude-code", "set up a coding agent; `spill init --show` names them all, --uninstall undoes it"),
)

# First words of commands, under the headings they are listed by.
GROUPS = (
    ("Texts", ("fit", "run", "redact", "tokens", "page")),
    ("Coding agents and MCP servers", ("init", "hook", "mcp")),
    ("What was kept", ("artifacts", "session")),
    ("Phases that follow each other", ("handoff", "context")),
    (
        "Tasks",
        (
            *("list", "ready", "next", "find", "show", "tree", "add", "update", "claim", "release", "done"),
            *("duplicate", "delete", "archive", "tasks"),
        ),
    ),
    ("Whether it is worth it", ("stats", "report", "ui", "replay", "log")),
    ("Looking after it", ("doctor", "self-test", "config", "fleet", "purge", "demo", "completion", "help")),
)

STATUSES = (
    ("0", "done (a refusal, too)"),
    ("1", "our failure"),
    ("2", "malformed command line, id, range or number"),
    ("3", "file, disk or permission"),
    ("4", "not found"),
    ("5", "missing extra"),
    ("6", "data breaks a rule"),
    ("7", "lock timeout"),
    ("8", "settings"),
    ("20", "checksum"),
    ("21", "quota or rate"),
    ("130", "interrupted"),
)

TOPICS = {
    "views": (
        "how to read what is shown of a long text",
        """The first line is ours: how many lines and characters there were, and the call that fetches the rest.
Everything else is the text itself, but for three forms:

  [... 2406 lines]            so many lines are left out here
  [5997x ~test_{1 .. 99} ok]  so many lines look like this one; what differs stands in braces
  [REDACTED: PASSWORD]        a secret stood here; REDACTED_PASSWORD where brackets would break the text

What is shown and what is left out adds up to the whole, and the budget holds our own words as well. JSON, XML and
CSV stay valid: there, a mark is an element, a comment or a row. `spill fit --explain` says why a line was chosen.""",
    ),
    "fetching": (
        "how to get what was left out",
        """  spill artifacts list                        what is kept, newest first
  spill artifacts show art_4kq2mz --lines 41-902   some lines; also --bytes and --query '$.items[3]'
  spill artifacts search 'timed out'          where it stands, in all that is kept
  spill artifacts export art_4kq2mz log.txt   the whole

An id may be cut down to `art_` and six characters, as views show it. Models fetch by the tools get_artifact,
search_artifacts and list_artifacts, which `spill init` sets up. What a session kept goes when it has ended;
`spill artifacts keep ID` lets one stay.""",
    ),
    "budgets": (
        "how much is shown, and how to change it",
        """A result gets 8,000 characters in an agent. More or less, for once, for a tool, or for good:

  spill fit build.log --limit 4000            or --tokens 1000
  OVERSPILL_TOOLS__TRUNCATION__INLINE_LIMIT=4000 ...

  # .agent/config.yml
  tools.truncation.inline_limit: 6000
  tools.truncation.overrides:
    execute_command: {strategy: tail, inline_limit: 5000}

`spill stats` names the limits that are too tight: those whose rest was fetched soon after.""",
    ),
    "secrets": (
        "what is hidden, and what to do when too much or too little is",
        """Passwords, keys and tokens are replaced before anything is shown, kept or logged.

  spill redact build.log > safe.log           any text without its secrets
  spill redact .env --why > /dev/null         rule, line and reason of each, never the secret itself

Rules of your own stand under `redaction.rules` in the settings, values to leave alone under `redaction.allow`.""",
    ),
    "settings": (
        "where they stand and which wins",
        """Later ones win: the preset, ~/.config/overspill/config.yml, .agent/config.yml of the project, OVERSPILL_*
in the environment, options of a command. A project that you do not list under `trust` may tighten limits and weaken
nothing.

  spill config init                           a commented file to begin with
  spill config show --origin                  every value, and where it comes from
  spill config check                          what is wrong with the files

OVERSPILL_REDACTION__GENERIC=all is the setting redaction.generic: two underscores between the levels.""",
    ),
    "status": (
        "what the exit statuses mean",
        "\n".join(f"  {status:<4} {meaning}" for status, meaning in STATUSES)
        + "\n\n`spill run` ends with the status of its command, and `spill hook` always with 0.",
    ),
}

PROGRAMS = ("spill", "acode")


def run(call: CommandCall) -> int:
    """Say what there is to know of a topic, a command, a group of commands, or of all."""
    words = " ".join(call.arguments)
    text = page_of(words)
    print_answer(call, "help", {"topic": words, "text": text}, text)
    return 0


def page_of(words: str) -> str:
    """The page of a topic or of a command, by its name."""
    if not words:
        return overview(commands())
    if words in TOPICS:
        title, page = TOPICS[words]
        return f"{words}: {title}\n\n{page}\n"
    chosen = [command for command in commands() if command.name == words or command.words[0] == words]
    if not chosen:
        known = [*TOPICS, *(command.name for command in commands())]
        raise UsageError(f"no help on {words[:100]!r}{nearest(words, known)}; topics: {', '.join(TOPICS)}")
    return command_help(chosen[0]) if chosen[0].name == words else overview(chosen)


def help_text(call: CommandCall) -> str:
    """What `--help` says: of one command, of a group, or of all."""
    return command_help(call.command) if call.command else page_of(call.word)


def first_words() -> str:
    """What to begin with."""
    more = (("spill help", "all commands"), ("spill help TOPIC", f"one of: {', '.join(TOPICS)}"))
    return "\n".join([ABOUT, "", "Begin with:", *_columns(BEGIN), "", "Then:", *_columns(more)]) + "\n"


def overview(chosen: Sequence[Command]) -> str:
    """The commands, by groups, with what all of them take."""
    lines = [ABOUT, *_groups(chosen), "", "Options for every command:", *_options(GENERAL), "", "Examples:"]
    lines += [f"  {command.examples[0]}" for command in chosen if command.examples]
    lines += ["", "`spill COMMAND --help` says more about one of them; topics of `spill help TOPIC`:"]
    lines += _columns((name, title) for name, (title, _) in TOPICS.items())
    return "\n".join(lines) + "\n"


def _groups(chosen: Sequence[Command]) -> Iterator[str]:
    width = max(len(command.name) for command in chosen)
    for heading, words in GROUPS:
        rows = [(command.name, command.summary) for command in chosen if command.words[0] in words]
        if rows:
            yield from ("", f"{heading}:", *_columns(rows, width))


def command_help(command: Command) -> str:
    """What a caller should know of one command."""
    lines = [f"spill {command.name}: {command.summary}", "", f"Usage: {usage(command)}"]
    if command.detail:
        lines += ["", command.detail]
    if command.options:
        lines += ["", "Options:", *_options(command.options)]
    lines += ["", "Options for every command:", *_options(GENERAL), "", "Examples:"]
    lines += [f"  {example}" for example in command.examples]
    return "\n".join(lines) + "\n"


def _options(options: Sequence[Option]) -> list[str]:
    return _columns((f"{option.name} {option.value}".strip(), option.help) for option in options)


def _columns(rows: Iterable[tuple[str, str]], least: int = 0) -> list[str]:
    table = list(rows)
    width = max((len(left) for left, _ in table), default=0)
    return [f"  {left:<{max(width, least)}}  {right}".rstrip() for left, right in table]


def completion(call: CommandCall) -> int:
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
