"""Commands for tasks, for lists of any kind, and for what one phase hands over to the next."""

from __future__ import annotations

from overspill.cli.arguments import (
    Command,
    Option,
    duration,
    moment,
    natural_number,
    one_of,
    positive_number,
    whole_number,
)
from overspill.cli.commands import FEWER, ITEMS, PAGED, SKIP

MANY = 1_000  # tasks that one command may name

AS = Option("--as", "NAME", "who does it (default: OVERSPILL_AS, else the session's name, else your user name)")
FOR = Option("--for", "TIME", "how long it is claimed, such as 30m, 2h or 1d (default: 2h)", duration)
FIELDS = (
    Option("--description", "TEXT", "what it is about"),
    Option("--notes", "TEXT", "a note; given more than once, each is one", many=True),
    Option("--priority", "P", "critical, high, medium or low"),
    Option("--type", "T", "epic, task or subtask"),
    Option("--parent", "ID", "the task it is a part of"),
    Option("--phase", "NAME", "the phase of the work it belongs to"),
    Option("--label", "WORD", "a label; given more than once, each is one", many=True),
    Option("--depends", "ID", "a task that has to be done first; given more than once, each is one", many=True),
    Option("--acceptance", "TEXT", "what has to hold when it is done; given more than once, each is one", many=True),
    Option("--file", "PATH", "a file it touches; given more than once, each is one", many=True),
    Option("--verification", "TEXT", "how it was, or will be, verified"),
    Option("--reason", "TEXT", "why it is as it is: done, cancelled, blocked"),
)
# Single values of a list, added or taken away.
PARTS = tuple(
    Option(f"--{verb}-{name}", value, f"{help_} {what}; may be repeated", many=True)
    for verb, help_ in (("add", "add"), ("remove", "take away"))
    for name, value, what in (
        ("label", "WORD", "one label"),
        ("depends", "ID", "one task that has to be done first"),
        ("acceptance", "TEXT", "one thing that has to hold"),
        ("file", "PATH", "one file"),
    )
)
STATUS = Option("--status", "S", "pending, active, blocked, done or cancelled")
FILTERS = (
    Option("--parent", "ID", "only the children of this task"),
    Option("--label", "WORD", "only those with this label; given more than once, with all of them", many=True),
    Option("--phase", "NAME", "only those of this phase"),
    Option("--type", "T", "only epics, tasks or subtasks"),
    Option("--priority", "P", "only those of this priority"),
)
MORE_FILTERS = (
    Option("--status", "S", "only pending, active, blocked, done or cancelled ones; may be repeated", many=True),
    *FILTERS,
    Option("--assignee", "NAME", "only those that this one has"),
    Option("--since", "TIME", "only those that were changed since a date or a time, or in the last 2h, 3d, 1w", moment),
    Option("--stale", "TIME", "only open ones that were not changed since", moment),
)
SEVERAL = "Several ids may be given: all of it is done, or, if something stands against it, nothing."

