"""Profilers and tracers that nobody tunes on: cProfile, py-spy, jstack, jmap, tcpdump."""

import json
import os
import pstats
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, cast

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.held_suites import write

PROFILER = "profiler"
TOP = 25

WORK = """import json, re, ast, os, textwrap, argparse, decimal, email.parser, html.parser, xml.etree.ElementTree as ET
def weigh_parcels(count):
    return sum(len(json.dumps({"parcel": n, "lines": list(range(n % 30))})) for n in range(count))
def read_library():
    found = 0
    for name in ("argparse", "ast", "textwrap", "json/decoder", "email/parser", "decimal", "_pydecimal", "typing"):
        found += len(list(ast.walk(ast.parse(open(os.path.join(os.path.dirname(os.__file__), name + ".py")).read()))))
    return found
def match_addresses():
    return [re.sub(r"(\\w+)@(\\w+)", r"\\2 at \\1", f"person{n}@example") for n in range(4000)]
weigh_parcels(4000), read_library(), match_addresses(), textwrap.fill("parcel " * 4000)
"""


def profile_run(name: str, shop: Shop) -> Iterator[Item]:
    """The table of cProfile; the facts are read from its file by pstats: the slowest, the most called, every own function."""
    room = shop.room(name)
    write(os.path.join(room, "work.py"), WORK)
    shop.run([sys.executable, "-m", "cProfile", "-o", "work.prof", "work.py"], room)
    code = "import pstats; pstats.Stats('work.prof').sort_stats('cumulative').print_stats()"
    text = shop.run([sys.executable, "-c", code], room).text.replace(f"{room}/", "")
    rows = cast("Any", pstats.Stats(os.path.join(room, "work.prof"))).stats
    spelt = {
        key: f"{key[0].replace(room + '/', '')}:{key[1]}({key[2]})" if key[0] != "~" else f"{{{key[2].strip('<>')}}}"
        for key in rows
    }
    facts = []
    for order in (3, 2, 1):
        most = sorted(rows, key=lambda key: -rows[key][order])[:TOP]
        facts += [Fact("message", (spelt[key],)) for key in most]
    for key in rows:
        if key[0].endswith("work.py"):
            facts += [Fact("message", (spelt[key],)), Fact("odd", (), (f"{rows[key][3]:.3f}", spelt[key]))]
    facts += [Fact("message", (line.strip(),)) for line in re.findall(r"^.*function calls.*$", text, re.MULTILINE)]
    yield Item(name, PROFILER, "text", "cProfile -s cumulative work.py", text, said_in(facts, text))


THREADS = """import threading, time, queue, json
lock = threading.Lock()
def wait_for_parcel(number):
    jobs = queue.Queue()
    jobs.get()
def hold_the_key():
    with lock:
        time.sleep(600)
def want_the_key(number):
    with lock:
        pass
def spin():
    while True:
        json.dumps(list(range(2000)))
for number in range(70):
    threading.Thread(target=wait_for_parcel, args=(number,), name=f"shelf-{number}", daemon=True).start()
threading.Thread(target=hold_the_key, name="keeper", daemon=True).start()
time.sleep(0.2)
for number in range(3):
    threading.Thread(target=want_the_key, args=(number,), name=f"beggar-{number}", daemon=True).start()
threading.Thread(target=spin, name="spinner", daemon=True).start()
time.sleep(600)
"""


def spy_run(name: str, shop: Shop) -> Iterator[Item]:
    """`py-spy dump` of a program with many threads; the facts are its own JSON."""
    python = shop.python("py-spy", "py-spy==0.3.14")
    spy = os.path.join(os.path.dirname(python), "py-spy")
    room = shop.room(name)
    write(os.path.join(room, "threads.py"), THREADS)
    child = subprocess.Popen([sys.executable, "threads.py"], cwd=room)
    try:
        time.sleep(4)
        text = shop.run([spy, "dump", "--pid", str(child.pid)], room).text
        rows = json.loads(shop.run([spy, "dump", "--json", "--pid", str(child.pid)], room, apart=True).text)
    finally:
        child.kill()
        child.wait(20)
    shapes = Counter(tuple(frame["name"] for frame in row["frames"]) for row in rows)
    facts = []
    for row in rows:
        facts.append(Fact("message", (f'"{row["thread_name"]}"',)))
        if shapes[tuple(frame["name"] for frame in row["frames"])] <= 3:
            facts += [
                Fact("message", (f"{frame['name']} ({frame['short_filename']}:{frame['line']})",))
                for frame in row["frames"]
            ]
    facts += [Fact("name", (frame["name"],)) for row in rows for frame in row["frames"]]
    yield Item(name, PROFILER, "text", "py-spy dump", text, said_in(facts, text))


JAVA = """import java.util.*;
public class Shelf {
  static final Object left = new Object(), right = new Object();
  static List<byte[]> kept = new ArrayList<>(); static Map<String, Parcel> parcels = new HashMap<>();
  static class Parcel { int weight; String to; Parcel(int w) { weight = w; to = "person" + w; } }
  static void takeLeftThenRight() { synchronized (left) { pause(300); synchronized (right) { pause(1); } } }
  static void takeRightThenLeft() { synchronized (right) { pause(300); synchronized (left) { pause(1); } } }
  static void pause(long ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { } }
  static void spin() { long n = 0; while (true) n += kept.size(); }
  public static void main(String[] args) {
    for (int i = 0; i < 20000; i++) parcels.put("shelf" + i, new Parcel(i));
    for (int i = 0; i < 300; i++) kept.add(new byte[4096]);
    for (int i = 0; i < 40; i++) { Thread t = new Thread(() -> pause(600000), "packer-" + i); t.setDaemon(true); t.start(); }
    new Thread(Shelf::takeLeftThenRight, "lefty").start();
    new Thread(Shelf::takeRightThenLeft, "righty").start();
    Thread s = new Thread(Shelf::spin, "spinner"); s.setDaemon(true); s.start();
    System.out.println("up"); pause(600000);
  }
}
"""


