"""Reports of crashes that nobody tunes on: sanitizers, panics and what interpreters write when they die; all planted."""

import glob
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_documents import keys_of
from recipes.held_linters import read
from recipes.held_suites import write

CRASH = "crash report"
RACES = 16


def build(shop: Shop, room: str, source: str, *flags: str) -> None:
    done = shop.run(["gcc", "-g", "-O0", "-w", *flags, "-o", "shelf", source, "-lpthread"], room)
    done.check()


def address_run(name: str, shop: Shop) -> Iterator[Item]:
    """What AddressSanitizer prints of a program with ten faults of several kinds; the facts are the faults."""
    room = shop.room(name)
    kinds = {
        "heap-buffer-overflow": "char *p = malloc({n}); sink = p[{n}]; free(p);",
        "heap-use-after-free": "char *p = malloc({n}); free(p); sink = p[1];",
        "stack-buffer-overflow": "char p[{n}]; volatile int i = {n}; sink = p[i];",
        "global-buffer-overflow": "volatile int i = 12; sink = board[i];",
        "stack-use-after-scope": "char *p; {{ char q[{n}]; p = q; }} sink = p[0];",
    }
    code, calls, facts, line = "#include <stdlib.h>\nstatic char board[12];\nvolatile int sink;\n", "", [], 4
    for number in range(10):
        kind = list(kinds)[number % len(kinds)]
        code += f"static void pack_{number}(void) {{ {kinds[kind].format(n=number + 8)} }}\n"
        calls += f"  pack_{number}();\n"
        facts += [
            Fact("name", (f"pack_{number}",)),
            Fact("location", (f"shelf.c:{line}",)),
            Fact("message", (f"AddressSanitizer: {kind}",)),
        ]
        line += 1
    write(os.path.join(room, "shelf.c"), f"{code}int main(void) {{\n{calls}  malloc(4711);\n  return 0;\n}}\n")
    build(shop, room, "shelf.c", "-fsanitize=address", "-fsanitize-recover=address")
    text = shop.run(["./shelf"], room, env={"ASAN_OPTIONS": "halt_on_error=0"}).text.replace(f"{room}/", "")
    facts += [
        Fact("message", (one,))
        for one in ("LeakSanitizer: detected memory leaks", "Direct leak of 4711 byte(s)", "SUMMARY: AddressSanitizer")
    ]
    yield Item(name, CRASH, "text", "./asan-shelf", text, said_in(facts, text))


def races_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ThreadSanitizer prints of a program with races and a lock order turned round; the facts are these."""
    room = shop.room(name)
    code = "#include <pthread.h>\nstatic pthread_mutex_t left, right;\n"
    code += "".join(
        f"static int weight_{number};\nstatic void *weigh_{number}(void *x) {{ weight_{number}++; return 0; }}\n"
        for number in range(RACES)
    )
    code += "static void *take(void *x) { pthread_mutex_lock(&left); pthread_mutex_lock(&right); pthread_mutex_unlock(&right); pthread_mutex_unlock(&left); return 0; }\n"
    code += "static void *give(void *x) { pthread_mutex_lock(&right); pthread_mutex_lock(&left); pthread_mutex_unlock(&left); pthread_mutex_unlock(&right); return 0; }\n"
    runs = "".join(
        f"  pthread_create(&a, 0, weigh_{number}, 0); pthread_create(&b, 0, weigh_{number}, 0); pthread_join(a, 0); pthread_join(b, 0);\n"
        for number in range(RACES)
    )
    code += f"int main(void) {{\n  pthread_t a, b;\n  pthread_mutex_init(&left, 0); pthread_mutex_init(&right, 0);\n{runs}  pthread_create(&a, 0, take, 0); pthread_join(a, 0); pthread_create(&b, 0, give, 0); pthread_join(b, 0);\n  return 0;\n}}\n"
    write(os.path.join(room, "shelf.c"), code)
    build(shop, room, "shelf.c", "-fsanitize=thread")
    text = shop.run(["setarch", "-R", "./shelf"], room).text.replace(f"{room}/", "")
    facts = [Fact("name", (f"weigh_{number}",)) for number in range(RACES)] + [
        Fact("message", (f"'weight_{number}'",)) for number in range(RACES)
    ]
    facts += [Fact("location", (f"shelf.c:{line}",)) for line in range(4, 4 + 2 * RACES, 2)]
    facts += [
        Fact("message", (one,))
        for one in (
            "ThreadSanitizer: data race",
            "lock-order-inversion (potential deadlock)",
            "ThreadSanitizer: reported",
        )
    ]
    facts += [Fact("name", ("take",)), Fact("name", ("give",))]
    yield Item(name, CRASH, "text", "./tsan-shelf", text, said_in(facts, text))


GO = """package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

