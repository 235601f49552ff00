"""What looks into running programs: valgrind, gdb, ltrace, perf, tshark."""

import http.server
import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import said_in
from shop import Shop

TRACER = "tracer"


def _compiled(shop: Shop, room: str, source: str, *flags: str) -> str:
    shop.need("gcc")
    with open(os.path.join(room, "program.c"), "w", encoding="utf-8") as out:
        out.write(source)
    made = shop.run(["gcc", "-g", "-O0", "-w", "-o", "program", "program.c", *flags], room)
    made.check()
    return os.path.join(room, "program")


def _leaky() -> str:
    """A program of forty steps: most lose memory, some read or write where they must not."""
    text, calls = "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\nvolatile int sink;\n", ""
    for number in range(40):
        fault = {
            6: "p[%d] = 1;", 13: "free(p); sink = p[3];", 19: "free(p); free(p);", 26: 'if (p[2]) puts("set");',
            31: "memcpy(p, p + 2, 8);", 37: "sink = p[-1];",
        }.get(number, "")  # fmt: skip
        fault = fault % (number + 24) if "%d" in fault else fault
        text += f"void step_{number}(void) {{\n  char *p = malloc({number + 24});\n  {fault}\n}}\n"
        calls += f"  step_{number}();\n"
    return f"{text}int main(void) {{\n{calls}  return 0;\n}}\n"


def valgrind_run(name: str, shop: Shop) -> Iterator[Item]:
    """What valgrind says of a program with planted faults; the facts are those of its XML."""
    shop.install("valgrind")
    room = shop.room(name)
    program = os.path.relpath(_compiled(shop, room, _leaky()), room)
    flags = ["--leak-check=full", "--show-leak-kinds=all"]
    text = shop.run(["valgrind", *flags, f"./{program}"], room).text.replace(f"{room}/", "")
    shop.run(["valgrind", *flags, "--xml=yes", "--xml-file=report.xml", f"./{program}"], room)
    facts = []
    for error in ET.parse(os.path.join(room, "report.xml")).getroot().iter("error"):
        said = error.findtext("what") or error.findtext("xwhat/text") or ""
        frames = [
            (one.findtext("fn") or "", f"{one.findtext('file')}:{one.findtext('line')}") for one in error.iter("frame")
        ]
        step = next((frame for frame in frames if frame[0].startswith("step_")), ("", ""))
        facts += [Fact("name", (step[0],)), Fact("location", (step[1],))]
        facts += [Fact("message", (said,))] if "lost in loss record" not in said else []
    total = re.findall(r"(?:ERROR SUMMARY: \d+ errors|definitely lost: .* blocks|total heap usage: .*)", text)
    facts += [Fact("message", (line,)) for line in total]
    yield Item(name, TRACER, "text", "valgrind --leak-check=full", text, said_in(facts, text))


THREADED = """#include <pthread.h>
#include <unistd.h>
#include <stddef.h>
struct job { int number; char name[16]; int *total; };
int all;
void wait_for_socket(struct job *j) { int socket_left = j->number * 3; for (;;) sleep(socket_left + 60); }
void wait_for_lock(struct job *j) { int lock_owner = 900 + j->number; for (;;) sleep(lock_owner); }
void add_total(struct job *j) { int before = *j->total; *j->total = before + 1; }
void *work(void *at) {
  struct job *j = at;
  if (j->number == 17) { sleep(1); add_total(j); }
  if (j->number % 9 == 4) wait_for_lock(j);
  wait_for_socket(j);
  return NULL;
}
int main(void) {
  static struct job jobs[28];
  pthread_t ids[28];
  for (int i = 0; i < 28; i++) { jobs[i].number = i; jobs[i].name[0] = 'a' + i; jobs[i].total = i == 17 ? NULL : &all; pthread_create(&ids[i], NULL, work, &jobs[i]); }
  for (int i = 0; i < 28; i++) pthread_join(ids[i], NULL);
}
"""


def gdb_run(name: str, shop: Shop) -> Iterator[Item]:
    """What gdb prints of all threads of a program that crashed in one of them; the facts are what was planted."""
    shop.install("gdb")
    room = shop.room(name)
    _compiled(shop, room, THREADED, "-pthread")
    asked = ["-ex", "run", "-ex", "thread apply all bt full", "-ex", "info registers", "-ex", "info sharedlibrary"]
    text = shop.run(["gdb", "-nx", "-batch", *asked, "./program"], room).text.replace(f"{room}/", "")
    lines = THREADED.splitlines()
    crash = next(number for number, line in enumerate(lines, 1) if "void add_total" in line)
    facts = [Fact("message", ("SIGSEGV",)), Fact("name", ("add_total",)), Fact("location", (f"program.c:{crash}",))]
    facts += [Fact("name", (one,)) for one in ("wait_for_socket", "wait_for_lock", "work", "main", "clock_nanosleep")]
    facts += [Fact("message", (f"lock_owner = {900 + number}",)) for number in (4, 13, 22)]
    facts += [Fact("odd", (), ("number = 17", "total = 0x0")), Fact("name", ("rip",)), Fact("message", ("libc.so.6",))]
    facts += [Fact("odd", (), (f"Thread {number}", "LWP")) for number in range(1, 30)]
    yield Item(name, TRACER, "text", "gdb -batch", text, said_in(facts, text))


