"""What is judged: an output that a tool made, and the facts that somebody who has to act on it needs."""

import json
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from telling import Line, Told

HELD_OUT: dict[str, frozenset[str]] = {
    "held": frozenset(
        {
            "jshint", "luacheck", "oxlint", "pydocstyle", "sqlfluff", "html-validate", "spectral",
            "clang", "esbuild", "pyright", "sass", "svelte-check",
            "ava", "bats", "behave", "busted", "jasmine", "robot", "trial",
            "c8", "cover", "interrogate", "llvm-cov",
            "apt-cache", "aptitude", "gem", "license-checker", "pip-licenses", "pnpm", "yarn",
            "ansible-inventory", "docker-compose", "pyinfra", "systemd-analyze",
            "duckdb", "ldapsearch", "pg_dump",
            "caddy", "dnsmasq", "mosquitto", "slapd", "squid",
            "cProfile", "jmap", "jstack", "py-spy",
            "ip", "nft", "nmap", "tcpdump",
            "7z", "cpio", "getfacl",
            "cat graphql", "cat har", "cat lock", "cat topojson",
            "git shortlog", "git show", "hg", "svn",
        }
    ),
    "third": frozenset(
        {
            "biome", "htmlhint", "phpcs", "typos", "vulture",
            "flow", "pyrefly", "ty",
            "black", "clang-format", "isort", "prettier",
            "flawfinder", "semgrep", "zizmor",
            "cmake", "configure", "vite",
            "google-benchmark", "locust", "redis-benchmark", "siege",
            "bun", "cucumber-js", "gtest", "lit", "meson", "minitest", "zope-testrunner",
            "abidiff", "dis", "nm", "pahole", "wasm-objdump",
            "asan-shelf", "cat node", "java", "panic-shelf", "ruby", "tsan-shelf",
            "callgrind_annotate", "gprof", "kernprof", "ms_print", "pyinstrument",
            "findmnt", "logrotate", "pmap", "ps", "sar", "sysctl",
            "curl", "dig", "iptables-save", "snmpwalk", "sslscan", "wget",
            "lighttpd", "memcached", "named", "rsync", "sshd", "varnishlog",
            "ar", "dpkg-deb", "isoinfo", "rpm", "unsquashfs", "zipinfo",
            "pg_restore", "pg_waldump", "rrdtool", "sqlite3_analyzer",
            "fossil", "git blame", "git ls-tree", "rlog",
            "Rscript", "csvstat", "h5dump", "mlr", "ncdump",
            "exiftool", "ffprobe", "identify", "mediainfo", "ogrinfo",
            "lynx", "man", "pandoc", "pdftotext", "w3m",
            "cat ics", "cat mbox", "cat metrics", "cat proto",
            "apt-rdepends", "depcruise", "jdeps", "madge",
        }
    ),
    "fourth": frozenset(
        {
            "git apply", "git branch", "git format-patch", "git grep", "git merge", "git range-diff", "git status",
            "chktex", "csslint", "doc8", "jscpd", "pycodestyle", "tidy", "zuban", "g++", "rustc",
            "lizard", "radon",
            "doctest", "elixir", "newman", "nose2", "qunit", "tclsh",
            "ant", "concurrently", "gitlab-ci-local", "honcho", "mvn", "ninja", "pre-commit", "scons", "tox", "turbo",
            "lua", "perl", "php",
            "apt", "aws", "http", "pip-compile", "scrapy",
            "alembic", "manage.py", "sqlite-utils",
            "apt-config", "gcc", "mariadbd", "cat toml",
            "cat bash_completion", "cat css", "cat java", "cat lua", "cat m", "cat php", "cat pm", "cat rb", "cat rs",
            "cat sql",
            "cat html", "info", "perldoc", "pydoc",
        }
    ),
    "fifth": frozenset(
        {
            "ansible-lint", "codespell", "cpplint", "cspell", "deptry", "djlint", "hadolint", "pyflakes", "redocly",
            "solhint", "standard",
            "cython", "erlc", "mcs", "ocamlc", "protoc", "valac", "verilator",
            "check-shelf", "cram", "erl", "green", "lab", "poku", "shunit2", "uvu", "ward",
            "bmake", "doit", "grunt", "luigi", "mkdocs", "nox", "snakemake",
            "ag", "brz", "git reflog", "patch", "rclone", "sha256sum",
            "bash", "cg_annotate", "docstr-coverage", "gcov", "ipset", "javap", "keytool", "ubsan-shelf",
            "cat cpp", "celery", "check-jsonschema", "mariadb-dump", "pt-query-digest", "supervisord",
        }
    ),
    "sixth": frozenset(
        {
            "apt-get dist-upgrade", "cargo metadata", "cargo tree", "composer", "debsums", "debtree", "ncu",
            "npm outdated", "npm query", "pip check", "pip show",
            "ansible-config", "augtool", "certtool", "cf-agent", "gixy", "journalctl", "kubectl", "kubernetes-validate",
            "troposphere",
            "cat gir", "cat ids", "cat ndjson", "cat sarif", "cat tab", "cat txt", "cat xsd", "gh", "jq", "xmllint",
            "ack", "ast-grep", "bashate", "bison", "fortitude", "fpc", "hlint", "iverilog", "knip", "proselint",
            "puppet-lint", "reuse", "solcjs", "splint", "ugrep",
            "brittle-node", "catch2-shelf", "cmocka-shelf", "criterion-shelf", "luaunit", "stestr", "swipl",
            "dpkg-buildpackage", "gulp", "heaptrack_print", "invoke", "jfr", "just", "memray", "sh", "slipcover",
            "tinyproxy", "uftrace", "viztracer",
            "ansible-doc", "cat clj", "cat el", "cat erl", "cat gitk", "cat kt", "cat scm", "cat scss", "cat swift",
            "cat texi", "cat vim", "combinediff", "git diff-tree", "git fast-export", "git for-each-ref", "html2text",
            "json-diff", "mandoc", "xml2rfc", "yt-dlp",
        }
    ),
    "seventh": frozenset(
        {
            "git bisect", "git fsck", "git push", "git rebase", "git tag", "git verify-pack",
            "cat adb", "cat ex", "cat ml", "cat nim", "cat sol", "cat vue", "cat zig",
            "gdc", "glslangValidator", "gnatmake", "nasm", "nim",
            "autopep8", "buf", "deno", "pydoclint", "refurb", "remark", "textlint",
            "cscope", "ctags", "fdfind", "global", "pcre2grep",
            "chromium", "mcp-server-filesystem", "playwright-mcp",
            "boost-shelf", "doctest-shelf", "playwright", "runtest", "sbcl", "zig",
            "cat runlog", "lerna", "nx", "rspack",
            "licensecheck", "npm diff", "npm explain", "npm sbom",
            "GET", "POST", "datasette", "hypercorn", "pydantic",
            "bunyan", "etcd", "etcdctl", "jsonnet", "nats-server", "prometheus", "promtool", "sqldiff",
            "daff", "deep", "nbdiff", "papermill", "sdiff", "xmldiff",
            "asar", "bsdtar", "cat dump", "gst-inspect-1.0", "mono", "pdb", "restic", "yappi",
            "cat xlf", "csvlook", "markitdown", "pocount", "pofilter", "xlsx2csv",
            "cat pod",
        }
    ),
    "eighth": frozenset(
        {
            "glpsol", "gnuplot", "lightgbm", "pspp", "spin", "z3",
            "bean-check", "fail2ban-regex", "ledger", "notmuch", "pflogsumm", "remind",
            "borg", "diffoscope", "dtc", "e2fsck", "fio", "lspci",
            "alex", "hunspell", "i18nspector", "msgfmt", "write-good",
            "deadcode", "graphql-inspector", "griffe", "pmccabe", "pygount", "ts-prune",
            "ausearch", "detect-secrets", "dumpasn1", "gpg", "ssh-audit", "yara",
            "asciidoctor", "doxygen", "epubcheck", "linkchecker", "vnu",
            "asc", "cobc", "ghdl", "ngspice", "sdcc", "yosys",
            "b2", "blhc", "dbt", "dune", "rake",
            "emacs", "kyua", "mutmut", "quay.exe", "raco", "schemathesis", "stryker", "tap",
            "bcftools", "frictionless", "jing", "squawk",
            "monit", "ngrep", "unbound",
            "checkov", "salt-call",
            "cat cmake", "cat d", "cat m4", "cat rkt",
            "exiv2", "fc-scan", "fitsheader", "gdalinfo", "mkvinfo", "ttx",
        }
    ),
    "ninth": frozenset(
        {
            "abc2midi", "espeak-ng", "metaflac", "midicsv", "uniname", "wn",
            "eprover", "metamath", "pgn-extract", "stockfish",
            "assimp", "dciodvfy", "dcmdump", "gpsdecode", "grib_dump", "osmium", "xtb", "zdump",
            "aide", "bagit.py", "binwalk", "btrfs", "clamscan", "fls", "olevba", "par2", "rmlint", "sgdisk",
            "snapraid", "transmission-show", "unison",
            "dbus-monitor", "edid-decode", "flashrom", "iasl", "lstopo-no-graphics", "nagios4", "rigctl", "sesearch",
            "sigrok-cli", "xdpyinfo", "xkbcli",
            "birdc", "kzonecheck", "pyang", "yanglint",
            "bibclean", "compare-locales", "dose-debcheck", "kedro", "lint_cabf_serverauth_cert", "pyshacl", "task",
            "tesseract", "timew", "warcio", "yoyo",
            "acorn", "analyze-css", "appstreamcli", "dclint", "desktop-file-validate", "dockerfilelint",
            "lighthouse", "lint-openapi", "markdown-link-check", "pa11y",
            "freeradius", "lftp", "rabbitmqctl", "sieve-test", "spamassassin", "swaks", "xapian-delve",
            "gopls", "jdb", "jshell", "zsh",
        }
    ),
    "tenth": frozenset(
        {
            "git fetch", "git ls-files", "git pull", "git stash",
            "awk", "jar", "sed", "tail", "wc", "zgrep",
            "basedpyright", "cargo clippy", "ecj", "shfmt", "stubtest", "vue-tsc", "xo",
            "diff-cover", "google-pprof", "gotestsum", "mocha", "next", "piers-suite", "pycobertura",
            "commitlint", "debdiff", "npm audit", "npm pack", "pip download",
            "catalina.sh", "pg_recvlogical", "pgbadger", "pino-pretty", "pm2", "sqlacodegen",
            "elinks", "jc", "jupyter", "mcp-server-fetch", "mcp-server-git", "mcp-server-memory", "yq",
            "ansible", "cdk", "s3cmd",
            "env", "eu-stack", "ld", "script", "top",
        }
    ),
    "eleventh": frozenset(
        {
            "git check-ignore", "git cherry", "git cherry-pick", "git clean", "git-cliff", "gitlint",
            "decks-suite", "karma", "mcr", "npm test", "wtr", "yath",
            "lint-imports", "nbqa", "npmPkgJsonLint", "prospector", "pymarkdown", "rstcheck", "sass-lint", "tslint",
            "type-coverage",
            "cargo check", "cargo doc", "poe", "rolldown", "scalac", "tsup", "typedoc", "wireit",
            "daphne", "mariadb-binlog", "mysqldumpslow", "pg_amcheck", "pgbouncer", "privoxy", "uwsgi", "vacuumdb",
            "cfn-flip", "crossplane", "dmesg", "exa", "hardening-check", "ipcs", "md5sum", "ncdu", "pidstat",
            "systemctl", "testssl", "tmux", "whispers",
            "chrome-devtools-mcp", "datamash", "gron", "hunter-trace", "in2csv", "jcmd", "json-server", "jupytext",
            "mammoth", "mcp-server-sqlite", "parquet-tools", "pprofile", "recsel", "trafilatura",
            "depcheck", "johnnydep", "license-report", "lockfile-lint", "npm fund", "pip list",
        }
    ),
    "twelfth": frozenset(
        {
            "git am", "git commit", "git ls-remote", "git submodule",
            "csv-diff", "icdiff", "wdiff",
            "coffeelint", "complexipy", "fawltydeps", "fixit", "ls-lint", "secretlint", "syncpack", "yapf",
            "automake", "google-closure-compiler", "groovyc", "jake", "run-s", "swig", "wat2wasm",
            "diff-quality", "gabbi-run", "genhtml", "mamba", "radish", "tap-spec", "tstyche",
            "cat consoleText", "goaccess", "granian", "gunicorn", "lnav", "rq", "uvicorn",
            "litecli",
            "eslint-mcp", "excel-mcp-server", "gojq", "httpx", "mcp-server-tree-sitter",
            "conan", "hyperfine", "lsd", "netstat", "pstree", "pyperf", "stat",
            "cat ldif", "cat tfstate", "expect", "marimo", "nbshow", "odt2txt", "vd",
        }
    ),
}  # fmt: skip
"""Tools that nobody tunes on before they were scored, by the part that their outputs go to.

No recipe of the part that is tuned on, or of another part, runs one of them.
"""


