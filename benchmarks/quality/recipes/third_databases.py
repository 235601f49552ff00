"""Tools around databases, and histories of files, that nobody tunes on; SQL, porcelain forms or what was planted give the facts."""

import glob
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import directory_facts, said_in
from shop import Shop

from recipes.databases import as_user, postgres
from recipes.held_history import RELEASES, WHO, git_repository, release_steps
from recipes.held_suites import write
from recipes.third_archives import size_facts

DATABASE, HISTORY = "database", "history"


def analyzer_run(name: str, shop: Shop) -> Iterator[Item]:
    """What sqlite3_analyzer says of a database; the facts, by SQL, are the tables, their rows and the largest."""
    shop.install("sqlite3_analyzer", "sqlite3-tools")
    room = shop.room(name)
    path = os.path.join(room, "shelves.db")
    base = sqlite3.connect(path)
    for number in range(24):
        base.execute(f"create table shelf_{number} (id integer primary key, title text, weight real)")
        base.execute(f"create index shelf_{number}_by_title on shelf_{number} (title)")
        rows = 9000 if number == 13 else 40 + number
        base.executemany(
            f"insert into shelf_{number} values (?, ?, ?)",
            [(row, f"parcel {row}" * (60 if number == 19 else 1), row / 3) for row in range(rows)],
        )
    base.execute("delete from shelf_13 where id % 3 = 0")
    base.commit()
    counts = {
        f"shelf_{number}": base.execute(f"select count(*) from shelf_{number}").fetchone()[0] for number in range(24)
    }
    pages = base.execute("pragma page_count").fetchone()[0]
    base.close()
    text = shop.run(["sqlite3_analyzer", "shelves.db"], room).text
    facts = [Fact("name", (table.upper(),)) for table in counts] + [
        Fact("name", (f"{table}_BY_TITLE".upper(),)) for table in counts
    ]
    facts += [Fact("odd", (), ("Number of entries", str(count))) for count in (counts["shelf_13"], counts["shelf_19"])]
    facts += [Fact("odd", (), ("Pages in the whole file (measured)", str(pages)))]
    facts += [Fact("message", (line,)) for line in re.findall(r"^SHELF_(?:13|19)\.{5,}.*$", text, re.MULTILINE)]
    facts += [Fact("message", (line.strip("* "),)) for line in text.splitlines() if line.startswith("*** ")]
    yield Item(name, DATABASE, "text", "sqlite3_analyzer shelves.db", text, said_in(facts, text))


def restore_list(name: str, shop: Shop) -> Iterator[Item]:
    """`pg_restore -l` of a dump; the facts are what was made in the database."""
    room = shop.room(name)
    plan = "".join(f"create schema rack_{number}; " for number in range(6))
    plan += "".join(
        f"create table rack_{number % 6}.shelf_{number} (id serial primary key, title text not null, weight real check (weight > 0)); create index on rack_{number % 6}.shelf_{number} (title); "
        for number in range(36)
    )
    plan += "create view public.heavy as select * from rack_1.shelf_7; create type public.mood as enum ('calm', 'cross'); create function public.weigh(int) returns int language sql as 'select $1'; create sequence public.tickets; alter table rack_2.shelf_8 add foreign key (id) references rack_3.shelf_9 (id); comment on table rack_4.shelf_10 is 'odd';"
    with postgres(shop, room) as ask:
        ask("-c", plan)
        socket = ask("-At", "-c", "show unix_socket_directories").strip()
        done = shop.run(["pg_dump", "-h", socket, "-U", "postgres", "-Fc", "-f", "all.dump"], room)
    done.check()
    text = shop.run(["pg_restore", "-l", "all.dump"], room).text
    facts = [Fact("name", (f"shelf_{number}",)) for number in range(36)] + [
        Fact("name", (f"rack_{number}",)) for number in range(6)
    ]
    facts += [
        Fact("message", (one,))
        for one in (
            "VIEW public heavy",
            "TYPE public mood",
            "FUNCTION public weigh(integer)",
            "SEQUENCE public tickets",
            "FK CONSTRAINT rack_2 shelf_8",
            "COMMENT rack_4 TABLE shelf_10",
        )
    ]
    facts += [
        Fact("message", (f" {one} ",))
        for one in (
            "SCHEMA",
            "TABLE",
            "TABLE DATA",
            "INDEX",
            "CONSTRAINT",
            "DEFAULT",
            "SEQUENCE OWNED BY",
            "SEQUENCE SET",
        )
    ]
    facts += [
        Fact("message", (line.strip("; "),))
        for line in text.splitlines()
        if re.match(r";\s+(?:TOC Entries|Compression|Format|Dumped from)", line)
    ]
    yield Item(name, DATABASE, "text", "pg_restore -l all.dump", text, said_in(facts, text))