def java_run(name: str, shop: Shop) -> Iterator[Item]:
    """`jstack` and `jmap -histo` of a program with a deadlock; the facts are what was planted, and the largest classes."""
    shop.need("javac", "jstack", "jmap", package="default-jdk-headless")
    room = shop.room(name)
    write(os.path.join(room, "Shelf.java"), JAVA)
    shop.run(["javac", "Shelf.java"], room)
    child = subprocess.Popen(["java", "-Xmx200m", "Shelf"], cwd=room, stdout=subprocess.DEVNULL)
    try:
        time.sleep(6)
        text = shop.run(["jstack", "-l", str(child.pid)], room).text
        counted = shop.run(["jmap", "-histo", str(child.pid)], room).text
    finally:
        child.kill()
        child.wait(20)
    lines = JAVA.splitlines()
    facts = [
        Fact("message", (f'"{one}"',))
        for one in ("lefty", "righty", "spinner", "main", *(f"packer-{number}" for number in range(40)))
    ]
    facts += [
        Fact("message", (f"Shelf.{method}(Shelf.java:{number})",))
        for number, line in enumerate(lines, 1)
        for method in re.findall(r"static void (\w+)\(\)", line)
    ]
    facts += [
        Fact("message", (one,))
        for one in (
            "Found one Java-level deadlock",
            "Found 1 deadlock.",
            "waiting to lock",
            "BLOCKED (on object monitor)",
            "TIMED_WAITING (sleeping)",
            "RUNNABLE",
        )
    ]
    yield Item(name, PROFILER, "text", "jstack -l", text, said_in(facts, text))
    rows = re.findall(r"^\s*(\d+):\s+(\d+)\s+(\d+)\s+(\S+)", counted, re.MULTILINE)
    told = [Fact("odd", (), (title, count, size)) for _, count, size, title in rows[:TOP]]
    told += [Fact("odd", (), ("Shelf$Parcel", "20000"))]
    told += [
        Fact("name", (title.rpartition(".")[0],))
        for _, _, _, title in rows
        if title.count(".") >= 2 and "$$" not in title
    ]
    told += [Fact("message", (line.strip(),)) for line in re.findall(r"^Total\s+.*$", counted, re.MULTILINE)]
    yield Item(f"{name}-histo", PROFILER, "text", "jmap -histo", counted, said_in(told, counted))


def packets_run(name: str, shop: Shop) -> Iterator[Item]:
    """`tcpdump` of loopback while a client meets closed ports and a reset; the facts are what was planted."""
    shop.install("tcpdump")
    room = shop.room(name)
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    child = subprocess.Popen(
        ["tcpdump", "-i", "lo", "-nn", "-U", "-w", "all.pcap", f"tcp port {port} or port 9 or port 5353 or icmp"],
        cwd=room,
        stderr=subprocess.DEVNULL,
    )
    facts = []
    try:
        time.sleep(3)
        for number in range(60):
            client = socket.create_connection(("127.0.0.1", port))
            other = server.accept()[0]
            client.sendall(f"GET /parcel/{number} HTTP/1.1\r\n\r\n".encode())
            other.recv(100)
            other.sendall(b"HTTP/1.1 500 Lost\r\n\r\n" if number == 37 else b"HTTP/1.1 200 OK\r\n\r\n")
            if number == 37:
                facts.append(Fact("message", ("500 Lost",)))
            if number in (21, 48):
                other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
                facts.append(Fact("odd", (), (f"127.0.0.1.{port}", f"127.0.0.1.{client.getsockname()[1]}", "[R.]")))
            other.close()
            client.close()
            if number in (12, 55):
                with socket.socket() as probe:
                    probe.connect_ex(("127.0.0.1", 9))
            if number == 30:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
                    sock.sendto(b"lost", ("127.0.0.1", 5353))
        time.sleep(1)
    finally:
        child.terminate()
        child.wait(20)
    server.close()
    text = shop.run(["tcpdump", "-nn", "-r", "all.pcap"], room, apart=True).text
    facts += [
        Fact("message", (one,))
        for one in ("127.0.0.1.9: Flags [S]", "127.0.0.1.9 >", "udp port 5353 unreachable", f"127.0.0.1.{port}")
    ]
    facts += [Fact("message", (f"Flags [{one}]",)) for one in ("S", "S.", ".", "P.", "F.", "R.")]
    if not text:
        raise CannotMake("tcpdump saw nothing")
    yield Item(name, "network", "text", "tcpdump -nn", text, said_in(facts, text))


RECIPES = {
    "cprofile-work": partial(profile_run, "cprofile-work"),
    "py-spy-threads": partial(spy_run, "py-spy-threads"),
    "jstack-shelf": partial(java_run, "jstack-shelf"),
    "tcpdump-loopback": partial(packets_run, "tcpdump-loopback"),
}