SUBCOMMANDS = frozenset({"apt-get", "cargo", "git", "npm", "pip"})
"""Commands that are as many tools as they have subcommands: what these print has nothing in common."""


class Fact(NamedTuple):
    """Something a view must tell: one of these spellings, or all of `together` on one line.

    A `record` is told by a line that holds its message (`together`) and one of its places (`spellings`).
    """

    kind: str
    spellings: tuple[str, ...] = ()
    together: tuple[str, ...] = ()

    def told_by(self, view: str | Told) -> bool:
        """Whether the view says it, or says what it can be rebuilt from. Names and numbers count as whole words only.

        >>> Fact("name", ("test_add",)).told_by("FAILED test_add - boom"), Fact("name", ("add",)).told_by("adder")
        (True, False)
        >>> Fact("count", together=("a.py", "12", "3")).told_by("12 3 a.py"), Fact("text", ("in th",)).told_by("in the")
        (True, True)
        >>> Fact("path", ("src/b/c.py",)).told_by("[9 paths: src/{a/ 7, b/{c.py, d.py}}]")
        True
        >>> Fact("record", ("src/b.py:7",), ("too long",)).told_by("[3x too long @ src/{a.py:3, 9; b.py:7}]")
        True
        """
        return next(self.tellers(view if isinstance(view, Told) else Told(view)), None) is not None

    def tellers(self, told: Told) -> Iterator[Line]:
        """The lines that tell it."""
        if self.kind == "record":
            places = frozenset((*self.spellings, *_beginnings(self.spellings)))
            yield from (line for line in told.records_with(self.together[0]) if _holds_place(line.words, places))
            return
        if self.together:
            for line in told.records_with(self.together[0]):
                if all(_word(part, line.words) for part in self.together):
                    yield line
        for one in (*self.spellings, *(_beginnings(self.spellings) if self.kind == "location" else ())):
            if "\n" in one:
                yield from told.stretches(one)
            else:
                for literal, pattern in _patterns(self.kind, one):
                    yield from told.lines_with(literal, pattern)


