"""Builds and pipelines that nobody tunes on, many with a prefix on every line; the mistakes in them are planted."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from glob import glob
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import Diagnostic, Failure, diagnostic_facts, failure_facts, said_in
from shop import Shop

from recipes.fourth_linters import npm_tool, python_tools, tool_of
from recipes.fourth_suites import python_suite
from recipes.held_suites import write
from recipes.third_linters import report_file

BUILD, PIPELINE = "build system", "pipeline"
FILES = 30

SOURCE = """#include <stdio.h>
#include <string.h>
static int spare_%(n)d(int parcel) { return parcel; }
int pack_%(n)d(const char *label, unsigned left) {
  int i, weight;
  for (i = 0; i < left; i++) printf("%%s %%d\\n", i, label);
  return weight + strlen(label);
}
"""


def c_project(room: str) -> list[str]:
    """Files in C: every fifth with a mistake that stops the build, every third with warnings."""
    paths = []
    for number in range(FILES):
        text = SOURCE % {"n": number} if number % 3 == 1 else f"int pack_{number}(int n) {{ return n * {number}; }}\n"
        text += f"int lid_{number}(void) {{ return missing_lid_{number}; }}\n" if number % 5 == 2 else ""
        paths.append(
            os.path.relpath(write(os.path.join(room, "src", f"area{number % 4}", f"shelf_{number}.c"), text), room)
        )
    return paths


def gcc_findings(shop: Shop, room: str, paths: list[str]) -> list[Diagnostic]:
    """What gcc says of these files in JSON."""
    found = []
    for path in paths:
        said = shop.run(
            ["gcc", "-Wall", "-Wextra", "-c", "-fdiagnostics-format=json", "-o", "/dev/null", path], room
        ).text
        for row in json.loads(next((line for line in said.splitlines() if line.startswith("[")), "[]")):
            at = row["locations"][0]["caret"]
            place = f"{at['file']}:{at['line']}:{at['column']}"
            found.append(Diagnostic(at["file"], place, row.get("option", ""), row["message"]))
    return found


def ninja_run(name: str, shop: Shop) -> Iterator[Item]:
    """`ninja -k 0 -v` of a project in C; the facts are what gcc says in JSON and the targets that failed."""
    shop.need("ninja", package="ninja-build")
    room = shop.room(name)
    paths = c_project(room)
    rules = "rule cc\n  command = gcc -Wall -Wextra -Isrc -DSHELVES=1 -MMD -c $in -o $out\n  description = CC $out\n\n"
    rules += "".join(f"build out/{path}.o: cc {path}\n" for path in paths)
    write(os.path.join(room, "build.ninja"), rules)
    text = shop.run(["ninja", "-k", "0", "-j", "1", "-v"], room).text
    broken = [path for number, path in enumerate(paths) if number % 5 == 2]
    facts = [Fact("odd", (), (f"FAILED: out/{path}.o",)) for path in broken]
    facts += [Fact("message", ("build stopped: cannot make progress due to previous errors",))]
    yield Item(
        name,
        BUILD,
        "text",
        "ninja -k 0 -v",
        text,
        said_in((*diagnostic_facts(gcc_findings(shop, room, paths)), *facts), text),
    )


def scons_run(name: str, shop: Shop) -> Iterator[Item]:
    """`scons -k` of a project in C; the facts are what gcc says in JSON and the targets that failed."""
    shop.install("scons")
    room = shop.room(name)
    paths = c_project(room)
    write(
        os.path.join(room, "SConstruct"),
        f"env = Environment(CCFLAGS=['-Wall', '-Wextra'])\nfor path in {paths}: env.Object(path)\n",
    )
    text = shop.run(["scons", "-k"], room).text
    # scons gives its commands an environment of their own, in which gcc quotes plainly.
    found = [
        one._replace(message=re.sub("[\u2018\u2019]", "'", one.message)) for one in gcc_findings(shop, room, paths)
    ]
    facts = [Fact("message", (f"[{path[:-2]}.o] Error 1",)) for number, path in enumerate(paths) if number % 5 == 2]
    facts += [Fact("message", ("scons: done building targets (errors occurred during build).",))]
    yield Item(
        name,
        BUILD,
        "text",
        "scons -k",
        text,
        said_in((*diagnostic_facts(found), *facts), text),
    )


JAVA = """package org.shelves.area%(a)d;
import java.util.*;
public class Shelf%(n)d {
  private List parcels = new ArrayList();
  public int weigh() { return parcels.size(); }
%(more)s}
"""


def java_project(room: str, folder: str) -> list[Fact]:
    """Classes in Java with planted mistakes; returns the facts of these."""
    facts = []
    for number in range(24):
        more, at = "", f"{folder}/org/shelves/area{number % 3}/Shelf{number}.java"
        if number % 4 == 1:
            more = f"  int lid() {{ return lostLid{number}; }}\n"
            facts += [
                Fact("message", (f"lostLid{number}",)),
                Fact("path", (at,)),
                Fact("location", (f"{at}:6", f"{at}:[6,22]")),
            ]
        if number % 6 == 4:
            more = f'  int name() {{ return "shelf {number}"; }}\n'
            facts += [Fact("path", (at,)), Fact("location", (f"{at}:6", f"{at}:[6,23]"))]
        write(os.path.join(room, at), JAVA % {"a": number % 3, "n": number, "more": more})
    said = ("cannot find symbol", "incompatible types: String cannot be converted to int")
    return [*facts, *(Fact("message", (one,)) for one in said)]


def ant_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ant prints of a project in Java that does not compile; the facts are the planted mistakes."""
    shop.install("ant")
    room = shop.room(name)
    facts = java_project(room, "src")
    target = '<target name="compile"><mkdir dir="out"/><javac srcdir="src" destdir="out" includeantruntime="false">'
    target += '<compilerarg value="-Xlint:all"/></javac></target>'
    write(os.path.join(room, "build.xml"), f'<project name="shelves" default="compile">{target}</project>\n')
    text = shop.run(["ant"], room).text.replace(f"{room}/", "")
    facts += [
        Fact("message", (one,))
        for one in ("BUILD FAILED", "Compile failed; see the compiler error output", "[rawtypes]")
    ]
    yield Item(name, BUILD, "text", "ant compile", text, said_in(facts, text))


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.shelves</groupId><artifactId>shelves</artifactId><version>1.2</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
<version>5.10.2</version><scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version>
<configuration><showWarnings>true</showWarnings><compilerArgs><arg>-Xlint:all</arg></compilerArgs></configuration></plugin>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin>
</plugins></build></project>
"""


def maven_compile(name: str, shop: Shop) -> Iterator[Item]:
    """What `mvn compile` prints of a project in Java with planted mistakes."""
    shop.need("mvn", "javac")
    room = shop.room(name)
    facts = java_project(room, "src/main/java")
    write(os.path.join(room, "pom.xml"), POM)
    text = shop.run(["mvn", "-B", "-o", "compile"], room).text.replace(f"{room}/", "")
    facts += [Fact("message", (one,)) for one in ("BUILD FAILURE", "COMPILATION ERROR", "Failed to execute goal")]
    yield Item(name, BUILD, "text", "mvn -B compile", text, said_in(facts, text))


def maven_test(name: str, shop: Shop) -> Iterator[Item]:
    """What `mvn test` prints; the facts are those of surefire's XML."""
    shop.need("mvn", "javac")
    room = shop.room(name)
    write(os.path.join(room, "pom.xml"), POM)
    for number in range(14):
        body = ""
        for parcel in range(8):
            at = number * 8 + parcel
            check = f'assertEquals({at}, {at + (at % 13 == 5)}, "parcel {at} is late");'
            check = f'throw new IllegalStateException("scales {at} are broken");' if at % 29 == 11 else check
            body += f'  @Test void weighsParcel{at}() {{ System.out.println("weighing {at}"); {check} }}\n'
        head = "package org.shelves;\nimport org.junit.jupiter.api.Test;\nimport static org.junit.jupiter.api.Assertions.*;\n"
        path = os.path.join(room, "src/test/java/org/shelves", f"Shelf{number}Test.java")
        write(path, f"{head}class Shelf{number}Test {{\n{body}}}\n")
    text = shop.run(["mvn", "-B", "-o", "test"], room).text.replace(f"{room}/", "")
    failed = []
    for path in glob(os.path.join(room, "target", "surefire-reports", "*.xml")):
        for case in ET.parse(path).iter("testcase"):
            for bad in (*case.findall("failure"), *case.findall("error")):
                place = re.findall(r"\((Shelf\d+Test\.java:\d+)\)", bad.text or "")
                said = re.findall(r"(?:parcel|scales) \d+ (?:is|are) \w+", bad.text or "")
                failed.append(Failure(case.get("name") or "", said[0], place[0] if place else ""))
    last = [Fact("message", (one,)) for one in dict.fromkeys(re.findall(r"Tests run: 112, .*\d|BUILD FAILURE", text))]
    yield Item(name, "test runner", "text", "mvn -B test", text, said_in(failure_facts(failed, *last), text))