def journal_dump(name: str, shop: Shop) -> Iterator[Item]:
    """`pg_waldump` of a database's log of changes; the facts are its own statistics and the records that are rare."""
    room = shop.room(name)
    with postgres(shop, room, "full_page_writes=off") as ask:
        ask("-c", "create table shelf (id int primary key, title text); checkpoint; select pg_switch_wal();")
        start = ask("-At", "-c", "select pg_current_wal_lsn()").strip()
        ask(
            "-c",
            "insert into shelf select n, 'parcel ' || n from generate_series(1, 260) n",
            "-c",
            "update shelf set title = 'moved' where id % 37 = 0",
            "-c",
            "begin; delete from shelf where id = 99; rollback;",
            "-c",
            "truncate shelf",
            "-c",
            "create sequence tickets",
            "-c",
            "select nextval('tickets')",
        )
        end = ask("-At", "-c", "select pg_current_wal_flush_lsn()").strip()
        where = ask("-At", "-c", "show data_directory").strip()
        tool = max(glob.glob("/usr/lib/postgresql/*/bin/pg_waldump"))
        command = as_user("postgres", tool, "-p", f"{where}/pg_wal", "-s", start, "-e", end)
        text = shop.run(command, "/", apart=True).text
        counted = shop.run([*command, "--stats=record"], "/", apart=True).text
    rows = re.findall(r"^(\w+/\w+) +(\d+) \(", counted, re.MULTILINE)
    facts = [Fact("odd", (), tuple(title.split("/"))) for title, _ in rows] + [
        Fact("name", (title.split("/")[0],)) for title, _ in rows
    ]
    for title, count in rows:
        manager, kind = title.split("/")
        if int(count) <= 3:
            facts += [
                Fact("message", (line.partition("desc: ")[2][:70].strip(),))
                for line in text.splitlines()
                if line.startswith(f"rmgr: {manager} ") and kind in line
            ]
    yield Item(name, DATABASE, "text", "pg_waldump", text, said_in(facts, text))


def gauge_dump(name: str, shop: Shop) -> Iterator[Item]:
    """`rrdtool fetch` of a gauge with gaps and a peak; the facts are these."""
    shop.install("rrdtool")
    room = shop.room(name)
    shop.run(
        [
            "rrdtool",
            "create",
            "gauge.rrd",
            "--start",
            "1700000000",
            "--step",
            "60",
            "DS:weight:GAUGE:120:U:U",
            "DS:doors:GAUGE:120:U:U",
            "RRA:AVERAGE:0.5:1:600",
        ],
        room,
    )
    values, facts = [], []
    for number in range(1, 420):
        at = 1700000040 + number * 60
        weight = "U" if 120 <= number < 128 else 98765 if number == 300 else 200 + number % 9
        values.append(f"{at}:{weight}:{4 if number != 77 else 17}")
        facts += [Fact("odd", (), (f"{at}:", "9.8765000000e+04"))] if number == 300 else []
        facts += [Fact("odd", (), (f"{at}:", "1.7000000000e+01"))] if number == 77 else []
        facts += [Fact("odd", (), (f"{at}:", "-nan"))] if 120 <= number < 128 else []
    shop.run(["rrdtool", "update", "gauge.rrd", *values], room)
    text = shop.run(["rrdtool", "fetch", "gauge.rrd", "AVERAGE", "-s", "1700000040", "-e", "1700025240"], room).text
    facts += [Fact("name", ("weight",)), Fact("name", ("doors",))]
    facts += [
        Fact("message", (one,))
        for one in ("4.0000000000e+00", "2.0000000000e+02", "2.0800000000e+02", "9.8765000000e+04", "1.7000000000e+01")
    ]
    facts += [Fact("message", (line.split(":")[0],)) for line in text.splitlines()[-1:]]
    yield Item(name, DATABASE, "text", "rrdtool fetch gauge.rrd", text, said_in(facts, text))


def blame_run(name: str, path: str, shop: Shop) -> Iterator[Item]:
    """`git blame` of a file; the facts are its own porcelain form: every author, every commit, lines of the small ones."""
    room = shop.room(name)
    repository = git_repository(shop, room)
    text = shop.run(["git", "blame", path], repository).text
    lines = Counter[str]()
    who: dict[str, str] = {}
    current = ""
    for line in shop.run(["git", "blame", "--line-porcelain", path], repository).text.splitlines():
        if found := re.match(r"([0-9a-f]{40}) \d+ \d+", line):
            current = found[1]
            lines[current] += 1
        elif line.startswith("author "):
            who[current] = line.removeprefix("author ")
    facts = [Fact("message", (commit[:7],)) for commit in lines]
    facts += [Fact("message", (author,)) for author in dict.fromkeys(who.values())]
    facts += [Fact("name", (title,)) for title in re.findall(r"\) *(?:class|def) (\w+)", text)]
    yield Item(name, HISTORY, "text", f"git blame {path}", text, said_in(facts, text))


