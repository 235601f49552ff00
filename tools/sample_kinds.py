"""Writes tests/samples/kinds anew: what real tools say about a small project, trimmed and without a trace of the machine.

Usage: python tools/sample_kinds.py [NAME...]. A tool that is not installed keeps its old sample.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).parent.parent / "tests" / "samples"
LONGEST = 4_000

# <kind>-<tool>.<ext>: the command that says it, run in a copy of the project.
COMMANDS = {
    "test_report-pytest.txt": "python -m pytest tests -p no:cacheprovider -p no:xdist -p no:hypothesispytest",
    "test_report-pytest-quiet.txt": "python -m pytest -q tests -p no:cacheprovider",
    "test_report-pytest-verbose.txt": "python -m pytest -v --tb=short tests -p no:cacheprovider",
    "test_report-unittest.txt": "python -m unittest -v tests.test_totals",
    "test_report-unittest-dots.txt": "python -m unittest tests.test_totals",
    "test_report-node-tap.txt": "node --test --test-reporter=tap lib/",
    "test_report-node-spec.txt": "node --test --test-reporter=spec lib/",
    "test_report-cargo.txt": "cd ledger && cargo test --offline --quiet 2>&1; cargo test --offline 2>&1",
    "test_report-ctest.txt": "ctest --test-dir build",
    "test_report-ctest-failing.txt": "ctest --test-dir build --output-on-failure -R many",
    "log-gcc.txt": "gcc -Wall -fno-diagnostics-show-caret src/broken.c; gcc -Wall src/broken.c",
    "log-rustc.txt": "rustc --edition 2021 -o build/x src/broken.rs",
    "log-javac.txt": "javac -d build src/Broken.java",
    "log-mypy.txt": "python -m mypy --strict --cache-dir=/dev/null prices",
    "log-ruff.txt": "ruff check --isolated --no-cache --select ALL --output-format concise prices/broken.py",
    "log-ruff-full.txt": "ruff check --isolated --no-cache --select F,ANN prices/broken.py",
    "log-make.txt": "make all",
    "log-cmake.txt": "cmake -S . -B build2",
    "log-cargo-build.txt": "cd ledger && touch src/lib.rs && cargo build --offline",
    "log-pip.txt": "python -m pip install --no-index --no-deps --no-build-isolation --dry-run --verbose prices-missing",
    "log-python-logging.txt": 'python -c "$LOGGING" ',
    "log-http-server.txt": "python -c \"$SERVER\"",
    "log-traceback.txt": "python -c 'import prices.broken'",
    "log-node-trace.txt": "node -e \"require('./lib/cart.js').checkout(null)\"",
    "log-apt.txt": "cat /var/log/dpkg.log | tail -40",
    "log-strace.txt": "strace -e trace=file true",
    "log-curl-verbose.txt": "python -c \"$CURL\"",
    "log-npm.txt": "npm install --offline --no-audit --no-fund left-over-shop-package",
    "log-valgrind.txt": "valgrind ./build/stock tea",
    "log-syslog.txt": "python -c \"$SYSLOG\"",
    "log-json-mixed.txt": "python -c \"$MIXED\"",
    "diff-git.diff": "git diff HEAD~1",
    "diff-git-show.diff": "git show --stat --patch HEAD",
    "diff-git-log.diff": "git log -p -2",
    "diff-diff-u.diff": "diff -u src/stock.c src/broken.c",
    "diff-diff-r.diff": "diff -ruN lib web",
    "diff-diff-c.diff": "diff -c src/stock.c src/broken.c",
    "listing-git-status.txt": "git status",
    "listing-git-porcelain.txt": "git status --porcelain; git status --porcelain --ignored",
    "listing-git-oneline.txt": "git log --oneline",
    "listing-git-log.txt": "git log",
    "listing-git-stat.txt": "git show --stat --format= HEAD~1",
    "listing-git-ls-files.txt": "git ls-files",
    "listing-ls-R.txt": "ls -R",
    "listing-ls-l.txt": "ls -la . src",
    "listing-find.txt": "find . -type f -not -path './.git/*'",
    "listing-find-ls.txt": "find src -ls",
    "listing-du.txt": "du -a src lib",
    "listing-df.txt": "df -h / /tmp",
    "listing-ps.txt": "sleep 5 & sleep 5 & ps -o pid,ppid,stat,time,comm --ppid $$",
    "listing-ps-aux.txt": "ps u -p $$",
    "listing-pip.txt": "python -m pip list --disable-pip-version-check",
    "listing-free.txt": "free -m; free -h",
    "listing-csv.csv": "sqlite3 -csv -header :memory: \"$TABLE\"",
    "listing-tsv.tsv": "sqlite3 -tabs -header :memory: \"$TABLE\"",
    "listing-sqlite-table.txt": "sqlite3 -table :memory: \"$TABLE\"",
    "listing-sqlite-column.txt": "sqlite3 -column -header :memory: \"$TABLE\"",
    "listing-nm.txt": "nm build/stock",
    "listing-tar.txt": "tar tvf build/shop.tar",
    "listing-unzip.txt": "python -m zipfile -l build/shop.zip",
    "listing-sha256sum.txt": "sha256sum src/* lib/*",
    "listing-wc.txt": "wc -l src/* lib/* prices/*",
    "matches-grep.txt": "grep -rn cents . --include=*.py --include=*.js --include=*.go",
    "matches-grep-context.txt": "grep -rn -C2 coin src",
    "matches-git-grep.txt": "git grep -n till",
    "matches-git-grep-heading.txt": "git grep -n --heading --break cents",
    "json-npm.json": "npm config ls --json --offline 2>/dev/null | python -c \"$FEWER\"",
    "json-pip.json": "python -m pip list --format json --disable-pip-version-check",
    "json-sqlite.json": "sqlite3 -json :memory: \"$TABLE\"",
    "json-ruff.json": "ruff check --isolated --no-cache --select F401 --output-format json prices/broken.py",
    "json-indented.json": "python -m json.tool --indent 4 package.json",
    "json-source-map.json": "python -c \"$MAP\"",
    "json-cargo-metadata.json": "cd ledger && cargo metadata --offline --no-deps --format-version 1",
    "ndjson-cargo.json": "cd ledger && cargo build --offline --message-format json 2>/dev/null",
    "ndjson-ruff.jsonl": "ruff check --isolated --no-cache --select F,ANN,D,I,T20 --output-format json-lines prices/broken.py 2>/dev/null",
    "ndjson-log.jsonl": "python -c \"$JSONLOG\"",
    "ndjson-arrays.jsonl": "python -c \"$ARRAYS\"",
    "xml-junit.xml": "python -m pytest -q tests -p no:cacheprovider -o junit_family=xunit2 --tb=line --junitxml=build/out.xml >/dev/null; cat build/out.xml",
    "xml-ctest.xml": "ctest --test-dir build --output-junit junit.xml >/dev/null 2>&1; cat build/junit.xml",
    "xml-svg.svg": "cat web/icon.svg",
    "xml-indented.xml": "python -c \"$PRETTY\"",
    "base64-base64.txt": "gzip -nc src/stock.c | base64",
    "base64-openssl.txt": "gzip -nc src/stock.cpp | openssl base64 -A",
    "base64-data-uri.txt": "printf 'data:application/gzip;base64,'; gzip -nc src/till.go | base64 -w0",
    "one_line-minified.js": "python -c \"$MINIFY\" lib/cart.js",
    "one_line-words.txt": "tr '\\n' ' ' < README.md | tr -d '`#'; tr '\\n' ' ' < README.md",
    "one_line-minified.css": "python -c \"$MINIFY\" web/style.css",
    "prose-man.txt": "man -l -Tascii shop.1 | cat",
    "prose-man-overstruck.txt": "groff -man -Tascii -P-c shop.1",
    "prose-readme.md": "cat README.md",
    "prose-help.txt": "python -m json.tool --help; python -m zipfile --help; python -m tarfile --help",
    "code-python.py": "cat prices/totals.py",
    "code-python-tests.py": "cat tests/test_totals.py",
    "code-javascript.js": "cat lib/cart.js",
    "code-javascript-tests.js": "cat lib/cart.test.js",
    "code-typescript.ts": "cat lib/cart.ts",
    "code-c.c": "cat src/stock.c",
    "code-c-preprocessed.c": "printf 'struct a { int b; };\\nint f(struct a *x)\\n{\\n    return x->b;\\n}\\n' | gcc -E -P -",
    "code-cpp.cpp": "cat src/stock.cpp",
    "code-csharp.cs": "cat src/Till.cs",
    "code-java.java": "cat src/Till.java",
    "code-go.go": "cat src/till.go",
    "code-ruby.rb": "cat src/till.rb",
    "code-php.php": "cat src/till.php",
    "code-rust.rs": "cat ledger/src/lib.rs",
    "code-shell.sh": "cat ops/deploy.sh",
    "code-sql.sql": "cat ops/tables.sql",
    "code-sql-dump.sql": "sqlite3 :memory: \"$TABLE\" .dump",
    "code-html.html": "cat web/index.html",
    "code-css.css": "cat web/style.css",
    "code-yaml.yaml": "cat ops/compose.yaml",
    "code-toml.toml": "cat ledger/Cargo.toml",
    "code-toml-lock.toml": "cat ledger/Cargo.lock; printf '\\n[[package]]\\nname = \"other\"\\nversion = \"1.0.0\"\\n'",
    "text-hexdump.txt": "xxd -l 800 build/stock",
    "text-objdump.txt": "objdump -d build/stock | head -60",
    "text-short.txt": "python -c \"print(42)\"",
    "text-numbers.txt": "seq 1 200",
    "binary-gzip.txt": "gzip -nc src/stock.c",
}

# Programs for `python -c`, handed over in the environment.
PROGRAMS = {
    "LOGGING": """
