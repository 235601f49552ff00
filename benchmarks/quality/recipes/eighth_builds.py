"""Builds and pipelines of data that nobody tunes on; what breaks in them is planted."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_suites import write

BUILD, PIPELINE = "build system", "data pipeline"


def dune_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `dune build` says of a project; the facts are planted: each broken module with what it names."""
    shop.install("dune", "ocaml-dune", "ocaml")
    room = shop.room(name)
    write(os.path.join(room, "dune-project"), "(lang dune 2.9)\n")
    facts = []
    for number in range(84):
        folder = f"lib/{('tide', 'dock', 'crew', 'fuel')[number % 4]}"
        kind = number % 7
        body = {
            1: f"let weigh x = lost_{number} x + 1", 3: f'let weigh x = x + "tide {number}"', 4: f"let weigh = function Some n when n > {number} -> n",
            5: f"let weigh x = let unused_{number} = 3 in x",
        }.get(kind, f"let weigh x = x + {number}")  # fmt: skip
        facts += [Fact("message", (f"{folder}/gauge{number}.ml",))] if kind in {1, 3, 4, 5} else []
        facts += (
            [Fact("message", (f"lost_{number}",))]
            if kind == 1
            else [Fact("message", (f"unused_{number}",))]
            if kind == 5
            else []
        )
        write(
            os.path.join(room, folder, f"gauge{number}.ml"),
            f"(* gauge {number} *)\nlet level = {number}\n\n{body}\n\nlet show () = print_int level\n",
        )
        write(os.path.join(room, folder, "dune"), f"(library (name {os.path.basename(folder)}))\n")
    text = plain(
        shop.run(
            ["dune", "build", "--root", ".", "--display", "short", "-j1"],
            room,
            env={"HOME": room, "XDG_CACHE_HOME": room},
        ).text
    )
    facts += [
        Fact("message", (one.strip(),))
        for one in dict.fromkeys(re.findall(r"^(?:Error|Warning)[^\n]*", text, re.MULTILINE))
    ]
    yield Item(name, BUILD, "text", "dune build --display short", text, said_in(facts, text))


RAKE = """AREAS = (0...30).map { |n| "area#{n}" }
AREAS.each_with_index do |area, n|
  namespace area do
    task(:fetch) { puts "fetched #{40 + n * 3} charts of #{area}" }
    task(weigh: :fetch) { 12.times { |k| puts "  #{area}: pile #{k} holds #{(n * 37 + k * 11) % 300} tonnes" }; warn "#{area}: scales drift by #{n} kg" if n % 7 == 4 }
    task(print: :weigh) { raise IOError, "printer of #{area} is out of paper" if n % 11 == 6; puts "printed #{area}" }
  end
end
task(:all) do
  bad = 0
  AREAS.each do |area|
    begin
      Rake::Task["#{area}:print"].invoke
    rescue => why
      bad += 1
      puts "FAILED #{area}: #{why.class}: #{why.message}"
    end
  end
  abort "#{bad} areas could not be printed" if bad > 0
end
"""


