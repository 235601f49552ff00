"""Servers, what watches them, and what passes between them, told by tools that nobody tunes on; on loopback, planted."""

import os
import re
import socket
import struct
import time
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_servers import ask_for_name, free_port, listens
from recipes.held_suites import write

STATUS, LOG, NETWORK = "status page", "server log", "network"


def monit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `monit status` tells of what it watches; the facts are planted: everything it watches, and what is wrong with it."""
    shop.install("monit")
    room = shop.room(name)
    port = free_port()
    lines = [
        "set daemon 2",
        f"set pidfile {room}/monit.pid",
        f"set idfile {room}/monit.id",
        f"set statefile {room}/monit.state",
        f"set logfile {room}/monit.log",
        f"set httpd port {port} and use address 127.0.0.1 allow localhost",
    ]
    facts = []
    for number in range(36):
        path = f"{room}/gauges/gauge{number}.dat"
        if number % 7 != 3:
            write(path, "tide\n" * (number * 40 + 1))
        check = f"check file gauge{number} with path {path}"
        check += f"\n  if size > {90 if number % 9 == 5 else 9000000} B then alert"
        check += f"\n  if failed permission {'600' if number % 11 == 6 else '644'} then alert"
        lines.append(check)
    for number in range(6):
        dead = free_port()
        lines.append(
            f"check host quay{number} with address 127.0.0.1\n  if failed port {port if number % 2 else dead} protocol default then alert"
        )
        facts.append(Fact("message", (f"'quay{number}'",)))
    lines.append(f"check process tided with pidfile {room}/tided.pid")
    lines.append("check system harbour\n  if memory usage > 1% then alert")
    config = write(os.path.join(room, "monitrc"), "\n".join(lines) + "\n")
    os.chmod(config, 0o600)
    with running(["monit", "-I", "-c", config], room, lambda: listens(port), shop.environment()):
        time.sleep(9)
        text = plain(shop.run(["monit", "-c", config, "status"], room).text).replace(room, "/srv/quay")
    kinds = dict.fromkeys(re.findall(r"^  status +(\S.*)$", text, re.MULTILINE))
    facts += [Fact("message", (one,)) for one in kinds if one != "OK"]
    for block in text.split("\n\n"):
        who = re.match(r"\w+ '(\w+)'", block.strip())
        state = re.search(r"^  status +(\S.*)$", block, re.MULTILINE)
        if who and state and state[1] != "OK":
            facts.append(Fact("odd", (f"'{who[1]}'\n  {'status':<28} {state[1]}",), (f"'{who[1]}'", state[1])))
    facts += [Fact("message", ("'tided'",)), Fact("message", ("'harbour'",))]
    yield Item(name, STATUS, "text", "monit status", text, said_in(facts, text))


def unbound_run(name: str, shop: Shop) -> Iterator[Item]:
    """What unbound logs of questions; the facts are planted: names that are refused or unknown, and who blocks them."""
    shop.install("unbound")
    room = shop.room(name)
    port = free_port()
    local = "".join(f'  local-data: "gauge{n}.quay.example. A 192.0.2.{n}"\n' for n in range(40))
    zones = '  local-zone: "quay.example." static\n  local-zone: "ads.example." refuse\n  local-zone: "spy.example." always_nxdomain\n  local-zone: "trap.example." deny\n'
    write(
        os.path.join(room, "unbound.conf"),
        f'server:\n  interface: 127.0.0.1\n  port: {port}\n  do-daemonize: no\n  chroot: ""\n  username: ""\n  directory: "{room}"\n  pidfile: "{room}/u.pid"\n  use-syslog: no\n  logfile: ""\n  log-time-ascii: yes\n  verbosity: 2\n  log-queries: yes\n  log-replies: yes\n  log-local-actions: yes\n  log-servfail: yes\n  num-threads: 1\n  module-config: "iterator"\n{zones}{local}remote-control:\n  control-enable: no\nforward-zone:\n  name: "far.example."\n  forward-addr: 127.0.0.1@{free_port()}\n',
    )
    facts = []
    with running(["unbound", "-d", "-c", "unbound.conf"], room, lambda: listens(port), shop.environment()) as log:
        for number in range(150):
            title = f"gauge{number % 40}.quay.example"
            if number % 13 == 4:
                title = f"gone{number}.quay.example"
                facts.append(Fact("message", (title,)))
            if number % 17 == 6:
                title = f"b{number}.ads.example"
                facts.append(Fact("message", (title,)))
            if number % 29 == 11:
                title = f"c{number}.spy.example"
                facts.append(Fact("message", (title,)))
            if number in {50, 110}:
                title = f"ship{number}.far.example"
                facts.append(Fact("message", (title,)))
            try:
                ask_for_name(port, title, 1)
            except OSError:
                continue
    text = read(log).replace(room, "/srv/quay")
    facts += [Fact("name", (one,)) for one in ("NXDOMAIN", "REFUSED", "NOERROR", "SERVFAIL")]
    facts += [Fact("message", (f"gauge{n}.quay.example.",)) for n in (0, 39)]
    facts += [
        Fact("message", (one.strip(),))
        for one in dict.fromkeys(re.findall(r"(?:notice|error|warning): (.*)$", text, re.MULTILINE))
    ]
    facts += last_words(text, r"info: (?:server stats|start of service|service stopped|average recursion).*$")
    yield Item(name, LOG, "text", "unbound -d -c unbound.conf", text, said_in(facts, text))


def packet(stamp: float, source: int, target: int, sequence: int, payload: bytes) -> bytes:
    """A packet of TCP over loopback as a capture keeps it."""
    tcp = struct.pack(">HHIIBBHHH", source, target, sequence, 1, 0x50, 0x18, 8192, 0, 0)
    ip = struct.pack(
        ">BBHHHBBH4s4s",
        0x45,
        0,
        40 + len(payload),
        1,
        0,
        64,
        6,
        0,
        socket.inet_aton("127.0.0.1"),
        socket.inet_aton("127.0.0.1"),
    )
    frame = b"\0" * 12 + b"\x08\0" + ip + tcp + payload
    return struct.pack("<IIII", int(stamp), int(stamp % 1 * 1e6), len(frame), len(frame)) + frame


def ngrep_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ngrep shows of a capture; the facts are planted: every request that broke, with what it was told."""
    shop.install("ngrep")
    room = shop.room(name)
    whole = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    facts = []
    for number in range(110):
        path, status, body = (
            f"/gauge/{number % 20}?day={number}",
            "200 OK",
            f'{{"level": {number * 7 % 400}, "unit": "cm"}}',
        )
        if number % 13 == 7:
            status, body = "500 Internal Server Error", f'{{"error": "gauge {number} is frozen"}}'
            facts += [Fact("message", (f"day={number} HTTP",)), Fact("message", (f"gauge {number} is frozen",))]
        if number % 37 == 21:
            path, status, body = f"/admin/key{number}", "403 Forbidden", '{"error": "no badge"}'
            facts += [Fact("message", (f"/admin/key{number}",))]
        asked = f"GET {path} HTTP/1.1\r\nHost: quay.example\r\nUser-Agent: tide/1.{number % 3}\r\nAccept: application/json\r\n\r\n"
        told = f"HTTP/1.1 {status}\r\nServer: tided\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        whole += packet(1_794_000_000 + number * 1.37, 40000 + number, 8080, 1, asked.encode())
        whole += packet(1_794_000_000 + number * 1.37 + 0.02, 8080, 40000 + number, 1, told.encode())
    with open(os.path.join(room, "quay.pcap"), "wb") as out:
        out.write(whole)
    text = shop.run(["ngrep", "-q", "-t", "-W", "byline", "-I", "quay.pcap"], room, env={"TZ": "UTC"}).text
    facts += [
        Fact("message", (one,))
        for one in (
            "500 Internal Server Error",
            "403 Forbidden",
            "200 OK",
            "no badge",
            "User-Agent: tide/1.0",
            "User-Agent: tide/1.2",
            "Server: tided",
            "Host: quay.example",
        )
    ]
    facts += [Fact("message", (f"GET /gauge/{n}?",)) for n in range(20)]
    yield Item(name, NETWORK, "text", "ngrep -q -t -W byline -I quay.pcap", text, said_in(facts, text))


RECIPES = {
    "monit-quay": partial(monit_run, "monit-quay"),
    "unbound-quay": partial(unbound_run, "unbound-quay"),
    "ngrep-quay": partial(ngrep_run, "ngrep-quay"),
}