import logging
logging.basicConfig(level='DEBUG', format='%(asctime)s %(levelname)-8s %(name)s: %(message)s')
log = logging.getLogger('shop.till')
for number in range(12):
    log.info('took %d cents', number * 5)
log.warning('the drawer is nearly full')
try:
    1 / 0
except ZeroDivisionError:
    log.exception('the drawer jammed')
""",
    "SYSLOG": """
import time
for number in range(30):
    stamp = time.strftime('%b %d %H:%M:%S', time.gmtime(1_780_000_000 + number * 7))
    print(f'{stamp} buildhost tilld[{811 + number % 2}]: session {number} opened for the front till')
""",
    "MIXED": """
import json
for number in range(15):
    print(f'2026-05-01T10:00:{number:02}Z [tilld] level=info msg="booked" cents={number * 5}')
    if number % 5 == 0:
        print(json.dumps({'event': 'receipt', 'number': number}))
""",
    "JSONLOG": """
import json
for number in range(20):
    level = 'error' if number == 13 else 'info'
    print(json.dumps({'ts': f'2026-05-01T10:00:{number:02}Z', 'level': level, 'msg': 'booked', 'cents': number * 5}))
""",
    "ARRAYS": "for n in range(12): print(__import__('json').dumps([n, 'thing', {'cents': n * 5}]))",
    "SERVER": """