def rake_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `rake --trace` says; the facts are planted: areas that could not be printed, scales that drift, the last words."""
    shop.install("rake")
    room = shop.room(name)
    write(os.path.join(room, "Rakefile"), RAKE)
    text = shop.run(["rake", "--trace", "all"], room).text
    facts = [Fact("message", (f"area{n}: scales drift by {n} kg",)) for n in range(30) if n % 7 == 4]
    facts += [Fact("message", (f"printer of area{n} is out of paper",)) for n in range(30) if n % 11 == 6]
    facts += [Fact("message", (f"area{n}:weigh",)) for n in range(30)] + [
        Fact("message", (f"fetched {40 + n * 3} charts",)) for n in (0, 29)
    ]
    facts += [Fact("message", (one,)) for one in ("areas could not be printed", "rake aborted!", "IOError")]
    facts += last_words(text, r"^Tasks: .*$|^\S*Rakefile:\d+:in .*$")
    yield Item(name, BUILD, "text", "rake --trace all", text, said_in(facts, text))


def jam_run(name: str, shop: Shop) -> Iterator[Item]:
    """What b2 says of a build in C++; the facts are planted: what does not compile, what is skipped for it, the sums."""
    shop.install("b2", "libboost-tools-dev")
    shop.need("g++")
    room = shop.room(name)
    targets, facts = [], []
    for number in range(34):
        wrong = number % 6 == 2
        body = f"return lost_{number} + 1;" if wrong else f"return {number};"
        late = f"int gone_{number}(); " if number % 9 == 5 else ""
        call = f" + gone_{number}()" if late else ""
        write(
            os.path.join(room, f"src/gauge{number}.cpp"),
            f"#include <vector>\nint gauge{number}(std::vector<int> const &) {{ {body} }}\n",
        )
        write(
            os.path.join(room, f"src/main{number}.cpp"),
            f"#include <vector>\n{late}int gauge{number}(std::vector<int> const &);\nint main() {{ return gauge{number}({{}}){call}; }}\n",
        )
        targets.append(f"exe ship{number} : src/gauge{number}.cpp src/main{number}.cpp ;")
        facts += (
            [
                Fact("message", (f"lost_{number}",)),
                Fact("message", (f"src/gauge{number}.cpp",)),
                Fact("message", (f"<p>ship{number}", f"ship{number}")),
            ]
            if wrong
            else []
        )
        facts += [Fact("message", (f"gone_{number}",))] if late else []
    write(os.path.join(room, "Jamroot"), "\n".join(targets) + "\n")
    write(os.path.join(room, "user.jam"), "using gcc ;\n")
    text = shop.run(
        ["b2", "--ignore-site-config", "--user-config=user.jam", "-d+2", "-j1"], room, env={"HOME": room}, seconds=500
    ).text.replace(room, "/srv/quay")
    facts += last_words(text, r"^\.\.\.(?:failed|skipped|updated|found|updating|patience).*$")
    facts += [
        Fact("message", (one,))
        for one in dict.fromkeys(re.findall(r"^src/\S+:\d+:\d+: error: .*$", text, re.MULTILINE))
    ]
    yield Item(name, BUILD, "text", "b2 -d+2", text, said_in(facts, text))


def dbt_project(room: str) -> list[Fact]:
    """Models, seeds and tests of a warehouse, some broken."""
    facts = []
    write(
        os.path.join(room, "dbt_project.yml"),
        "name: quay\nversion: '1.0.0'\nprofile: quay\nmodel-paths: [models]\nseed-paths: [seeds]\nflags: {send_anonymous_usage_stats: false, use_colors: false}\n",
    )
    write(
        os.path.join(room, "profiles.yml"),
        f"quay:\n  target: dev\n  outputs:\n    dev: {{type: duckdb, path: '{room}/quay.duckdb', threads: 1}}\n",
    )
    rows = (
        ["id,boat,kind,tonnes"]
        + [f"{n},boat{n},{('cutter', 'dory', 'smack')[n % 3]},{'' if n % 50 == 9 else n * 3}" for n in range(300)]
        + ["7,boat7,raft,4"]
    )
    write(os.path.join(room, "seeds", "boats.csv"), "\n".join(rows) + "\n")
    tests = ["version: 2", "models:"]
    for number in range(60):
        column = f"lost_{number}" if number % 13 == 4 else "tonnes"
        upstream = "boats" if number < 6 else f"catch_{number - 6}"
        write(
            os.path.join(room, "models", f"catch_{number}.sql"),
            f"select id, boat, kind, {column} as tonnes from {{{{ ref('{upstream}') }}}} where id % 7 != {number % 7 if number > 50 else 9}\n",
        )
        tests += [
            f"  - name: catch_{number}",
            "    columns:",
            "      - {name: id, tests: [unique, not_null]}",
            "      - {name: tonnes, tests: [not_null]}",
        ]
        facts += [Fact("message", (f"lost_{number}",))] if number % 13 == 4 else []
    tests += ["      - name: kind", "        tests: [{accepted_values: {values: [cutter, dory, smack]}}]"]
    write(os.path.join(room, "models", "all.yml"), "\n".join(tests) + "\n")
    return facts


def dbt_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `dbt build` logs; the facts are those of its results in JSON: every node that failed or was left out, and why."""
    python = shop.python("eighth-dbt", "dbt-core==1.9.4", "dbt-duckdb==1.9.3")
    room = shop.room(name)
    facts = dbt_project(room)
    tool = os.path.join(os.path.dirname(python), "dbt")
    text = plain(
        shop.run([tool, "--no-use-colors", "build", "--profiles-dir", "."], room, env={"HOME": room}).text
    ).replace(room, "/srv/quay")
    for row in json.loads(read(os.path.join(room, "target", "run_results.json")))["results"]:
        short = row["unique_id"].split(".")[2]
        if row["status"] in {"error", "fail"}:
            facts += [
                Fact("name", (short,)),
                *(Fact("message", (line.strip()[:90],)) for line in (row["message"] or "").splitlines()[:2]),
            ]
        elif row["status"] == "skipped" and short.startswith("catch_"):
            facts.append(Fact("message", (f"SKIP relation main.{short} ",)))
    facts += last_words(text, r"^\d\d:\d\d:\d\d  (?:Done\. .*|Completed with .*|Found .*|Finished running .*)$")
    yield Item(name, PIPELINE, "text", "dbt build", text, said_in(facts, text))