def suite_facts(cases: int) -> list[Fact]:
    """The facts of `python_suite`: every test that fails, and what it says."""
    facts = []
    for at in range(cases):
        if at % 31 == 7 or at % 23 == 5:
            facts += [
                Fact("name", (f"test_parcel_{at}",)),
                Fact("message", (f"parcel {at} is {'lost' if at % 31 == 7 else 'late'}",)),
            ]
    return facts


SERVICE = """import sys, time
name, bad = sys.argv[1], int(sys.argv[2])
for number in range(90):
    level = "ERROR" if number == bad else "WARNING" if number % 40 == 17 else "INFO"
    said = f"order {number + 4000} of {name} was refused by the warehouse" if number == bad else f"queue of {name} has {number} orders left" if level == "WARNING" else f"GET /{name}/{number % 7} 200 in {number % 9} ms"
    print(f"{level} {name}: {said}", flush=True)
    time.sleep(0.01)
if bad == 61:
    raise RuntimeError(f"{name} has no orders any more")
"""
SERVICES = {"web": 31, "worker": 61, "mail": 200, "search": 77, "billing": 12}


def service_facts(status: str) -> list[Fact]:
    """Every error, every kind of warning, the service that died and every service's name."""
    facts = [
        Fact("message", (f"order {bad + 4000} of {one} was refused",)) for one, bad in SERVICES.items() if bad < 90
    ]
    facts += [Fact("message", (f"queue of {one} has {number} orders left",)) for one in SERVICES for number in (17, 57)]
    facts += [Fact("name", (one,)) for one in SERVICES]
    return [*facts, Fact("message", ("RuntimeError: worker has no orders any more",)), Fact("message", (status,))]