import functools, http.server, threading, urllib.request, urllib.error
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory='web')
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
for path in ('index.html', 'style.css', 'missing.png', 'index.html', 'cart.js') * 3:
    try:
        urllib.request.urlopen(f'http://127.0.0.1:{server.server_port}/{path}').read()
    except urllib.error.HTTPError:
        pass
server.shutdown()
""",
    "CURL": """
import functools, http.server, subprocess, threading
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Quiet, directory='web'))
threading.Thread(target=server.serve_forever, daemon=True).start()
subprocess.run(['curl', '-sv', '-o', '/dev/null', f'http://127.0.0.1:{server.server_port}/style.css'])
server.shutdown()
""",
    "TABLE": """
create table items (id integer primary key, name text, cents integer, shelf text);
insert into items (name, cents, shelf) values ('tea', 250, 'top'), ('jam', 199, 'top'), ('rice', 120, 'low'),
 ('beans', 95, 'low'), ('salt', 40, 'low'), ('honey', 510, 'top'), ('oats', 130, 'mid'), ('plums', 310, 'mid');
select * from items;
""",
    "FEWER": "import json, sys; print(json.dumps(dict(list(json.load(sys.stdin).items())[:12]), indent=2))",
    "MAP": """
import json
mappings = ';'.join('AAAA,SAASA,KAAKC,GAAIC' for _ in range(40))
print(json.dumps({'version': 3, 'file': 'cart.min.js', 'sources': ['cart.js'], 'names': ['add'], 'mappings': mappings}))
""",
    "PRETTY": """