def tree_list(name: str, shop: Shop) -> Iterator[Item]:
    """`git ls-tree -r -l` with odd modes; the facts are the directories, the largest files and the odd modes."""
    room = shop.room(name)
    repository = os.path.join(room, "repository")
    os.makedirs(repository)
    tree = shop.sdist("networkx==3.3", repository)
    os.symlink("/nowhere", os.path.join(tree, "dangling"))
    os.chmod(os.path.join(tree, "networkx", "convert.py"), 0o755)
    who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["git", "init", "-q"], [*who, "add", "-A", "-f"], [*who, "commit", "-q", "-m", "all"]):
        shop.run(command, repository)
    text = shop.run(["git", "ls-tree", "-r", "-l", "HEAD"], repository).text
    rows = [line.split("\t") for line in shop.run(["git", "ls-files", "--stage"], repository).text.splitlines()]
    sizes = {path: os.lstat(os.path.join(repository, path)).st_size for _, path in rows}
    facts = size_facts(sizes) + list(directory_facts("", sizes))
    modes = Counter(head.split()[0] for head, _ in rows)
    facts += [Fact("odd", (), (path, head.split()[0])) for head, path in rows if modes[head.split()[0]] <= 12]
    yield Item(name, HISTORY, "text", "git ls-tree -r -l HEAD", text, said_in(facts, text))


def fossil_run(name: str, shop: Shop) -> Iterator[Item]:
    """`fossil timeline -v` of releases brought in a part at a time; the facts are the subjects, people and files."""
    shop.install("fossil")
    room = shop.room(name)
    home = os.path.join(room, "work")
    os.makedirs(home)
    env = {"HOME": room, "USER": "keeper"}
    shop.run(["fossil", "init", "../all.fossil"], home, env=env)
    shop.run(["fossil", "open", "../all.fossil", "-f"], home, env=env)
    facts = []
    for who, day, subject in release_steps(shop, room, home):
        shop.run(["fossil", "addremove", "--dotfiles"], home, env=env)
        shop.run(
            [
                "fossil",
                "commit",
                "-m",
                subject,
                "--user-override",
                who.split()[0],
                "--date-override",
                day.rstrip("Z"),
                "--no-warnings",
                "--allow-empty",
                "--allow-older",
            ],
            home,
            env=env,
        )
        facts += [Fact("message", (subject,))]
    text = shop.run(["fossil", "timeline", "-v", "-n", "0", "-W", "0"], home, env=env).text
    facts += [Fact("message", (f"user: {one.split()[0]}",)) for one in WHO]
    paths = re.findall(r"^ +(?:ADDED|EDITED|DELETED) +(\S+)", text, re.MULTILINE)
    facts += [Fact("path", (one,)) for one in sorted({os.path.dirname(path) for path in paths if "/" in path})]
    facts += [
        Fact("message", (f"{kind} {path}",)) for kind, path in re.findall(r"^ +(DELETED) +(\S+)", text, re.MULTILINE)
    ]
    facts += [Fact("name", (one,)) for one in ("ADDED", "EDITED", "DELETED")] + [
        Fact("message", (one,)) for one in RELEASES
    ]
    yield Item(name, HISTORY, "text", "fossil timeline -v", text, said_in(facts, text))


def revisions_run(name: str, shop: Shop) -> Iterator[Item]:
    """`rlog` of files with revisions, tags and locks; the facts are what was done to them."""
    shop.install("rlog", "rcs")
    room = shop.room(name)
    facts = []
    for number in range(28):
        path = os.path.join(room, f"shelf_{number}.txt")
        for step in range(3):
            write(path, "".join(f"line {line} of step {step if line % 3 else 0}\n" for line in range(12)))
            said = f"weigh shelf {number} again" if step else "begin"
            if (number, step) in {(5, 2), (19, 1)}:
                said = f"take parcel {number} off: it was lost"
                facts.append(Fact("message", (said,)))
            shop.run(
                [
                    "ci",
                    "-q",
                    "-l",
                    f"-w{'keeper' if (number + step) % 9 else 'guest'}",
                    f"-t-shelf {number}",
                    f"-m{said}",
                    path,
                ],
                room,
            )
        if number % 11 != 3:
            shop.run(["rcs", "-q", "-u", path], room)
        else:
            facts.append(Fact("odd", (), ("locks:", "strict")))
        if number == 14:
            shop.run(["rcs", "-q", "-nRELEASE_ONE:1.2", path], room)
            facts.append(Fact("message", ("RELEASE_ONE: 1.2",)))
    text = shop.run(["rlog", *(f"shelf_{number}.txt" for number in range(28))], room).text
    facts += [Fact("message", (f"Working file: shelf_{number}.txt",)) for number in range(28)]
    facts += [
        Fact("message", (one,))
        for one in ("author: keeper", "author: guest", "head: 1.3", "total revisions: 3", "begin", "locked by:")
    ]
    yield Item(name, HISTORY, "text", "rlog", text, said_in(facts, text))


RECIPES = {
    "sqlite-analyzer": partial(analyzer_run, "sqlite-analyzer"),
    "pg-restore-list": partial(restore_list, "pg-restore-list"),
    "pg-waldump": partial(journal_dump, "pg-waldump"),
    "rrdtool-gauge": partial(gauge_dump, "rrdtool-gauge"),
    "blame-click": partial(blame_run, "blame-click", "src/click/core.py"),
    "ls-tree-networkx": partial(tree_list, "ls-tree-networkx"),
    "fossil-click": partial(fossil_run, "fossil-click"),
    "rlog-shelves": partial(revisions_run, "rlog-shelves"),
}