def honcho_run(name: str, shop: Shop) -> Iterator[Item]:
    """What honcho prints of five services, one of which dies; the facts are planted."""
    python = python_tools(shop)
    room = shop.room(name)
    write(os.path.join(room, "service.py"), SERVICE)
    write(
        os.path.join(room, "Procfile"),
        "".join(f"{one}: {python} service.py {one} {bad}\n" for one, bad in SERVICES.items()),
    )
    text = shop.run([python, "-m", "honcho", "start", "--no-colour"], room).text.replace(f"{room}/", "")
    yield Item(name, PIPELINE, "text", "honcho start", text, said_in(service_facts("stopped (rc=1)"), text))


def concurrently_run(name: str, shop: Shop) -> Iterator[Item]:
    """What concurrently prints of five services, one of which dies; the facts are planted."""
    tool, python = npm_tool(shop, "concurrently"), python_tools(shop)
    room = shop.room(name)
    write(os.path.join(room, "service.py"), SERVICE)
    jobs = [f"{python} service.py {one} {bad}" for one, bad in SERVICES.items()]
    command = [tool, "--no-color", "--timings", "-n", ",".join(SERVICES), *jobs]
    text = report_file(shop, command, room, room).replace(os.path.dirname(python), "bin")
    yield Item(name, PIPELINE, "text", "concurrently", text, said_in(service_facts("exited with code 1"), text))