CALLING = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char line[80];
  for (int i = 0; i < 260; i++) {
    char *copy = strdup("row");
    snprintf(line, sizeof line, "%s-%d", copy, i);
    if (i == 120) fopen("/etc/no-such-planted.conf", "r");
    if (i == 190) setenv("PLANTED_MODE", "unsafe", 1);
    if (i == 200) system("exit 3");
    if (i == 230) access("/planted/secret", R_OK);
    strlen(line); atoi(line + 4);
    if (i != 77) free(copy);
  }
  remove("/planted/left-over");
  return 5;
}
"""


def ltrace_run(name: str, shop: Shop) -> Iterator[Item]:
    """The library calls of a program that does a few odd things; the facts are these and the names of all it calls."""
    shop.install("ltrace")
    room = shop.room(name)
    _compiled(shop, room, CALLING, "-Wl,-z,lazy", "-no-pie")
    text = shop.run(["ltrace", "-S", "-o", "calls.txt", "./program"], room).text
    with open(os.path.join(room, "calls.txt"), encoding="utf-8", errors="replace") as file:
        text = file.read()
    facts = [Fact("odd", (), parts) for parts in (
        ("fopen", "/etc/no-such-planted.conf"), ("setenv", "PLANTED_MODE"), ("system", "exit 3"), ("access", "/planted/secret"),
        ("remove", "/planted/left-over"), ("exited", "status 5"), ("SIGCHLD",),
    )]  # fmt: skip
    facts += [Fact("name", (call,)) for call in dict.fromkeys(re.findall(r"^(\w+(?:@\w+)?)\(", text, re.MULTILINE))]
    yield Item(name, TRACER, "text", "ltrace -S", text, said_in(facts, text))


class Planted(http.server.BaseHTTPRequestHandler):
    """A server that sometimes refuses, and once hangs up."""

    def do_GET(self) -> None:
        number = int(self.path.rpartition("/")[2])
        if number == 66:
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(503 if number in (23, 90) else 401 if number == 41 else 200)
        self.end_headers()
        self.wfile.write(b"z" * (9_000 if number == 105 else 40))

    def log_message(self, format: str, *words: object) -> None:  # noqa: A002 - the name is the base class's
        del format, words


def tshark_run(name: str, shop: Shop) -> Iterator[Item]:
    """Packets between a client and a server on loopback; the facts, from tshark's fields, are requests, refusals, resets."""
    shop.install("tcpdump")
    shop.install("tshark")
    room = shop.room(name)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Planted)
    port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    kept = os.path.join(room, "all.pcap")
    caught = subprocess.Popen(
        ["tcpdump", "-i", "lo", "-U", "-w", kept, f"tcp port {port} or tcp port 9"], stderr=subprocess.DEVNULL
    )
    time.sleep(3)
    for number in range(140):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/part/{number}", timeout=5).read()
        except (urllib.error.URLError, OSError):
            continue
    with socket.socket() as probe:
        probe.connect_ex(("127.0.0.1", 9))
    time.sleep(2)
    caught.terminate()
    caught.wait(20)
    server.shutdown()
    decode = ["-d", f"tcp.port=={port},http"]
    text = shop.run(["tshark", "-r", kept, "-n", *decode], room, apart=True).text
    listed = shop.run(["tshark", "-r", kept, "-n", *decode, "-T", "json", "-e", "frame.number", "-e", "http.response.code",
                       "-e", "http.request.uri", "-e", "tcp.flags.reset"], room, apart=True).text  # fmt: skip
    rows = [one["_source"]["layers"] for one in json.loads(listed)]
    facts = [Fact("odd", (), ("HTTP/1.0", one["http.response.code"][0])) for one in rows if "http.response.code" in one]
    facts += [Fact("odd", (), (one["frame.number"][0], one["http.response.code"][0])) for one in rows
              if one.get("http.response.code", ["200"])[0] != "200"]  # fmt: skip
    facts += [
        Fact("odd", (), (one["frame.number"][0], "RST"))
        for one in rows
        if one.get("tcp.flags.reset") in (["1"], ["True"])
    ]
    facts += [Fact("path", (f"/part/{number}",)) for number in (23, 41, 66, 90, 105)]
    facts += [
        Fact("message", (one,)) for one in ("[SYN]", "[SYN, ACK]", "[FIN, ACK]", "[RST, ACK]", "[PSH, ACK]", " 9 [SYN]")
    ]
    yield Item(name, TRACER, "text", "tshark -r", text, said_in(facts, text))


RECIPES = {
    "valgrind-steps": partial(valgrind_run, "valgrind-steps"),
    "gdb-threads": partial(gdb_run, "gdb-threads"),
    "ltrace-rows": partial(ltrace_run, "ltrace-rows"),
    "tshark-loopback": partial(tshark_run, "tshark-loopback"),
}