import xml.etree.ElementTree as tree
shop = tree.Element('shop')
for number in range(12):
    item = tree.SubElement(shop, 'item', id=str(number))
    tree.SubElement(item, 'name').text = f'thing {number}'
tree.indent(shop)
print(tree.tostring(shop, encoding='unicode'))
""",
    "MINIFY": """
import re, sys
text = re.sub(r'/[*].*?[*]/', '', open(sys.argv[1]).read(), flags=re.S)
text = re.sub(r' *([{}();,:=<>+?]|=>) *', r'\\1', re.sub(r'\\s+', ' ', text)).strip()
print(text * 6)
""",
}  # fmt: skip


def main(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as home:
        project = Path(home) / "shop"
        prepare(project)
        for name, command in COMMANDS.items():
            if not names or name in names:
                write(name, said(command, project, home))


def prepare(project: Path) -> None:
    """A copy of the project with two commits, a build and something uncommitted."""
    shutil.copytree(SAMPLES / "shop", project)
    (project / "build").mkdir()
    (project / "package.json").write_text('{"name": "shop", "version": "1.4.0", "license": "MIT", "files": ["lib"]}\n')
    (project / ".gitignore").write_text("build/\ntarget/\n__pycache__/\n")
    run = "git -c user.name=Dev -c user.email=dev@example.org -c commit.gpgsign=false"
    for step in (
        "git init -q -b main",
        f"git add . && {run} commit -qm 'Open the shop'",
        "sed -i s/250/260/ lib/cart.test.js && sed -i 's/SHELVES 12/SHELVES 14/' src/stock.c",
        f"{run} commit -qam 'Raise the price of tea'",
        "echo 'closed on Sundays' >> README.md && touch NOTES.txt && git rm -q --cached web/style.css",
        "cmake -S . -B build && cmake --build build",
        "tar cf build/shop.tar src lib && python -m zipfile -c build/shop.zip src lib",
    ):
        said(step, project, str(project.parent))


def said(command: str, project: Path, home: str) -> bytes:
    """What `command` says, on either stream, and nothing about where."""
    tools = Path(sys.executable).parent
    environment = {
        **PROGRAMS,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": home,
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(Path.home() / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_PAGER": "cat",
        "MANWIDTH": "80",
        "COLUMNS": "100",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_AUTHOR_DATE": "2026-05-01T10:00:00Z",
        "GIT_COMMITTER_DATE": "2026-05-01T10:00:00Z",
    }
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1; {command}"],
        cwd=project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    return scrubbed(done.stdout, project)


def scrubbed(output: bytes, project: Path) -> bytes:
    host, user = os.uname().nodename.encode(), (os.environ.get("USER") or "root").encode()
    output = output.replace(str(project).encode(), b"/srv/shop").replace(str(project.parent).encode(), b"/srv")
    output = re.sub(rb"/(?:root|home/\w+|work|opt)/[\w./+@~-]*", b"/usr/local/lib/tool", output)
    output = re.sub(rb"https?://(?!www\.w3\.org|127\.)[\w.-]+", b"https://example.org", output)
    output = re.sub(rb"\b(?:%s)\b" % re.escape(host), b"buildhost", output)
    return re.sub(rb"\b%s\b" % re.escape(user), b"dev", output)


def write(name: str, output: bytes) -> None:
    if b"command not found" in output or not output.strip():
        print(f"kept as it was: {name}")
        return
    if len(output) > LONGEST and not name.startswith(("json", "xml", "base64", "one_line", "binary")):
        lines = output.splitlines(keepends=True)
        head, tail = trimmed(lines, LONGEST // 2), trimmed(lines[::-1], LONGEST // 2)[::-1]
        output = b"".join(head + tail)
    (SAMPLES / "kinds").mkdir(exist_ok=True)
    (SAMPLES / "kinds" / name).write_bytes(output)


def trimmed(lines: list[bytes], room: int) -> list[bytes]:
    kept = []
    for line in lines:
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return kept


if __name__ == "__main__":
    main(sys.argv[1:])