def tox_run(name: str, shop: Shop) -> Iterator[Item]:
    """What tox prints of four environments; the facts are planted: failing tests, exit codes, the summary's lines."""
    python = python_tools(shop)
    room = shop.room(name)
    python_suite(room, "tests", 14)
    write(
        os.path.join(room, "lint.py"),
        "import sys\nfor n in range(30): print(f'src/shelf_{n}.py:{n + 3}:1: X{n % 4}01 lid {n} is open')\nsys.exit(3)\n",
    )
    body = "[tox]\nenvlist = unit, lint, docs, types\nskipsdist = true\n[testenv]\nskip_install = true\n"
    jobs = {
        "unit": "-m unittest discover -v -s tests",
        "lint": "lint.py",
        "docs": "-c \"print('pages built: 4711')\"",
        "types": '-c "raise SystemExit(7)"',
    }
    body += "".join(f"[testenv:{one}]\nskip_install = true\ncommands = python {job}\n" for one, job in jobs.items())
    write(os.path.join(room, "tox.ini"), body)
    text = shop.run([python, "-m", "tox", "run", "--colored", "no"], room, seconds=400).text.replace(f"{room}/", "")
    facts = suite_facts(14 * 12) + [Fact("message", (f"lid {number} is open",)) for number in range(30)]
    facts += [Fact("code", (f"X{number}01",)) for number in range(4)] + [Fact("message", ("pages built: 4711",))]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"\s+\w+: (OK|FAIL) |\s+evaluation failed", line)
    ]
    yield Item(name, PIPELINE, "text", "tox run", text, said_in(facts, text))


def hooks_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pre-commit prints of local hooks; the facts are the hooks that failed and what they planted."""
    room = shop.room(name)
    python_suite(room, "tests", 20)
    hooks = {
        "unit-tests": "python3 -m unittest discover -s tests",
        "no-spaces": "grep -rnE 'assertEqual\\(1[0-9],' tests",
        "compile": "python3 -m compileall -q tests",
        "licence": "false",
    }
    rows = "".join(
        f'    - {{id: {one}, name: check {one}, language: system, pass_filenames: false, entry: "{entry}"}}\n'.replace(
            "\\(", "\\\\("
        )
        for one, entry in hooks.items()
    )
    write(os.path.join(room, ".pre-commit-config.yaml"), f"repos:\n- repo: local\n  hooks:\n{rows}")
    shop.run(["git", "init", "-q"], room)
    shop.run(["git", "add", "-A"], room)
    env = {"PRE_COMMIT_HOME": os.path.join(room, ".cache")}
    text = shop.run([tool_of(shop, "pre-commit"), "run", "--all-files", "--color", "never"], room, env=env).text
    facts = suite_facts(20 * 12) + [Fact("message", (f"- hook id: {one}",)) for one in hooks]
    facts += [Fact("odd", (), (f"check {one}", "Failed")) for one in ("unit-tests", "licence")]
    yield Item(name, PIPELINE, "text", "pre-commit run", text, said_in(facts, text))


def gitlab_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gitlab-ci-local prints of a pipeline on this machine's shell; the facts are planted in its jobs."""
    tool = npm_tool(shop, "gitlab-ci-local")
    room = shop.room(name)
    python_suite(room, "tests", 10)
    paths = c_project(room)
    write(os.path.join(room, "service.py"), SERVICE)
    text = "stages: [lint, test, pack]\n"
    jobs = {
        "compile": ("lint", "make -k all"),
        "unit": ("test", "python3 -m unittest discover -v -s tests"),
        "smoke": ("test", "python3 service.py web 31"),
        "soak": ("test", "python3 service.py worker 61"),
    }
    for one, (stage, script) in jobs.items():
        text += f"{one}:\n  stage: {stage}\n  allow_failure: true\n  script:\n    - {script}\n"
    write(os.path.join(room, ".gitlab-ci.yml"), text)
    objects = " ".join(f"{path}.o" for path in paths)
    write(os.path.join(room, "Makefile"), f"all: {objects}\n%.c.o: %.c\n\tgcc -Wall -Wextra -c $< -o $@\n")
    for command in (["init", "-q"], ["remote", "add", "origin", "git@example.org:shelves/all.git"], ["add", "-A"]):
        shop.run(["git", *command], room)
    shop.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first"], room)
    out = shop.run([tool, "--no-color", "--shell-isolation=false", "--concurrency", "1"], room).text
    out = re.sub(r"\x1b\[[\d;]*m", "", out).replace(f"{room}/", "")
    facts = [
        *suite_facts(120),
        *(fact for fact in diagnostic_facts(gcc_findings(shop, room, paths)) if fact.kind == "record"),
    ]
    facts += [Fact("name", (one,)) for one in jobs] + [
        Fact("message", ("RuntimeError: worker has no orders any more",))
    ]
    facts += [
        Fact("message", ("order 4031 of web was refused",)),
        Fact("message", ("order 4061 of worker was refused",)),
    ]
    yield Item(name, PIPELINE, "text", "gitlab-ci-local", out, said_in(facts, out))


