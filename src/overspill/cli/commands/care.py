"""Commands for what is kept, and those that look after an installation, its settings, MCP clients and a fleet."""

from __future__ import annotations

from overspill.cli.arguments import Command, Option, line_range, natural_number, number_range, one_of, port_number
from overspill.cli.commands import ANY_NUMBER, AS_OF, FAILED_TO_RUN, PAGED

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
        "overspill.cli.artifacts_show:show",
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
        "overspill.cli.artifacts_show:search",
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
        "overspill.cli.artifacts:put",
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


GROUPS = ("day", "tool", "session", "project", "agent")


def token_prices(word: str) -> object:
    """Prices of tokens; what reads them is loaded where there are some."""
    from overspill.cli.worth import read_prices

    return read_prices(word)


CARE = (
    Command(
        ("doctor",),
        "overspill.cli.doctor:run",
        "whether everything works here; status 1 if something does not",
        "[ID|CALL|last]",
        1,
        (Option("--why-not", help="why the last results, or one artifact or call, are not kept"),),
        ("spill doctor", "spill doctor --json", "spill doctor --why-not last"),
        "Looks and changes nothing. Every line that says `wrong` is followed by the command that mends it.",
    ),
    Command(
        ("self-test",),
        "overspill.cli.doctor:self_test",
        "try this installation in a temporary place, in a few seconds; status 1 if something does not work",
        examples=("spill self-test", "uvx --from overspill spill self-test"),
        detail="Fits a made-up log, fetches parts of it, looks for a made-up password in every file, speaks with the\n"
        "MCP server as a client would, sends each agent's event to its hook, and removes everything again.",
    ),
    Command(
        ("stats",),
        "overspill.cli.stats:run",
        "whether it is worth it: what was shown, fetched and spared against the host, and which limits are too tight",
        options=(
            Option("--day", help="the last 24 hours, of all sessions"),
            Option("--all", help="all sessions (default: the session in use; the root's own sees all)"),
            Option("--all-projects", help="all sessions of every root of yours in which something was kept"),
            Option("--by", "WHAT", "a row a day, tool, session, project or agent (default: tool)", one_of(*GROUPS)),
            Option("--tool", "T", "one tool only"),
            Option(
                "--prices",
                "P",
                "what a million tokens cost you: FRESH, or FRESH,CACHE_WRITE,CACHE_READ; else `stats.prices`",
                token_prices,
            ),
            Option("--watch", help="print it anew whenever something was logged, until interrupted"),
            Option("--prometheus", help="as Prometheus reads it, of all sessions"),
            Option("--line", help="one line, for a prompt or a status bar"),
            Option("--context", help="of hand-offs instead: how well each phase's budget of tokens fits"),
            Option("--export", "PLACE", "write sums, without names, to a file, to - or into a bucket"),
            Option("--merge", "PLACE", "add up such files, or all in a bucket; may be given more than once", many=True),
        ),
        examples=(
            "spill stats",
            "spill stats --all --export s3://agents/sums",
            "spill stats --merge s3://agents/sums --merge laptop.json",
            "spill stats --day --tool bash",
            "spill stats --all-projects --by agent --prices 3,3.75,0.30",
            "spill stats --context",
        ),
        detail="Adds up the journal below `.acode/logs/`, as far back as its files go. It holds sizes and names and\n"
        "never content. Columns, in tokens: what tools said, what the host would have shown of it by itself (n/a\n"
        "where that is not known), what was shown, what was fetched later or run again, and what our own tools'\n"
        "descriptions take. Net is host less the last three, and may be negative. A view whose artifact was\n"
        "fetched within ten minutes counts as cut too short.",
    ),
    Command(
        ("report",),
        "overspill.cli.report:report",
        "a page that shows what the model saw, and whether it was worth it, as one file",
        "[SESSION]",
        1,
        (
            Option("-o", "FILE", "where to write it; `-` is standard output (default: report.html)"),
            Option("--output", "FILE", "the same as -o"),
            Option("--with-texts", help="put commands and the texts of artifacts into it"),
            Option(
                "--fleet",
                "PLACE",
                "show a fleet: files of `stats --export`, or a bucket of them; may be repeated",
                many=True,
            ),
        ),
        (
            "spill report",
            "spill report -o session.html",
            "spill report --with-texts -o full.html",
            "spill report --fleet s3://agents/sums",
        ),
        "The file asks nobody for anything: style, scripts and data are in it. Without --with-texts it holds sizes,\n"
        "positions and names of tools, and no text of any result. Without SESSION it shows all sessions that can be\n"
        "seen from the one in use.",
    ),
    Command(
        ("ui",),
        "overspill.cli.report:serve",
        "the page of `spill report`, live, for a browser on this machine",
        "[SESSION]",
        1,
        (
            Option("--port", "N", "which one (default: a free one)", port_number),
            Option("--open", help="open it in a browser"),
        ),
        ("spill ui", "spill ui --open"),
        "Listens on 127.0.0.1 alone; the address that is printed holds a token, without which nothing is answered.\n"
        "It reads and changes nothing. Ctrl-C ends it.",
    ),
    Command(
        ("replay",),
        "overspill.cli.report:replay",
        "what would have been cut in sessions that are over, what of it was used, and what it would spare",
        "[PATH...]",
        ANY_NUMBER,
        (Option("--names", help="name some of what was used and would not have been shown"),),
        ("spill replay", "spill replay ~/.claude/projects/-srv-app --names", "spill replay . --json"),
        "Reads transcripts of Claude Code and Codex (a file, or all below a directory; without one, those of the\n"
        "user), or the journal of a root, and changes nothing. Each result is fitted by the settings in force and\n"
        "put beside what the agent showed. A name or number counts as used if it first appeared in a result that\n"
        "would have been cut, and the model says it in its next ten steps.",
    ),
    Command(
        ("purge",),
        "overspill.cli.artifacts:purge",
        "remove every artifact and session below the root; with --all tasks, journal and hand-offs as well",
        options=(
            Option("--all", help="tasks, the journal and hand-offs, too: nothing of ours is left but settings"),
            Option("--everywhere", help="artifacts and sessions below every root of yours"),
            Option("--yes", help="really; without it, only say what would be removed"),
        ),
        examples=("spill purge", "spill purge --yes", "spill purge --all --yes"),
    ),
    Command(
        ("demo",),
        "overspill.cli.report:demo",
        "what the model sees, beside what the tool said",
        examples=("spill demo",),
    ),
    Command(
        ("completion",),
        "overspill.cli.help:completion",
        "a script that lets a shell complete commands and options",
        "bash|zsh|fish",
        1,
        examples=("source <(spill completion bash)", "spill completion fish > ~/.config/fish/completions/spill.fish"),
    ),
    Command(
        ("help",),
        "overspill.cli.help:run",
        "what a command does, or what one has to know of a topic",
        "[TOPIC|COMMAND...]",
        ANY_NUMBER,
        examples=("spill help", "spill help fetching", "spill help artifacts show"),
    ),
)


