"""Logs of servers that nobody tunes on: caddy, dnsmasq, mosquitto, slapd, squid; each on loopback, asked what it cannot do."""

import json
import os
import re
import shutil
import socket
import struct
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_suites import write

SERVER, DATABASE = "server log", "database"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def status_of(url: str, method: str = "GET", proxy: str = "") -> int:
    handler = urllib.request.ProxyHandler({"http": proxy} if proxy else {})
    request = urllib.request.Request(url, method=method, headers={"User-Agent": "shelf/1.0"})
    try:
        with urllib.request.build_opener(handler).open(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def caddy_log(name: str, shop: Shop) -> Iterator[Item]:
    """What caddy logs, a JSON object a line; the facts are the keys and the requests that the client saw fail."""
    shop.install("caddy")
    room = shop.room(name)
    port, gone = free_port(), free_port()
    for number in range(150):
        write(os.path.join(room, "files", f"shelf-{number}.txt"), f"shelf {number}\n" * number)
    write(
        os.path.join(room, "Caddyfile"),
        f"""{{
  admin off
  auto_https off
}}
http://127.0.0.1:{port} {{
  log {{
    output file {room}/access.log
  }}
  root * {room}/files
  handle /behind/* {{
    reverse_proxy 127.0.0.1:{gone}
  }}
  handle /forbidden/* {{
    respond 403
  }}
  handle {{
    file_server
  }}
}}
""",
    )
    failed: dict[str, int] = {}
    home = {"HOME": room, "XDG_DATA_HOME": room, "XDG_CONFIG_HOME": room}
    with running(["caddy", "run", "--config", "Caddyfile"], room, lambda: listens(port), shop.environment() | home):
        for number in range(420):
            path = f"/shelf-{number % 150}.txt"
            path = f"/behind/{number}" if number % 97 == 50 else f"/forbidden/{number}" if number % 131 == 9 else path
            path = f"/missing-{number}.txt" if number % 61 == 33 else path
            status = status_of(f"http://127.0.0.1:{port}{path}", "POST" if number == 222 else "GET")
            if status >= 300:
                failed[path] = status
        time.sleep(0.5)
    text = read(os.path.join(room, "access.log"))
    facts = [Fact("message", (path,)) for path in failed]
    facts += [Fact("odd", (), (path, str(status))) for path, status in failed.items()]
    facts += [
        Fact("key", (key,)) for row in map(json.loads, text.splitlines()) for key in (*row, *row.get("request", ()))
    ]
    yield Item(name, SERVER, "ndjson", "caddy run", text, said_in(facts, text))


def ask_for_name(port: int, title: str, kind: int) -> int:
    """Ask a name server for a name; returns the code of its answer."""
    words = b"".join(bytes([len(part)]) + part.encode() for part in title.split("."))
    query = struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + words + b"\0" + struct.pack(">HH", kind, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.settimeout(3)
        sock.sendto(query, ("127.0.0.1", port))
        try:
            return sock.recv(512)[3] & 15
        except TimeoutError:
            return -1


def names_log(name: str, shop: Shop) -> Iterator[Item]:
    """What dnsmasq logs of queries; the facts are the names that it does not know and the odd kinds of query."""
    shop.install("dnsmasq", "dnsmasq-base")
    room = shop.room(name)
    port = free_port()
    known = [f"--address=/shelf-{number}.example.org/10.0.{number}.1" for number in range(60)]
    command = [
        "dnsmasq",
        "--no-daemon",
        "--no-resolv",
        "--no-hosts",
        "--log-queries=extra",
        "--bind-interfaces",
        "--listen-address=127.0.0.1",
        f"--port={port}",
        "--local=/lost.example/",
        *known,
    ]
    facts = []
    with running(command, room, lambda: listens(port), shop.environment()) as log:
        for number in range(500):
            title, kind = f"shelf-{number % 60}.example.org", 1
            if number % 83 == 40:
                title = f"parcel-{number}.lost.example"
            if number % 149 == 100:
                title = f"door-{number}.elsewhere.example"
            if number in (123, 321):
                kind = 16
            answer = ask_for_name(port, title, kind)
            if answer != 0:
                facts += [
                    Fact("name", (title,)),
                    Fact("message", (f"{title} is NXDOMAIN" if answer == 3 else f"{title} is REFUSED",)),
                ]
            if kind == 16:
                facts += [Fact("message", (f"query[TXT] {title}",))]
        time.sleep(0.3)
    text = read(log)
    yield Item(name, SERVER, "text", "dnsmasq --log-queries", text, said_in(facts, text))


def broker_log(name: str, shop: Shop) -> Iterator[Item]:
    """What mosquitto logs of clients, some of which are refused; the facts are these clients and why."""
    shop.install("mosquitto")
    shop.install("mosquitto_pub", "mosquitto-clients")
    room = shop.room(name)
    port = free_port()
    write(os.path.join(room, "rights"), "topic readwrite shelf/#\n")
    write(
        os.path.join(room, "broker.conf"),
        f"listener {port} 127.0.0.1\nallow_anonymous true\nacl_file {room}/rights\nlog_type all\nlog_dest stderr\nmax_packet_size 2000\nuser root\n",
    )
    facts = []
    with running(["mosquitto", "-c", "broker.conf"], room, lambda: listens(port), shop.environment()) as log:
        for number in range(110):
            topic, words = f"shelf/{number % 7}", f"parcel {number}"
            if number % 41 == 20:
                topic = f"door/{number}"
                facts += [Fact("odd", (), (f"client-{number}", "Denied")), Fact("message", (topic,))]
            if number in (33, 88):
                words = "x" * 4000
                facts += [
                    Fact("message", (f"client-{number} disconnected due to",)),
                    Fact("name", (f"client-{number}",)),
                ]
            subprocess.run(
                ["mosquitto_pub", "-p", str(port), "-i", f"client-{number}", "-q", "1", "-t", topic, "-m", words],
                capture_output=True,
                check=False,
                timeout=20,
            )
        with socket.create_connection(("127.0.0.1", port)) as rude:
            rude.sendall(b"GET / HTTP/1.0\r\n\r\n")
            time.sleep(0.3)
        facts += [Fact("message", ("disconnected due to protocol error.",)), Fact("message", ("protocol error",))]
    text = read(log)
    yield Item(name, SERVER, "text", "mosquitto -v", text, said_in(facts, text))


DIRECTORY = """dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
o: Example
dc: example

"""


def _directory(shop: Shop, room: str) -> int:
    """A directory of 140 people of which some are odd, loaded but not started; returns its port."""
    shop.install("slapd")
    shop.install("ldapsearch", "ldap-utils")
    os.makedirs(os.path.join(room, "base"))
    schema = "".join(f"include /etc/ldap/schema/{one}.schema\n" for one in ("core", "cosine", "inetorgperson"))
    write(
        os.path.join(room, "slapd.conf"),
        f'{schema}modulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile {room}/pid\ndatabase mdb\nmaxsize 100000000\nsuffix "dc=example,dc=org"\nrootdn "cn=root,dc=example,dc=org"\nrootpw planted\ndirectory {room}/base\n',
    )
    entries = DIRECTORY
    for number in range(140):
        entries += f"dn: uid=person{number},dc=example,dc=org\nobjectClass: inetOrgPerson\nuid: person{number}\ncn: Person {number}\nsn: Number{number}\nmail: person{number}@example.org\nemployeeType: {'retired' if number in (31, 97) else 'clerk' if number % 2 else 'smith'}\n"
        entries += f"description: lost the key of shelf {number}\n" if number % 53 == 11 else ""
        entries += f"manager: uid=person{number // 10},dc=example,dc=org\n\n"
    write(os.path.join(room, "people.ldif"), entries)
    shop.run(["slapadd", "-q", "-f", "slapd.conf", "-l", "people.ldif"], room)
    return free_port()


def directory_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ldapsearch prints of a directory; the facts are the keys, the names and the odd entries that were put in.

    And what slapd itself logs of clients: the facts are the requests that were refused.
    """
    room = shop.room(name)
    port = _directory(shop, room)
    at = f"ldap://127.0.0.1:{port}"
    ask = ["ldapsearch", "-x", "-H", at, "-b", "dc=example,dc=org"]
    refused = []
    with running(
        ["slapd", "-h", at, "-f", "slapd.conf", "-d", "stats"], room, lambda: listens(port), shop.environment()
    ) as log:
        text = shop.run(ask, room).text
        for number in range(60):
            shop.run([*ask, f"(uid=person{number})", "mail"], room)
            if number % 17 == 5:
                shop.run(
                    [
                        "ldapsearch",
                        "-x",
                        "-H",
                        at,
                        "-D",
                        f"uid=person{number},dc=example,dc=org",
                        "-w",
                        "guessed",
                        "-b",
                        "dc=example,dc=org",
                    ],
                    room,
                )
                refused.append(f"uid=person{number},dc=example,dc=org")
            if number % 23 == 7:
                shop.run(["ldapsearch", "-x", "-H", at, "-b", f"ou=shelf{number},dc=example,dc=net"], room)
                refused.append(f"ou=shelf{number},dc=example,dc=net")
    facts = [
        Fact("name", (one,))
        for one in (
            "objectClass",
            "uid",
            "cn",
            "sn",
            "mail",
            "employeeType",
            "description",
            "manager",
            "inetOrgPerson",
            "clerk",
            "smith",
        )
    ]
    facts += [Fact("name", (f"uid=person{number}",)) for number in range(140)]
    facts += [Fact("message", (f"lost the key of shelf {number}",)) for number in range(11, 140, 53)]
    facts += [Fact("odd", (), (f"person{number}", "retired")) for number in (31, 97)] + [Fact("name", ("retired",))]
    facts += [Fact("message", (one,)) for one in re.findall(r"^# num(?:Responses|Entries): \d+", text, re.MULTILINE)]
    yield Item(name, DATABASE, "text", "ldapsearch -x", text, said_in(facts, text))
    logged = read(log)
    told = [Fact("message", (one,)) for one in refused] + [Fact("message", (f"err={code}",)) for code in (0, 32, 49)]
    told += [
        Fact("odd", (), (f"conn={conn}", f"err={code}"))
        for conn, code in re.findall(r"conn=(\d+) op=\d+ (?:RESULT|SEARCH RESULT) .*?err=(32|49)", logged)
    ]
    told += [Fact("name", (one,)) for one in ("BIND", "SRCH", "UNBIND", "ACCEPT", "RESULT")]
    yield Item(f"{name}-log", SERVER, "text", "slapd -d stats", logged, said_in(told, logged))


def proxy_log(name: str, shop: Shop) -> Iterator[Item]:
    """What squid logs of requests, some refused; the facts are what the client saw fail."""
    shop.install("squid")
    room = shop.room(name)
    port, origin = free_port(), free_port()
    shutil.chown(room, "proxy", "proxy")
    for one in ("logs", "run"):
        os.makedirs(os.path.join(room, one))
        shutil.chown(os.path.join(room, one), "proxy", "proxy")
    os.makedirs(os.path.join(room, "files"))
    for number in range(40):
        write(os.path.join(room, "files", f"page-{number}"), "x" * number * 10)
    write(
        os.path.join(room, "squid.conf"),
        f"http_port 127.0.0.1:{port}\npid_filename {room}/run/pid\naccess_log stdio:{room}/logs/access.log\ncache_log {room}/logs/cache.log\ncache_mem 8 MB\nacl bad urlpath_regex forbidden\nhttp_access deny bad\nhttp_access allow all\nshutdown_lifetime 1 seconds\n",
    )
    facts = []
    with (
        running(
            ["python3", "-m", "http.server", "--bind", "127.0.0.1", "-d", "files", str(origin)],
            room,
            lambda: listens(origin),
            shop.environment(),
        ),
    ):
        squid = subprocess.Popen(
            ["squid", "-N", "-f", "squid.conf"],
            cwd=room,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=shop.environment(),
        )
        try:
            for _ in range(100):
                if listens(port):
                    break
                time.sleep(0.1)
            for number in range(300):
                url = f"http://127.0.0.1:{origin}/page-{number % 40}"
                url = f"http://127.0.0.1:{origin}/forbidden-{number}" if number % 71 == 30 else url
                url = f"http://127.0.0.1:{origin}/lost-{number}" if number % 89 == 44 else url
                url = f"http://127.0.0.1:9/behind-{number}" if number % 113 == 60 else url
                status = status_of(url, proxy=f"http://127.0.0.1:{port}")
                if status >= 300:
                    facts += [
                        Fact("message", (url,)),
                        Fact(
                            "odd",
                            (),
                            (
                                url,
                                f"{ {403: 'TCP_DENIED/403', 404: 'TCP_MISS/404', 503: 'TCP_MISS/503'}.get(status, status) }",
                            ),
                        ),
                    ]
        finally:
            squid.terminate()
            squid.wait(30)
    text = read(os.path.join(room, "logs", "access.log"))
    facts += [Fact("name", (one,)) for one in sorted(set(re.findall(r"\b(?:TCP|NONE)_\w+/\d+", text)))]
    yield Item(name, SERVER, "text", "squid -N", text, said_in(facts, text))


RECIPES = {
    "caddy-access": partial(caddy_log, "caddy-access"),
    "dnsmasq-queries": partial(names_log, "dnsmasq-queries"),
    "mosquitto-clients": partial(broker_log, "mosquitto-clients"),
    "ldapsearch-people": partial(directory_run, "ldapsearch-people"),
    "squid-access": partial(proxy_log, "squid-access"),
}