WHOLE = frozenset({"name", "location", "code", "count"})
"""Kinds of fact that must not be the inside of a longer word."""

FEW_PLACES = 200


RANGED = re.compile(r"\"?(?P<path>[^\s\":]+)\"?:(?P<line>\d+)[.:](?P<column>\d+)-\d+(?:[.:]\d+)?")


def _beginnings(places: Iterable[str]) -> Iterator[str]:
    """Where places begin that are written with their ends: which line and column of which file is told without these.

    >>> [*_beginnings(['"a.html":12.1-12.76', "b.dts:3.4-17", "a.html:12:1"])]
    ['a.html:12:1', 'b.dts:3:4']
    """
    for found in filter(None, map(RANGED.fullmatch, places)):
        yield f"{found['path']}:{found['line']}:{found['column']}"


def _holds_place(words: str, places: frozenset[str]) -> bool:
    if len(places) <= FEW_PLACES:
        return any(place in words and _word(place, words) for place in places)
    tokens = {token.rstrip(":,.") for token in re.split(r"[\s;'\"]+", words)}
    return not places.isdisjoint(tokens | {re.sub(r":\d+$", "", token) for token in tokens})


@cache
def _patterns(kind: str, part: str) -> tuple[tuple[str, "re.Pattern[str] | None"], ...]:
    """What to look for, and what must match where it is found."""
    spelt = re.escape(part)
    if kind == "key":
        return (
            (f'"{part}"', re.compile(rf'"{spelt}"\s*:')),
            (f"<{part}", re.compile(rf"<{spelt}[\s>/]")),
            (f"{part}=", re.compile(rf"(?<![\w-]){spelt}=")),
        )
    if kind == "path":
        # A name of one part is not told by the same name in another directory.
        before = r"(?<![\w-])" if "/" in part else r"(?:(?<![\w./-])|(?<=[\s\"']\./)|(?<=^\./)|(?<=\s[ab]/))"
        return ((part, re.compile(rf"{before}{spelt}(?![\w-])", re.MULTILINE)),)
    if kind in WHOLE:
        return ((part, re.compile(rf"(?<!\w){spelt}(?!\w)")),)
    return ((part, None),)