SETTINGS = (
    Command(
        ("config", "show"),
        "overspill.cli.config:show",
        "the settings in force",
        options=(Option("--origin", help="say where each value comes from"),),
        examples=("spill config show --origin",),
    ),
    Command(
        ("config", "check"),
        "overspill.cli.config:check",
        "read the settings files and say what is wrong with them",
        examples=("spill config check --config ci.yml",),
    ),
    Command(
        ("config", "init"),
        "overspill.cli.config:init",
        "write a commented settings file",
        options=(
            Option("--profile", "P", "a starting point: see `spill config init --help`"),
            Option("--force", help="replace a file that is there"),
        ),
        examples=("spill config init --profile small-window",),
    ),
    Command(
        ("config", "path"),
        "overspill.cli.config:path",
        "which settings files are read, and whether they are there",
        examples=("spill config path",),
    ),
)


PROTOCOL = (
    Command(
        ("mcp", "serve"),
        "overspill.cli.mcp:serve",
        "an MCP server that gives models what is kept: get_artifact, search_artifacts, list_artifacts",
        options=(
            Option(
                "--tasks",
                help="and the tasks, to be found, taken and changed: list_tasks, ready_tasks, find_tasks, show_task, "
                "claim_task, update_task, add_task",
            ),
            Option("--handoffs", help="and what earlier phases left: get_phase_context"),
            Option("--http", help="listen on a port of this machine instead of standard input"),
            Option("--port", "N", "which one (default: a free one, said on standard error)", port_number),
            Option("--token", "T", "the bearer token a client must send (default: OVERSPILL_MCP_TOKEN, or a new one)"),
        ),
        examples=(
            "spill mcp serve",
            "claude mcp add overspill -- spill mcp serve",
            "spill mcp serve --http --port 8765",
        ),
        detail="Speaks the protocol on standard input and output, in both its eras, until the client hangs up.",
    ),
    Command(
        ("mcp", "proxy"),
        "overspill.cli.mcp:proxy",
        "stand in front of an MCP server and fit its tool results",
        "[--] CMD...",
        ANY_NUMBER,
        (
            Option("--url", "URL", "a server on streamable HTTP instead of a command"),
            Option("--header", "NAME:VALUE", "send this header to it; may be given more than once", many=True),
            Option("--allow", "TOOL", "offer only these of its tools; may be given more than once", many=True),
            Option("--deny", "TOOL", "do not offer these; may be given more than once", many=True),
            Option("--hints", help="let models set _budget and _focus on every tool"),
        ),
        (
            "spill mcp proxy -- npx -y @modelcontextprotocol/server-filesystem .",
            "claude mcp add git -- spill mcp proxy -- uvx mcp-server-git",
            "spill mcp proxy --url http://127.0.0.1:8000/mcp --deny delete_everything",
        ),
        "Touches only the results of tools: texts are fitted and redacted, structured results stay valid by the\n"
        "tool's schema, and the tools that fetch the rest are added to the server's own. Everything else passes as\n"
        "the bytes it came as.",
        rest=True,
        failure=FAILED_TO_RUN,
    ),
)

