"""Commands for lists of any kind, and for what one phase hands over to the next."""

from __future__ import annotations

from overspill.cli.arguments import Command, Option, natural_number, one_of, positive_number, whole_number
from overspill.cli.commands import ITEMS, PAGED, SKIP

LISTS = (
    Command(
        ("page",),
        "overspill.cli.page:run",
        "some records of a list, one a line: JSON, NDJSON, CSV or TSV, of a file, a pipe or what was kept",
        "[FILE|ID|-]",
        1,
        (
            Option("--key", "A.B", "where the list is in the document: an array, or an object whose members it is"),
            Option("--compact", "WHAT", "task, session, or the fields to keep: id,owner.name,tags[*].label"),
            Option("--where", "FIELD=VALUE", "only records like this, with = != < > or ~ (contains)", many=True),
            Option("--sort", "FIELD", "by this field; -FIELD: the largest first"),
            Option("--command", "NAME", "as many as this command shows: list, session, find, log, archive"),
            *PAGED,
        ),
        (
            "curl -s localhost:8000/users | spill page --key data.users --compact id,name",
            "spill page tasks.json --command list --compact task --json",
            "spill page events.ndjson --where level=error --where user.name~jo --sort -time",
            "spill page people.csv --limit 20 --offset 40",
            "npm ls --json | spill page --key dependencies --compact key,value.version",
        ),
        "What was piped in and does not fit on the page is kept, without its secrets, and `next` names it. Members of\n"
        'an object are {"key": ..., "value": ...}, rows of a table objects by the names in its first row. Secrets are\n'
        "replaced in what is shown. Holds one page, and in the user's cache an index of a long list: later pages\n"
        "are read at once; to sort, one value a record.",
    ),
)


RUN = Option("--run-id", "R", "the run (default: OVERSPILL_RUN_ID)")

HANDOFFS = (
    Command(
        ("handoff", "write"),
        "overspill.cli.handoff:write",
        "leave a hand-off to the phases that follow",
        options=(
            Option("--phase", "N", "the phase that leaves it", positive_number),
            Option(
                "--phase-name", "NAME", "what that phase is called (default: discovery, implementation, validation)"
            ),
            Option("--status", "S", "completed, time_boxed or failed (default: completed)"),
            Option("--goal", "TEXT", "what it is all for"),
            Option("--epic-id", "ID", "the epic it belongs to"),
            Option("--verdict", "NAME=VERDICT", "what a gate said; may be repeated", many=True),
            Option("--artifact", "PATH", "what was produced: a file, or an artifact's id; may be repeated", many=True),
            Option("--artifacts", "PATTERN", "files below the root that were produced, like 'build/**'", many=True),
            Option("--decision", "TEXT", "what was decided; may be repeated", many=True),
            Option("--risk", "TEXT", "what is still open; may be repeated", many=True),
            Option("--narrative", "TEXT", "the story in a few sentences; - reads it from standard input"),
            Option("--summary", "FILE", "a file that holds the story"),
            Option("--from", "FILE", "what the phase left as its result, in JSON; options are added to it"),
            Option("--add", help="add to what the same phase of the same run has left, instead of replacing it"),
            Option("--duration-seconds", "S", "how long it took", natural_number),
            Option("--completed-at", "TIME", "when it ended, in RFC 3339 (default: now)"),
            RUN,
        ),
        examples=(
            "spill handoff write --phase 1 --goal 'add auth' --decision 'use JWT' --risk 'migration downtime'",
            "spill handoff write --phase 1 --add --risk 'the migration locks a table'",
            "spill handoff write --from phase-2-result.json --artifacts 'build/**' --summary notes.md",
            "spill handoff write < handoff.json",
        ),
        detail="Without these options one JSON object is read from standard input; fields beyond ours are kept.\n"
        "Each run has its own files, .agents/rpi/runs/RUN/phase-N-handoff.json; .agents/rpi/phase-N-handoff.json is\n"
        "that of the newest run. What is replaced is kept as an artifact. Secrets are replaced before anything is\n"
        "written.",
    ),
    Command(
        ("handoff", "list"),
        "overspill.cli.handoff:list_",
        "the hand-offs that are there, by phase; status 6 if one cannot be used",
        options=(Option("--run-id", "R", "only those of this run"), ITEMS, SKIP),
        examples=("spill handoff list", "spill handoff list --run-id example --json"),
    ),
    Command(
        ("handoff", "show"),
        "overspill.cli.handoff:show",
        "the hand-off of one phase, whole, as JSON",
        "PHASE",
        1,
        (
            Option(
                "--limit", "N", "at most this many characters (default: the retrieval limit; 0: all)", natural_number
            ),
            Option("--offset", "N", "leave out this many characters from the start", natural_number),
            Option("--run-id", "R", "of this run (default: the newest)"),
        ),
        ("spill handoff show 1", "spill handoff show 1 --run-id example"),
    ),
    Command(
        ("context",),
        "overspill.cli.context:run",
        "what the phases before one left to it, within its tokens",
        options=(
            Option("--phase", "N", "the phase that is about to begin", positive_number),
            Option("--run-id", "R", "hand-offs of this run (default: OVERSPILL_RUN_ID, else the latest run)"),
            Option("--all-runs", help="hand-offs of every run"),
            Option("--manifest", "FILE", "what the phase is handed: a manifest in JSON"),
            Option("--max-tokens", "N", "at most this many tokens (0 or less: no limit)", whole_number),
            Option(
                "--drop",
                "MODE",
                "what goes when it is too long: tail, oldest_first or proportional",
                one_of("tail", "oldest_first", "proportional"),
            ),
            Option("--explain", help="say on standard error who got how many tokens, and what was cut"),
        ),
        examples=(
            "spill context --phase 2",
            "spill context --phase 3 --drop oldest_first --explain",
            "spill context --phase 3 --max-tokens 1000 --json",
        ),
        detail="Writes the context and nothing else; nothing if no phase left anything. Status 6 if a hand-off could\n"
        "not be used: it is named on standard error, and the others are handed over.",
    ),
)

COMMANDS = (*LISTS, *HANDOFFS)