def _word(part: str, text: str) -> bool:
    return part in text and re.search(rf"(?<![\w]){re.escape(part)}(?![\w])", text) is not None


class Item(NamedTuple):
    """One output. `form` says what a view of it has to stay: text, json, ndjson, xml or diff.

    `family` is the row of the table that it counts in, `tool` what made it.
    """

    name: str
    family: str
    form: str
    command: str
    text: str
    facts: tuple[Fact, ...]

    @property
    def tool(self) -> str:
        """The tool that made it: outputs of one tool are never on both sides of the split.

        >>> Item("x", "listing", "text", "ls -laR .", "", ()).tool, Item("x", "code", "text", "cat a/b.py", "", ()).tool
        ('ls', 'cat py')
        >>> Item("x", "diff", "text", "git -P show a.py", "", ()).tool
        'git show'
        >>> Item("x", "packages", "text", "npm audit", "", ()).tool
        'npm audit'
        """
        words = [word for word in self.command.split() if not word.startswith("-")] or [self.family]
        if words[0] in SUBCOMMANDS and len(words) > 1:
            return f"{words[0]} {words[1]}"
        if words[0] == "cat" and len(words) > 1:
            return f"cat {os.path.basename(words[1]).rsplit('.', 1)[-1]}"
        return os.path.basename(words[0])


