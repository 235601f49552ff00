"""Commands for what is kept, and for the sessions it is kept in."""

from __future__ import annotations

from overspill.cli.arguments import Command, Option, line_range, natural_number, number_range
from overspill.cli.commands import AS_OF, PAGED

ARTIFACTS = (
    Command(
        ("artifacts", "list"),
        "overspill.cli.artifacts:list_",
        "what is kept, newest first",
        options=(Option("--long", help="also how old it is, what the model saw of it, and how it begins"), *PAGED),
        examples=("spill artifacts list", "spill artifacts list --long", "spill artifacts list --limit 0 --json"),
    ),
    Command(
        ("artifacts", "info"),
        "overspill.cli.artifacts:info",
        "what is known of one artifact: type, size, source, path",
        "ID",
        1,
        examples=("spill artifacts info art_1699234567890_a1b2c3",),
    ),
    Command(
        ("artifacts", "show"),
        "overspill.cli.artifacts_show:run",
        "the text of an artifact, or some lines, bytes or values of it",
        "ID",
        1,
        (
            Option(
                "--lines",
                "A-B",
                "lines A to B, counted from 1, both included; also A, A- and -N (the last N)",
                line_range,
            ),
            Option("--bytes", "A-B", "bytes A up to B, counted from 0, widened to whole characters", number_range),
            Option("--query", "JSONPATH", "the values that a JSONPath (RFC 9535) selects, as one JSON array"),
            Option("--pretty", help="draw JSON on many lines; --lines then counts those"),
            Option(
                "--limit",
                "N",
                "at most this many characters, or values (default: the retrieval limit; 0: all)",
                natural_number,
            ),
            Option("--offset", "N", "leave out this many characters, or values, from the start", natural_number),
        ),
        (
            "spill artifacts show art_1699234567890_a1b2c3 --lines 41-902",
            "spill artifacts show art_1699234567890_a1b2c3 --bytes 0-10240",
            "spill artifacts show art_1699234567890_a1b2c3 --query '$.users[?@.id==42].name'",
            "spill artifacts show art_1699234567890_a1b2c3 --pretty --lines 41-80",
        ),
        "Writes the text and nothing else. When there is more, the call for the next page is said on standard error.\n"
        "At a terminal, without --limit, all of it is shown in `PAGER`, or in less; `PAGER=cat` does not.\n"
        "NDJSON is asked as the array of its records: --query '$[?@.level==\"error\"]'.",
    ),
    Command(
        ("artifacts", "search"),
        "overspill.cli.artifacts_search:run",
        "the lines in which a text stands, in one artifact or in all",
        "PATTERN [ID]",
        2,
        (
            Option("--regex", help="take the pattern as a regular expression of RE2; a match lies within one line"),
            Option("--ignore-case", help="let small letters match capitals; also -i"),
            Option("-i", help="the same as --ignore-case"),
            Option("--context", "N", "show this many lines before and after each match; also -C", natural_number),
            Option("-C", "N", "the same as --context", natural_number),
            Option(
                "--limit", "N", "show at most this many matches (default: 10; 0: all); all are counted", natural_number
            ),
            Option("--offset", "N", "leave out this many matches from the start", natural_number),
            AS_OF,
        ),
        (
            "spill artifacts search 'connection refused'",
            "spill artifacts search --regex 'took=[0-9]{4,}ms' art_1699234567890_a1b2c3 -C 2",
        ),
        "Prints like `grep -n`. Of a very long line the part around the match is shown, with its column and bytes.\n"
        "A pattern that begins with a dash goes behind `--`.",
    ),
    Command(
        ("artifacts", "put"),
        "overspill.cli.artifacts_put:run",
        "keep a text and print its id",
        "[FILE|-]",
        1,
        (
            Option("--tool", "T", "the tool that said it"),
            Option("--type", "MIME", "its media type (default: by its name and content)"),
            Option("--source", "S", "where it comes from: a command, an address (default: the file's name)"),
            Option("--binary", help="keep bytes that are no text, too, exactly as they are, secrets and all"),
        ),
        ("id=$(git log | spill artifacts put --source 'git log')", "spill artifacts put build.log --tool bash"),
        "The text is cleaned and its secrets are replaced, like everything that is kept. Bytes that are no text are\n"
        "refused without --binary: they cannot be searched for secrets. `artifacts export` gives them back.\n"
        "A text with binary stretches in it is kept as a text in which they are counted.",
    ),
    Command(
        ("artifacts", "export"),
        "overspill.cli.artifacts:export",
        "write an artifact to a file, or with - to standard output",
        "ID FILE|-",
        2,
        (Option("--force", help="replace a file that is there; a link is never followed"),),
        ("spill artifacts export art_1699234567890_a1b2c3 output.json",),
    ),
    Command(
        ("artifacts", "keep"),
        "overspill.cli.artifacts:keep",
        "let an artifact outlast its session, quotas and `clean`",
        "ID",
        1,
        examples=("spill artifacts keep art_1699234567890_a1b2c3",),
    ),
    Command(
        ("artifacts", "rm"),
        "overspill.cli.artifacts:rm",
        "remove one artifact, kept or not",
        "ID",
        1,
        examples=("spill artifacts rm art_1699234567890_a1b2c3",),
    ),
    Command(
        ("artifacts", "clean"),
        "overspill.cli.artifacts:clean",
        "remove the artifacts of this session",
        options=(Option("--force", help="those of every session of the root, kept or in use"),),
        examples=("spill artifacts clean", "spill artifacts clean --force"),
    ),
    Command(
        ("artifacts", "sweep"),
        "overspill.cli.artifacts:sweep",
        "remove sessions that are over, and what crashed processes left",
        examples=("spill artifacts sweep",),
    ),
)


ABOUT = (
    Option("--scope", "TEXT", "what the session is about"),
    Option("--focus", "ID", "the task it works on"),
    Option("--note", "TEXT", "a note; given more than once, each is one", many=True),
)

SESSIONS = (
    Command(
        ("session", "start"),
        "overspill.cli.session:start",
        "begin a session; it takes the place of the root's own until it is ended",
        "[NAME]",
        1,
        ABOUT,
        ("spill session start refactoring", "spill session start login --scope epic:T1 --focus T5"),
    ),
    Command(
        ("session", "end"),
        "overspill.cli.session:end",
        "end a session and remove what it kept; what other named ones kept stays for a day",
        "[NAME]",
        1,
        examples=("spill session end refactoring",),
        detail="`session list` and `session show` have it, with its times, scope and notes, until\n"
        "`sessions.keep_ended` is over.",
    ),
    Command(
        ("session", "list"),
        "overspill.cli.session:list_",
        "the sessions of the root, the newest first",
        options=PAGED,
        examples=("spill session list",),
    ),
    Command(
        ("session", "show"),
        "overspill.cli.session:show",
        "one session, by its name or id; the one in use if none is named",
        "[NAME|ID]",
        1,
        examples=("spill session show",),
    ),
    Command(
        ("session", "update"),
        "overspill.cli.session:update",
        "say what a session is about: scope, the task in focus, notes",
        "[NAME|ID]",
        1,
        ABOUT,
        ("spill session update --focus T7 --note 'the parser is done'",),
    ),
)

COMMANDS = (*ARTIFACTS, *SESSIONS)