FLEET = (
    Command(
        ("fleet", "init"),
        "overspill.cli.fleet:init",
        "make the tables of `fleet.database`, and let a database role use them",
        options=(
            Option("--role", "NAME", "the role that pods connect with (default, the first time: that of the address)"),
            Option("--tenant", "NAME", "the one tenant that the role may use (default: every tenant)"),
        ),
        examples=("spill fleet init", "spill fleet init --role acme_app --tenant acme"),
        detail="The role of the address owns the tables. It may be run again, and by many at once: what is there\n"
        "stays. A role that may use one tenant alone is held to it by the server, whatever program it runs.",
    ),
    Command(
        ("fleet", "migrate"),
        "overspill.cli.fleet:migrate",
        "bring the tables of `fleet.database` up to date, whoever else does so at this moment",
        examples=("spill fleet migrate", "spill fleet migrate --json"),
    ),
    Command(
        ("fleet", "check"),
        "overspill.cli.fleet:check",
        "try everything a bucket and a database have to do; what is written for that is removed again",
        examples=("spill fleet check", "OVERSPILL_TENANT=acme spill fleet check --json"),
        detail="Of the bucket: objects that are created once, ranges, lists, removal, its clock; it writes below\n"
        "v1/<tenant>/check. Of the database: whether it is reached and migrated, keeps tenants apart, has the right\n"
        "time, and writes down what it acknowledges. What fails is told with what to do next. Exit status 3 then.",
    ),
    Command(
        ("fleet", "status"),
        "overspill.cli.fleet:status",
        "what is in the database, what of its quota a tenant uses, what is owed to the bucket, and what is there",
        examples=("spill fleet status", "spill fleet status --json"),
    ),
    Command(
        ("fleet", "push"),
        "overspill.cli.fleet:push",
        "send what is owed to the bucket, of every session of this root",
        examples=("spill fleet push",),
        detail="What was kept while the bucket did not answer, or by processes that died. Also before a pod ends.",
    ),
    Command(
        ("fleet", "rules"),
        "overspill.cli.fleet:rules",
        "the lifecycle rule and the policy of a tenant, for the bucket's administration",
        options=(
            Option("--for", "CLOUD", "s3, gs or az (default: that of `artifacts.store`)"),
            Option("--longest", "DURATION", "how long the longest session may live (default: 30d)"),
        ),
        examples=("spill fleet rules", "spill fleet rules --for gs --longest 7d"),
    ),
)

COMMANDS = (*ARTIFACTS, *SESSIONS, *CARE, *SETTINGS, *PROTOCOL, *FLEET)