type Shelf struct{ parcels map[string]int }

func (s *Shelf) waitForParcel(door chan int) { fmt.Fprintln(os.Stderr, <-door) }

func holdKey(key *sync.Mutex) { key.Lock(); time.Sleep(time.Hour) }

func wantKey(key *sync.Mutex, number int) { key.Lock(); fmt.Println(number) }

func (s *Shelf) putParcel(number int) { s.parcels[fmt.Sprint(number)] = number }

func main() {
	var key sync.Mutex
	shelf := &Shelf{map[string]int{}}
	for number := 0; number < 70; number++ {
		go shelf.waitForParcel(make(chan int))
	}
	go holdKey(&key)
	time.Sleep(50 * time.Millisecond)
	for number := 0; number < 3; number++ {
		go wantKey(&key, number)
	}
	go func() { select {} }()
	time.Sleep(50 * time.Millisecond)
	var empty Shelf
	empty.putParcel(4711)
}
"""


def panic_run(name: str, shop: Shop) -> Iterator[Item]:
    """What a program in Go prints when it dies with all its goroutines; the facts are what was planted in it."""
    shop.need("go", package="golang-go")
    room = shop.room(name)
    write(os.path.join(room, "shelf.go"), GO)
    write(os.path.join(room, "go.mod"), "module shelf\n\ngo 1.19\n")
    made = shop.run(
        ["go", "build", "-o", "shelf", "."], room, env={"GOCACHE": os.path.join(shop.root, "go"), "GOFLAGS": "-mod=mod"}
    )
    made.check()
    text = shop.run(["./shelf"], room, env={"GOTRACEBACK": "all"}).text.replace(f"{room}/", "")
    facts = [
        Fact("message", (one,))
        for one in (
            "panic: assignment to entry in nil map",
            "goroutine 1 [running]:",
            "main.(*Shelf).putParcel",
            "main.holdKey",
            "main.wantKey",
            "main.(*Shelf).waitForParcel",
            "main.main.func1",
        )
    ]
    facts += [
        Fact("message", (f"[{one}",))
        for one in ("running", "chan receive", "sleep", "select (no cases)", "sync.Mutex.Lock", "semacquire")
    ]
    facts += [Fact("location", (f"shelf.go:{number}",)) for number in range(1, GO.count("\n") + 1)]
    yield Item(name, CRASH, "text", "./panic-shelf", text, said_in(facts, text))


NODE = """const { Worker } = require('worker_threads'), net = require('net'), fs = require('fs');
process.env.SHELF_MODE = 'planted';
for (let n = 0; n < 25; n++) setTimeout(() => {}, 100000 + n);
const server = net.createServer().listen(0, '127.0.0.1', () => {
  fs.watch('.');
  function weighParcel(n) { if (n === 0) throw new RangeError('parcel 4711 is too heavy'); weighParcel(n - 1); }
  weighParcel(6);
});
"""


def node_run(name: str, shop: Shop) -> Iterator[Item]:
    """The report that node writes when an exception is not caught; the facts are its keys and what was planted."""
    shop.need("node")
    room = shop.room(name)
    write(os.path.join(room, "shelf.js"), NODE)
    shop.run(
        [
            "env",
            "-i",
            f"PATH={os.environ['PATH']}",
            "SHELF_NAME=third",
            "node",
            "--report-uncaught-exception",
            "--report-filename=report.node",
            "shelf.js",
        ],
        room,
    )
    text = read(os.path.join(room, "report.node"))
    value = json.loads(text)
    facts = [
        Fact("key", (key,))
        for key in keys_of(
            {key: one for key, one in value.items() if key not in {"sharedObjects", "environmentVariables"}}
        )
    ]
    facts += [
        Fact("message", (one,))
        for one in ("parcel 4711 is too heavy", "weighParcel", "shelf.js:6:", "RangeError", "SHELF_MODE", "SHELF_NAME")
    ]
    facts += [Fact("message", (f'"{one}"',)) for one in sorted({row["type"] for row in value["libuv"]})]
    facts += [
        Fact("message", (json.dumps(value["header"][key]),))
        for key in ("event", "trigger", "nodejsVersion", "arch", "platform")
    ]
    facts += [Fact("message", (os.path.basename(one),)) for one in value["sharedObjects"]]
    yield Item(name, CRASH, "json", "cat report.node", text, said_in(facts, text))


RUBY = """require 'json'
require 'set'
require 'openssl'
def weigh(depth) = depth.zero? ? Process.kill(:SEGV, $$) && sleep(1) : weigh(depth - 1)
class Shelf; def put = weigh(7); end
Shelf.new.put
"""


def ruby_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ruby writes when it is hit by a signal; the facts are its frames, its parts and the features it had loaded."""
    shop.install("ruby")
    room = shop.room(name)
    write(os.path.join(room, "shelf.rb"), RUBY)
    text = shop.run(["ruby", "shelf.rb"], room).text.replace(f"{room}/", "")
    loaded = shop.run(
        ["ruby", "-rjson", "-rset", "-ropenssl", "-e", "puts $LOADED_FEATURES"], room, apart=True
    ).text.split()
    facts = [
        Fact("message", (one,))
        for one in ("[BUG] Segmentation fault", "in `weigh'", "in `put'", "shelf.rb:4", "shelf.rb:5", "shelf.rb:6")
    ]
    facts += [Fact("message", (line,)) for line in text.splitlines() if line.startswith("-- ") and line.endswith("-")]
    facts += [Fact("path", (one,)) for one in loaded if "/" in one]
    facts += [Fact("message", (one,)) for one in ("Loaded features", "Process memory map", "Loaded script: shelf.rb")]
    yield Item(name, CRASH, "text", "ruby shelf.rb", text, said_in(facts, text))