def turbo_run(name: str, shop: Shop) -> Iterator[Item]:
    """What turbo prints of eight packages' tasks; the facts are planted: what failed, and each package's summary."""
    tool = npm_tool(shop, "turbo")
    room = shop.room(name)
    write(
        os.path.join(room, "package.json"),
        '{"name": "all", "private": true, "packageManager": "npm@10.0.0", "workspaces": ["packages/*"]}\n',
    )
    write(os.path.join(room, "turbo.json"), '{"tasks": {"build": {}, "test": {"cache": false}}}\n')
    facts = []
    for number in range(8):
        folder = os.path.join(room, "packages", f"shelf-{number}")
        python_suite(folder, "tests", 2 + number % 3)
        python_suite(folder, "tests", 2)
        scripts = {
            "build": f"echo built lid-{number}.js with {number * 37 + 11} modules",
            "test": "python3 -m unittest discover -v -s tests",
        }
        write(
            os.path.join(folder, "package.json"),
            json.dumps({"name": f"@all/shelf-{number}", "version": "1.0.0", "scripts": scripts}),
        )
        facts += [
            Fact("message", (f"built lid-{number}.js with {number * 37 + 11} modules",)),
            Fact("name", (f"@all/shelf-{number}",)),
        ]
    write(os.path.join(room, "package-lock.json"), '{"name": "all", "lockfileVersion": 3, "packages": {}}\n')
    env = shop.environment() | {"TURBO_TELEMETRY_DISABLED": "1"}
    text = shop.run(
        [
            tool,
            "run",
            "build",
            "test",
            "--continue",
            "--no-color",
            "--concurrency=1",
            "--no-daemon",
            "--log-order=grouped",
        ],
        room,
        env=env,
    ).text
    facts += suite_facts(48) + [
        Fact("message", (line.strip(),)) for line in text.splitlines() if re.match(r"\s*(Tasks|Failed):", line)
    ]
    yield Item(name, PIPELINE, "text", "turbo run build test", text.replace(f"{room}/", ""), said_in(facts, text))


RECIPES = {
    "ninja-shelves": partial(ninja_run, "ninja-shelves"),
    "scons-shelves": partial(scons_run, "scons-shelves"),
    "ant-shelves": partial(ant_run, "ant-shelves"),
    "mvn-compile": partial(maven_compile, "mvn-compile"),
    "mvn-test": partial(maven_test, "mvn-test"),
    "honcho-services": partial(honcho_run, "honcho-services"),
    "concurrently-services": partial(concurrently_run, "concurrently-services"),
    "tox-shelves": partial(tox_run, "tox-shelves"),
    "pre-commit-shelves": partial(hooks_run, "pre-commit-shelves"),
    "gitlab-pipeline": partial(gitlab_run, "gitlab-pipeline"),
    "turbo-shelves": partial(turbo_run, "turbo-shelves"),
}
