"""Logs of servers that nobody tunes on, each on loopback and asked for what it cannot do."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_servers import ask_for_name, free_port, listens, status_of
from recipes.held_suites import write

SERVER = "server log"


def queries_log(name: str, shop: Shop) -> Iterator[Item]:
    """What named logs of queries; the facts are the refused names, the odd kinds and the zone that does not load."""
    shop.install("named", "bind9")
    room = shop.room(name)
    port = free_port()
    hosts = "".join(f"shelf-{number} IN A 10.0.0.{number}\n" for number in range(60))
    write(
        os.path.join(room, "zone"),
        f"$TTL 60\n@ IN SOA ns.example.org. root.example.org. 7 60 60 60 60\n@ IN NS ns.example.org.\nns IN A 127.0.0.1\n{hosts}",
    )
    write(os.path.join(room, "bad"), "$TTL 60\n@ IN SOA ns.example.net. root 7 60 60 60 60\nthis is no record\n")
    write(
        os.path.join(room, "named.conf"),
        f'options {{ directory "{room}"; pid-file none; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }}; recursion no; session-keyfile none; querylog yes; }};\ncontrols {{ }};\nzone "example.org" {{ type primary; file "zone"; }};\nzone "example.net" {{ type primary; file "bad"; }};\n',
    )
    facts = []
    with running(["named", "-g", "-c", f"{room}/named.conf"], room, lambda: listens(port), shop.environment()) as log:
        for number in range(400):
            title, kind = f"shelf-{number % 60}.example.org", 1
            if number % 71 == 20:
                title = f"door-{number}.elsewhere.example"
            if number in (99, 250):
                kind = 252
            answer = ask_for_name(port, title, kind)
            if answer == 5:
                facts += [Fact("name", (title,)), Fact("odd", (), (title, "REFUSED"))]
            if kind == 252:
                facts += [Fact("message", (f"query: {title} IN AXFR",))]
        time.sleep(0.3)
    text = read(log)
    facts += [
        Fact("message", (one,))
        for one in (
            "bad:3: unknown RR type 'no'",
            "zone example.net/IN: not loaded due to errors",
            "all zones loaded",
            "running",
            "zone example.org/IN: loaded serial 7",
            "unknown RR type",
        )
    ]
    yield Item(name, SERVER, "text", "named -g", text, said_in(facts, text))


def lighttpd_log(name: str, shop: Shop) -> Iterator[Item]:
    """What lighttpd logs, requests and errors in one file; the facts are the requests that the client saw fail."""
    shop.install("lighttpd")
    room = shop.room(name)
    port, gone = free_port(), free_port()
    for number in range(90):
        write(os.path.join(room, "files", f"shelf-{number}.txt"), f"shelf {number}\n" * number)
    write(
        os.path.join(room, "light.conf"),
        f'server.document-root = "{room}/files"\nserver.bind = "127.0.0.1"\nserver.port = {port}\nserver.modules = ("mod_accesslog", "mod_access", "mod_proxy")\nserver.errorlog = "{room}/all.log"\naccesslog.filename = "{room}/all.log"\nurl.access-deny = (".key")\ndebug.log-request-handling = "disable"\n$HTTP["url"] =~ "^/behind/" {{ proxy.server = ("" => (("host" => "127.0.0.1", "port" => {gone}))) }}\n',
    )
    facts = []
    with running(["lighttpd", "-D", "-f", "light.conf"], room, lambda: listens(port), shop.environment()):
        for number in range(420):
            path = f"/shelf-{number % 90}.txt"
            path = f"/behind/{number}" if number % 127 == 50 else f"/house-{number}.key" if number % 113 == 9 else path
            path = f"/missing-{number}.txt" if number % 83 == 33 else path
            status = status_of(f"http://127.0.0.1:{port}{path}", "PUT" if number == 222 else "GET")
            if status >= 300:
                facts += [Fact("message", (path,)), Fact("odd", (), (path, str(status)))]
        time.sleep(0.3)
    text = read(os.path.join(room, "all.log"))
    facts += [
        Fact("message", (one,)) for one in ("server started", f"{gone}", "Connection refused", "PUT /shelf-42.txt")
    ]
    yield Item(name, SERVER, "text", "lighttpd -D", text, said_in(facts, text))


def cache_log(name: str, shop: Shop) -> Iterator[Item]:
    """What memcached -vv logs; the facts are the commands it refused and the odd ones."""
    shop.install("memcached")
    room = shop.room(name)
    port = free_port()
    facts = []
    command = [
        "memcached",
        "-vv",
        "-l",
        "127.0.0.1",
        "-p",
        str(port),
        "-U",
        "0",
        "-u",
        "nobody",
        "-m",
        "16",
        "-I",
        "1m",
    ]
    with running(command, room, lambda: listens(port), shop.environment()) as log:
        for number in range(160):
            lines = [f"set parcel-{number} 0 0 {len(str(number))}\r\n{number}\r\n", f"get parcel-{number}\r\n"]
            if number % 53 == 20:
                lines.append(f"weigh parcel-{number}\r\n")
                facts.append(Fact("message", (f"weigh parcel-{number}",)))
            if number in (44, 121):
                lines.append(f"get lost-{number}\r\n")
                facts.append(Fact("message", (f"get lost-{number}",)))
            if number == 77:
                lines.append("incr parcel-name 5\r\nflush_all\r\n")
                facts += [Fact("message", ("incr parcel-name 5",)), Fact("message", ("flush_all",))]
            if number == 130:
                lines.append(f"set huge 0 0 9000000\r\n{'x' * 50}\r\n")
                facts += [
                    Fact("message", ("set huge 0 0 9000000",)),
                    Fact("message", ("SERVER_ERROR object too large for cache",)),
                ]
            with socket.create_connection(("127.0.0.1", port)) as client:
                for line in lines:
                    client.sendall(line.encode())
                    time.sleep(0.003)
        time.sleep(0.3)
    text = read(log)
    facts += [
        Fact("message", (one,))
        for one in ("ERROR", "STORED", "NOT_FOUND", "slab class   1", "slab class  39", "connection closed", "OK")
    ]
    yield Item(name, SERVER, "text", "memcached -vv", text, said_in(facts, text))


def rsync_log(name: str, shop: Shop) -> Iterator[Item]:
    """What `rsync --daemon` logs of clients; the facts are those that were refused, and the files that could not be read."""
    shop.install("rsync")
    room = shop.room(name)
    port = free_port()
    for number in range(40):
        write(os.path.join(room, "files", f"rack-{number % 5}", f"shelf-{number}.txt"), f"{number}\n")
    write(os.path.join(room, "names"), "keeper:planted\n")
    os.chmod(os.path.join(room, "names"), 0o600)
    os.symlink("/nowhere", os.path.join(room, "files", "rack-3", "dangling"))
    write(
        os.path.join(room, "rsyncd.conf"),
        f"log file = {room}/rsyncd.log\nuse chroot = no\nlist = yes\nmax verbosity = 1\ntransfer logging = yes\n[shelves]\npath = {room}/files\n[keys]\npath = {room}/files\nauth users = keeper\nsecrets file = {room}/names\n[gone]\npath = {room}/gone\n[closed]\npath = {room}/files\nhosts deny = *\n",
    )
    facts = []
    with running(
        ["rsync", "--daemon", "--no-detach", "--config=rsyncd.conf", f"--port={port}", "--address=127.0.0.1"],
        room,
        lambda: listens(port),
        shop.environment(),
    ):
        for number in range(60):
            module = {11: "keys", 25: "gone", 38: "closed", 52: "unheard-of"}.get(number, f"shelves/rack-{number % 5}")
            shop.run(
                ["rsync", "-aL", f"rsync://127.0.0.1:{port}/{module}", f"copy-{number}"],
                room,
                env={"RSYNC_PASSWORD": "guessed"},
            )
        time.sleep(0.3)
    text = read(os.path.join(room, "rsyncd.log"))
    facts += [
        Fact("message", (one,))
        for one in (
            "auth failed on module keys",
            "unknown module 'unheard-of'",
            "chdir",
            "rsync denied on module closed",
            "has no referent",
            "dangling",
            "rsyncd version",
        )
    ]
    facts += [Fact("name", (f"shelves/rack-{number}",)) for number in range(5)]
    facts += [Fact("message", (f"shelf-{number}.txt",)) for number in range(40)]
    yield Item(name, SERVER, "text", "rsync --daemon", text, said_in(facts, text))


def shell_log(name: str, shop: Shop) -> Iterator[Item]:
    """What `sshd -D -e` logs, debugging on, of clients that may not come in; the facts are these and why."""
    shop.install("sshd", "openssh-server")
    room = shop.room(name)
    port = free_port()
    os.makedirs("/run/sshd", exist_ok=True)
    for key in ("host", "good", "bad"):
        shop.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], room)
    shutil.copy(os.path.join(room, "good.pub"), os.path.join(room, "authorized"))
    command = [
        "/usr/sbin/sshd",
        "-D",
        "-e",
        "-f",
        "/dev/null",
        "-o",
        f"Port={port}",
        "-o",
        "ListenAddress=127.0.0.1",
        "-o",
        f"HostKey={room}/host",
        "-o",
        f"AuthorizedKeysFile={room}/authorized",
        "-o",
        "StrictModes=no",
        "-o",
        "PidFile=none",
        "-o",
        "UsePAM=no",
        "-o",
        "LogLevel=DEBUG1",
        "-o",
        "DenyUsers=daemon",
        "-o",
        "PermitRootLogin=yes",
    ]
    with running(command, room, lambda: listens(port), shop.environment()) as log:
        for number in range(12):
            user, key = {3: ("nobody-here", "good"), 6: ("daemon", "good"), 9: ("root", "bad")}.get(
                number, ("root", "good")
            )
            shop.run(
                [
                    "ssh",
                    "-F",
                    "/dev/null",
                    "-p",
                    str(port),
                    "-i",
                    key,
                    "-o",
                    "IdentitiesOnly=yes",
                    "-o",
                    "BatchMode=yes",
                    "-o",
                    "StrictHostKeyChecking=no",
                    "-o",
                    f"UserKnownHostsFile={room}/known",
                    f"{user}@127.0.0.1",
                    "exit 7" if number == 10 else "true",
                ],
                room,
                seconds=30,
            )
        with socket.create_connection(("127.0.0.1", port)) as rude:
            rude.sendall(b"GET / HTTP/1.0\r\n\r\n")
            time.sleep(0.3)
    text = read(log)
    facts = [
        Fact("message", (one,))
        for one in (
            "Invalid user nobody-here",
            "User daemon from 127.0.0.1 not allowed because listed in DenyUsers",
            "Failed publickey for root",
            "Accepted publickey for root",
            "banner exchange",
            "invalid format",
            "Server listening on 127.0.0.1",
            "Disconnected from user root",
            "session opened",
            "Received signal 15; terminating.",
            "invalid user daemon",
            "exit 7",
        )
    ]
    yield Item(name, SERVER, "text", "sshd -D -e", text, said_in(facts, text))


def varnish_log(name: str, shop: Shop) -> Iterator[Item]:
    """What varnishlog prints of requests through a cache; the facts are those that failed and every kind of record."""
    shop.install("varnishd", "varnish")
    room = shop.room(name)
    port, origin = free_port(), free_port()
    for number in range(20):
        write(os.path.join(room, "files", f"page-{number}"), "x" * number)
    home = os.path.join(room, "varnish")
    env = shop.environment()
    server = [
        sys.executable,
        "-m",
        "http.server",
        "--bind",
        "127.0.0.1",
        "-d",
        os.path.join(room, "files"),
        str(origin),
    ]
    cache = [
        "varnishd",
        "-F",
        "-n",
        home,
        "-a",
        f"127.0.0.1:{port}",
        "-b",
        f"127.0.0.1:{origin}",
        "-s",
        "malloc,20m",
        "-p",
        "thread_pool_min=10",
    ]
    facts = []
    with (
        running(server, room, lambda: listens(origin), env),
        running(cache, room, lambda: listens(port), env),
        open(os.path.join(room, "all.log"), "wb") as out,
        subprocess.Popen(["varnishlog", "-n", home, "-g", "request"], stdout=out, env=env) as reader,
    ):
        time.sleep(1)
        for number in range(60):
            path = f"/lost-{number}" if number % 23 == 9 else f"/page-{number % 20}"
            status = status_of(f"http://127.0.0.1:{port}{path}", "PURGE" if number == 41 else "GET")
            if status >= 300:
                facts += [Fact("message", (path,)), Fact("odd", (), ("RespStatus", str(status)))]
        time.sleep(1)
        reader.terminate()
    text = read(os.path.join(room, "all.log"))
    facts += [
        Fact("name", (one,))
        for one in sorted(
            {line.split()[1] for line in text.splitlines() if line.startswith("-") and len(line.split()) > 1}
        )
    ]
    facts += [Fact("message", (f"/page-{number}",)) for number in range(20)] + [
        Fact("name", ("PURGE",)),
        Fact("name", ("hit",)),
        Fact("name", ("miss",)),
    ]
    yield Item(name, SERVER, "text", "varnishlog -g request", text, said_in(facts, text))


RECIPES = {
    "named-queries": partial(queries_log, "named-queries"),
    "lighttpd-all": partial(lighttpd_log, "lighttpd-all"),
    "memcached-vv": partial(cache_log, "memcached-vv"),
    "rsync-daemon": partial(rsync_log, "rsync-daemon"),
    "sshd-debug": partial(shell_log, "sshd-debug"),
    "varnishlog-pages": partial(varnish_log, "varnishlog-pages"),
}