TASKS = (
    Command(
        ("list",),
        "overspill.cli.tasks:list_",
        "the tasks, open work first, a page at a time",
        options=(
            *MORE_FILTERS,
            Option(
                "--sort",
                "BY",
                "open (the default: open work first, then by id), priority (the same, by priority, then by age), "
                "id, created or updated (the last first)",
                one_of("open", "priority", "id", "created", "updated"),
            ),
            *PAGED,
        ),
        examples=(
            "spill list",
            "spill list --status pending --label auth",
            "spill list --parent T1 --json",
            "spill list --stale 3d --sort updated",
        ),
    ),
    Command(
        ("ready",),
        "overspill.cli.tasks:ready",
        "what can be begun: nothing before it is open and nobody has it; by priority, then by age",
        options=(*FILTERS, *PAGED),
        examples=("spill ready", "spill ready --label auth --limit 3"),
        detail="A task is not ready while something it depends on is open, or something its parent depends on, or\n"
        "a part of it, or while somebody has claimed it.",
    ),
    Command(
        ("next",),
        "overspill.cli.tasks:next_",
        "the task to begin with; with --claim it is yours, and nobody else's",
        options=(*FILTERS, Option("--claim", help="take it: of any number of processes, one gets it"), AS, FOR),
        examples=("spill next", "spill next --claim --as worker-3 --for 30m --json"),
        detail="Status 4 if nothing is ready. What is claimed is given back when its time is over; `spill claim ID`\n"
        "by the one who has it makes it longer.",
    ),
    Command(
        ("find",),
        "overspill.cli.tasks:find",
        "tasks by what they say, the best match first; with `--in artifacts`, what was kept",
        "QUERY",
        1,
        (
            Option("--in", "WHERE", "tasks (the default) or artifacts"),
            Option("--archived", help="look in the archive"),
            *MORE_FILTERS,
            *PAGED,
        ),
        (
            'spill find "log in"',
            "spill find authentification --status pending --json",
            "spill find timeout --in artifacts",
        ),
        "Looks at ids, titles, labels, descriptions, notes, acceptance, files, verification and reasons, for words\n"
        "and the beginnings of words. A word that nothing has is taken for a slip, and the nearest one is looked for.",
    ),
    Command(
        ("show",),
        "overspill.cli.tasks:show",
        "all that is known of tasks, of an artifact or of a session",
        "ID...",
        MANY,
        (
            Option("--limit", "N", "at most so many characters (default: the retrieval limit; 0: all)", natural_number),
            Option("--offset", "N", "leave out this many characters from the start", natural_number),
        ),
        ("spill show T12", "spill show T12 T13 --json", "spill show art_1699234567890_a1b2c3", "spill show my-session"),
    ),
    Command(
        ("tree",),
        "overspill.cli.tasks:tree",
        "a task with its parts and what it waits for, and so on",
        "ID",
        1,
        (Option("--up", help="the other way: what waits for it, and what it is a part of"), ITEMS, SKIP, FEWER),
        ("spill tree T1", "spill tree T9 --up --json"),
    ),
    Command(
        ("add",),
        "overspill.cli.tasks_change:add",
        "a new task, and its id",
        "TITLE|-",
        1,
        (*FIELDS, STATUS, AS),
        (
            'spill add "Log in with a passkey" --label auth --priority high',
            'spill add "Write the test" --parent T1 --depends T2 --acceptance "it fails without the change"',
            'echo \'{"title": "Log out", "labels": ["auth"]}\' | spill add -',
        ),
        "With - it reads tasks as JSON from standard input, an object each; all of them are added, or none.",
    ),
    Command(
        ("update",),
        "overspill.cli.tasks_change:update",
        "change tasks",
        "ID...",
        MANY,
        (
            Option("--title", "TEXT", "its title"),
            *FIELDS,
            *PARTS,
            STATUS,
            Option("--clear", "FIELD", "forget a field, such as parent, phase, label or depends", many=True),
            Option("--force", help="though something is open below it, or somebody else has claimed it"),
            AS,
        ),
        (
            "spill update T3 --status active --notes 'the token expires too early'",
            "spill update T3 T4 --add-label auth --remove-depends T2",
            "spill update T3 --clear depends",
        ),
        f"--label, --depends, --acceptance and --file replace what was there; notes are added to it. {SEVERAL}",
    ),
    Command(
        ("claim",),
        "overspill.cli.tasks_change:claim",
        "take tasks, or keep them for longer; nobody else can take them then",
        "ID...",
        MANY,
        (AS, FOR, Option("--force", help="though somebody else has it")),
        ("spill claim T3 --as worker-3 --for 30m", "spill claim T3 --for 4h"),
        SEVERAL,
    ),
    Command(
        ("release",),
        "overspill.cli.tasks_change:release",
        "give tasks back, so that others can take them",
        "ID...",
        MANY,
        (AS, Option("--force", help="though somebody else has it")),
        ("spill release T3",),
        SEVERAL,
    ),
    Command(
        ("done",),
        "overspill.cli.tasks_change:done",
        "tasks are done",
        "ID...",
        MANY,
        (
            Option("--reason", "TEXT", "why, or how"),
            Option("--force", help="though it has open children, waits for something, or is claimed by another"),
            AS,
        ),
        ("spill done T3", "spill done T3 T4 --reason 'merged in 1a2b3c'"),
        SEVERAL,
    ),
    Command(
        ("duplicate",),
        "overspill.cli.tasks_change:duplicate",
        "tasks say what another one says: they are cancelled, and name it",
        "ID...",
        MANY,
        (Option("--of", "ID", "the one that stays"), AS),
        ("spill duplicate T8 T9 --of T3",),
    ),
    Command(
        ("delete",),
        "overspill.cli.tasks_change:delete",
        "remove tasks for good; what happened to them stays in `spill log ID`",
        "ID...",
        MANY,
        (Option("--force", help="though others wait for it or are parts of it"), AS),
        ("spill delete T8", "spill delete T8 T9 --force"),
        f"`spill archive` puts a task away and loses nothing. {SEVERAL}",
    ),
    Command(
        ("archive",),
        "overspill.cli.tasks_change:archive",
        "put a closed task away, with its children; without an id, what was put away",
        "[ID]",
        1,
        (Option("--undo", help="bring it back"), AS, *PAGED),
        ("spill archive T3", "spill archive", "spill archive T3 --undo"),
        "Nothing is lost: `show` still shows it, and `find --archived` finds it.",
    ),
    Command(
        ("tasks", "export"),
        "overspill.cli.tasks_change:export",
        "every task as a line of JSON, with its id, its notes and who changed what when",
        "[FILE|-]",
        1,
        (Option("--force", help="replace a file that is there"),),
        ("spill tasks export > tasks.ndjson", "spill tasks export backup.ndjson"),
    ),
    Command(
        ("tasks", "import"),
        "overspill.cli.tasks_change:import_",
        "take in tasks that were exported here or elsewhere, also by `bd` and task-master",
        "FILE|-",
        1,
        (AS,),
        (
            "spill tasks import tasks.ndjson",
            "spill tasks import .beads/issues.jsonl",
            "spill tasks import .taskmaster/tasks/tasks.json",
        ),
        "A task that is here already is merged: of every field, and of every label, note and dependency, the later\n"
        "change holds. All of the file is taken in, or, if something in it is wrong, nothing.",
    ),
    Command(
        ("tasks", "sync"),
        "overspill.cli.tasks_change:sync",
        "keep the tasks in a file that can be committed: take in what it has, write what is here",
        "FILE",
        1,
        (AS,),
        ("spill tasks sync tasks.ndjson", "git pull; spill tasks sync tasks.ndjson; git commit -m tasks tasks.ndjson"),
        "Clones and worktrees share their tasks through it. Conflicts of git in it may stay: both sides are taken in.\n"
        "`tasks.ndjson merge=union` in .gitattributes avoids them. Of two tasks with one id the older keeps it.",
    ),
    Command(
        ("log",),
        "overspill.cli.session:log",
        "what happened, newest first, as the journal has it; of a task: field, from, to, who, when",
        "[ID]",
        1,
        (
            Option("--event", "NAME", "only events of this name; may be repeated", many=True),
            Option("--full", help="with process and version, with what is empty, and with long values whole"),
            *PAGED,
        ),
        ("spill log", "spill log T7", "spill log --event create --limit 5 --json"),
    ),
)


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
            Option(
                "--status",
                "S",
                "completed, time_boxed or failed (default: completed)",
                one_of("completed", "time_boxed", "failed"),
            ),
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
        "overspill.cli.handoff:context",
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

COMMANDS = (*TASKS, *LISTS, *HANDOFFS)