JAVA = """public class Shelf {
  static void pause(long ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { } }
  public static void main(String[] args) {
    for (int i = 0; i < 20; i++) { Thread t = new Thread(() -> pause(60000), "packer-" + i); t.setDaemon(true); t.start(); }
    System.out.println("up"); pause(1500);
    try { new ProcessBuilder("kill", "-SEGV", "" + ProcessHandle.current().pid()).start(); } catch (Exception e) { }
    pause(20000);
  }
}
"""


def java_run(name: str, shop: Shop) -> Iterator[Item]:
    """The file that a Java machine leaves when it crashes; the facts are its sections, threads, flags and last words."""
    shop.need("javac", package="default-jdk-headless")
    room = shop.room(name)
    write(os.path.join(room, "Shelf.java"), JAVA)
    shop.run(["javac", "Shelf.java"], room)
    shop.run(
        [
            "env",
            "-i",
            f"PATH={os.environ['PATH']}",
            "LANG=C",
            "java",
            "-Xmx111m",
            "-XX:-CreateCoredumpOnCrash",
            "-Dshelf.mode=planted",
            "Shelf",
        ],
        room,
    )
    text = read(glob.glob(os.path.join(room, "hs_err*.log"))[0]).replace(f"{room}/", "")
    facts = [Fact("message", (f'"packer-{number}"',)) for number in range(20)]
    facts += [
        Fact("message", (one,))
        for one in (
            "SIGSEGV (0xb)",
            "sent by kill",
            "-Xmx111m",
            "-Dshelf.mode=planted",
            "java_command: Shelf",
            "Current thread",
            "Problematic frame",
        )
    ]
    facts += [Fact("heading", (one,)) for one in re.findall(r"^-{5,}  (.*?)  -{5,}$", text, re.MULTILINE)]
    facts += [Fact("heading", (one,)) for one in re.findall(r"^([A-Z][\w .()-]{4,60}):$", text, re.MULTILINE)]
    yield Item(name, CRASH, "text", "java Shelf", text, said_in(facts, text))


RECIPES = {
    "asan-shelf": partial(address_run, "asan-shelf"),
    "tsan-shelf": partial(races_run, "tsan-shelf"),
    "go-panic": partial(panic_run, "go-panic"),
    "node-report": partial(node_run, "node-report"),
    "ruby-segv": partial(ruby_run, "ruby-segv"),
    "java-hs-err": partial(java_run, "java-hs-err"),
}