def part_of(item: Item) -> str:
    """The part of the corpus an item belongs to: `dev`, or one that is looked at once; its tool alone decides."""
    return next((part for part, tools in HELD_OUT.items() if item.tool in tools), "dev")


def keep(item: Item, corpus: str) -> str:
    """Write an item below the part of the corpus it belongs to; returns the directory."""
    where = os.path.join(corpus, part_of(item), item.name)
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, "output.txt"), "w", encoding="utf-8", newline="") as out:
        out.write(item.text)
    facts = [{name: value for name, value in fact._asdict().items() if value} for fact in item.facts]
    about = {"family": item.family, "form": item.form, "command": item.command, "facts": facts}
    with open(os.path.join(where, "item.json"), "w", encoding="utf-8") as out:
        json.dump(about, out, indent=1, ensure_ascii=False)
    return where


def stored(corpus: str, part: str) -> Iterator[Item]:
    """The items of one part (`dev` or a key of `HELD_OUT`), by name."""
    folder = os.path.join(corpus, part)
    for name in sorted(os.listdir(folder) if os.path.isdir(folder) else ()):
        with open(os.path.join(folder, name, "output.txt"), encoding="utf-8", newline="") as file:
            text = file.read()
        with open(os.path.join(folder, name, "item.json"), encoding="utf-8") as file:
            about = json.load(file)
        facts = tuple(
            Fact(fact["kind"], tuple(fact.get("spellings", ())), tuple(fact.get("together", ())))
            for fact in about["facts"]
        )
        yield Item(name, about["family"], about["form"], about["command"], text, facts)