def blhc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What blhc says of the log of a build; the facts are planted: each file compiled without a flag, and which."""
    shop.install("blhc")
    room = shop.room(name)
    good = {
        "CFLAGS": "-g -O2 -fstack-protector-strong -Wformat -Werror=format-security",
        "CPPFLAGS": "-Wdate-time -D_FORTIFY_SOURCE=2",
        "LDFLAGS": "-Wl,-z,relro",
    }
    lines, facts = (
        [
            "dpkg-buildpackage: info: source package quay",
            "dpkg-buildpackage: info: host architecture amd64",
            " debian/rules build",
        ],
        [],
    )
    for number in range(280):
        flags = dict(good)
        if number % 3 == 1:
            kind, lost = (
                ("CFLAGS", "-fstack-protector-strong"),
                ("CFLAGS", "-Werror=format-security"),
                ("CPPFLAGS", "-D_FORTIFY_SOURCE=2"),
            )[number // 3 % 3]
            flags[kind] = flags[kind].replace(lost, "").strip()
            facts.append(Fact("odd", (), (f"src/gauge{number}.c", lost)))
            facts.append(Fact("message", (f"{kind} missing ({lost})",)))
        folder = ("tide", "dock", "crew")[number % 3]
        lines.append(
            f"gcc -DHAVE_CONFIG_H -I. -I../{folder} {flags['CPPFLAGS']} {flags['CFLAGS']} -c -o gauge{number}.o src/gauge{number}.c"
        )
        if number % 23 == 11:
            link = "" if number % 46 == 11 else good["LDFLAGS"]
            lines.append(
                f"gcc -g -O2 -fstack-protector-strong -Wformat -Werror=format-security {link} -o quay-{number} gauge{number}.o -lm"
            )
            facts += [] if link else [Fact("odd", (), ("LDFLAGS missing", f"quay-{number}"))]
    lines.append("dpkg-buildpackage: info: binary-only upload (no source included)")
    write(os.path.join(room, "quay.build"), "\n".join(lines) + "\n")
    text = shop.run(["blhc", "quay.build"], room).text
    yield Item(name, "package checker", "text", "blhc quay.build", text, said_in(facts, text))


RECIPES = {
    "dune-gauges": partial(dune_run, "dune-gauges"),
    "rake-areas": partial(rake_run, "rake-areas"),
    "b2-ships": partial(jam_run, "b2-ships"),
    "dbt-quay": partial(dbt_run, "dbt-quay"),
    "blhc-quay": partial(blhc_run, "blhc-quay"),
}
