"""Logs of servers: nginx, Apache, HAProxy and PostgreSQL, asked what they cannot do, on loopback."""

import csv
import glob
import http.client
import os
import socket
from collections.abc import Callable, Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.databases import postgres, running
from recipes.logs import _free_port

SERVER = "server log"


def _ready(port: int) -> Callable[[], bool]:
    def ready() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    return ready


def _ask(port: int, method: str, path: str, body: bytes = b"", agent: str = "probe/1.0") -> int:
    """The status of an answer; 0 for none."""
    wire = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        wire.request(method, path, body or None, {"User-Agent": agent})
        return wire.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        wire.close()


def _raw(port: int, data: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), 5) as wire:
        wire.sendall(data)
        wire.settimeout(5)
        try:
            wire.recv(4096)
        except OSError:
            return


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


NGINX = """daemon off; master_process off; pid {room}/pid; error_log {room}/error.log info; events {{}}
http {{
  access_log {room}/access.log; client_body_temp_path {room}/t1; proxy_temp_path {room}/t2;
  fastcgi_temp_path {room}/t3; uwsgi_temp_path {room}/t4; scgi_temp_path {room}/t5;
  server {{
    listen 127.0.0.1:{port}; root {room}/pages; client_max_body_size 1k;
    location /api/ {{ proxy_pass http://127.0.0.1:9; }}
    location /private/ {{ deny all; }}
    location /loop/ {{ rewrite ^/loop/(.*)$ /loop/$1 last; }}
  }}
}}
"""


def nginx_logs(name: str, shop: Shop) -> Iterator[Item]:
    """The error log and the access log of nginx; the facts are what the client saw refused, and what was planted."""
    shop.install("nginx", "nginx-light")
    room, port = shop.room(name), _free_port()
    os.makedirs(os.path.join(room, "pages", "folder"))
    for number in range(9):
        with open(os.path.join(room, "pages", f"page{number}.html"), "w", encoding="utf-8") as out:
            out.write("x" * 90)
    with open(os.path.join(room, "nginx.conf"), "w", encoding="utf-8") as out:
        out.write(NGINX.format(room=room, port=port))
    rare = {101: "/folder/", 222: "/private/ledger", 390: "/api/orders/390", 555: "/loop/five", 640: "/api/users/640"}
    answers: dict[str, int] = {}
    with running(["nginx", "-c", f"{room}/nginx.conf"], room, _ready(port), shop.environment()):
        for number in range(900):
            plain = f"/missing/{number // 30}.png" if number % 3 == 0 else f"/page{number % 9}.html"
            path = rare.get(number, plain)
            answers[path] = _ask(port, "GET", path)
        answers["/upload/big"] = _ask(port, "POST", "/upload/big", b"y" * 3_000)
        _raw(port, b"BREW / HTTP/9.9\r\n\r\n")
        _raw(port, b"GET /../../etc/shadow HTTP/1.1\r\nHost: x\r\n\r\n")
        for number in range(200):
            _ask(port, "GET", f"/page{number % 9}.html")
    errors, accesses = (_read(os.path.join(room, one)).replace(f"{room}/", "") for one in ("error.log", "access.log"))
    kinds = [
        ("/folder/", "forbidden"), ("/private/ledger", "access forbidden by rule"), ("upload/big", "too large"),
        ("/api/orders/390", "Connection refused"), ("/api/users/640", "Connection refused"), ("/loop/five", "cycle"),
        ("invalid", "BREW"), ("unsafe", "/../../etc/shadow"), ("client sent invalid request",),
    ]  # fmt: skip
    facts = [Fact("odd", (), parts) for parts in kinds]
    facts += [Fact("path", (path.removeprefix("/"),)) for path, status in answers.items() if status == 404]
    yield Item(f"{name}-error", SERVER, "text", "nginx error.log", errors, said_in(facts, errors))
    facts = [Fact("odd", (), (path, str(status))) for path, status in answers.items() if status not in {200, 0}]
    facts += [Fact("count", (str(status),)) for status in set(answers.values())] + [Fact("message", ("BREW",))]
    yield Item(f"{name}-access", SERVER, "text", "nginx access.log", accesses, said_in(facts, accesses))


HAPROXY = """global
  log stdout format raw local0 debug
defaults
  mode http
  log global
  option httplog
  timeout connect 500ms
  timeout client 2s
  timeout server 300ms
frontend front
  bind 127.0.0.1:{port}
  http-request deny if {{ path_beg /admin }}
  use_backend dead if {{ path_beg /dead }}
  use_backend slow if {{ path_beg /slow }}
  default_backend fine
backend fine
  http-request return status 200 content-type text/plain string fine
backend dead
  server nobody 127.0.0.1:9
backend slow
  server silent 127.0.0.1:{silent}
"""


def haproxy_log(name: str, shop: Shop) -> Iterator[Item]:
    """The log of HAProxy in front of servers that are not there or do not speak; the facts are what the client saw."""
    shop.install("haproxy")
    room, port = shop.room(name), _free_port()
    answers: dict[str, int] = {}
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(8)
        with open(os.path.join(room, "haproxy.cfg"), "w", encoding="utf-8") as out:
            out.write(HAPROXY.format(port=port, silent=silent.getsockname()[1]))
        rare = {77: "/admin/users", 180: "/dead/one", 260: "/slow/report", 333: "/dead/two", 470: "/admin/keys"}
        with running(["haproxy", "-db", "-f", "haproxy.cfg"], room, _ready(port), shop.environment()) as log:
            for number in range(600):
                path = rare.get(number, f"/items/{number}")
                answers[path] = _ask(port, "GET", path)
            _raw(port, b"G@T / HTTP/1.1\r\n\r\n")
    text = _read(log)
    facts = [Fact("odd", (), (path, str(status))) for path, status in answers.items() if status not in {200, 0}]
    facts += [
        Fact("message", (one,))
        for one in ("dead/nobody", "slow/silent", "<BADREQ>", "fine/<NOSRV>", "SC--", "sH--", "PR--")
    ]
    yield Item(name, SERVER, "text", "haproxy", text, said_in(facts, text))


APACHE = """ServerRoot {room}
ServerName localhost
PidFile {room}/pid
Listen 127.0.0.1:{port}
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule alias_module {modules}/mod_alias.so
LoadModule env_module {modules}/mod_env.so
LoadModule cgid_module {modules}/mod_cgid.so
LogLevel info
ErrorLog {room}/error.log
CustomLog {room}/access.log "%h %l %u %t \\"%r\\" %>s %b \\"%{{Referer}}i\\" \\"%{{User-Agent}}i\\" %D"
DocumentRoot {room}/pages
ScriptSock {room}/cgid.sock
ScriptAlias /run/ {room}/scripts/
Redirect /old http://localhost/new
<Directory {room}>
Require all granted
Options +ExecCGI
</Directory>
<Location /closed>
Require all denied
</Location>
"""


def apache_logs(name: str, shop: Shop) -> Iterator[Item]:
    """The access log of Apache; the facts are what the client saw refused or moved, and who asked oddly."""
    shop.install("apache2")
    room, port = shop.room(name), _free_port()
    os.makedirs(os.path.join(room, "pages"))
    for number in range(40):
        with open(os.path.join(room, "pages", f"note{number}.txt"), "w", encoding="utf-8") as out:
            out.write("n" * (70 + number))
    with open(os.path.join(room, "pages", "archive.bin"), "w", encoding="utf-8") as out:
        out.write("z" * 777_777)
    with open(os.path.join(room, "apache.conf"), "w", encoding="utf-8") as out:
        out.write(APACHE.format(room=room, port=port, modules="/usr/lib/apache2/modules"))
    rare = {
        90: "/closed/door",
        210: "/old/page",
        350: "/.git/config",
        420: "/archive.bin",
        530: "/cgi-bin/luci",
        777: "/xmlrpc.php",
    }
    answers: dict[str, int] = {}
    with running(["apache2", "-X", "-f", f"{room}/apache.conf"], room, _ready(port), shop.environment()):
        for number in range(1_000):
            path = rare.get(number, f"/note{number % 40}.txt")
            answers[path] = _ask(port, "GET", path, agent="sqlmap/1.7" if number == 600 else "probe/1.0")
        answers["/note3.txt?"] = _ask(port, "DELETE", "/note3.txt")
    text = _read(os.path.join(room, "access.log"))
    facts = [
        Fact("odd", (), (path.rstrip("?"), str(status))) for path, status in answers.items() if status not in {200, 0}
    ]
    facts += [Fact("odd", (), ("/archive.bin", "777777")), Fact("name", ("sqlmap/1.7",)), Fact("name", ("DELETE",))]
    facts += [Fact("count", (str(status),)) for status in set(answers.values())]
    yield Item(name, SERVER, "text", "apache2 access.log", text, said_in(facts, text))


BAD = (
    "select * from nowhere", "insert into account values (7, -5)", "insert into account values (1, 1)", "select 1/0",
    "update account set owner = 3", "select pg_sleep(2)", "drop role nobody_at_all", "select to_date('x', 'YYYY')",
    "begin; lock table account; select balance::json from account", "vacuum full pg_nothing", "selec 1",
)  # fmt: skip


def postgres_log(name: str, shop: Shop) -> Iterator[Item]:
    """The log of PostgreSQL under clients that ask what cannot be; the facts are its errors in comma-separated values."""
    room = shop.room(name)
    settings = ("logging_collector=on", "log_destination=stderr,csvlog", "log_filename=all.log", "log_statement=all")
    with postgres(shop, room, *settings, "log_min_duration_statement=0", "statement_timeout=900") as ask:
        ask("-c", "create table account (id int primary key, balance int check (balance >= 0))")
        ask("-c", "insert into account select i, i from generate_series(1, 50) i")
        for number, bad in enumerate(BAD):
            fine = [
                word for one in range(12) for word in ("-c", f"select balance from account where id = {number + one}")
            ]
            ask(*fine, "-c", bad)
        ask("-d", "no_such_base", "-c", "select 1")
        ask("-U", "intruder", "-c", "select 1")
    found = glob.glob(os.path.join(room, "log", "*.log"))
    if not found:
        raise CannotMake("nothing was logged")
    text = _read(found[0])
    with open(found[0].replace(".log", ".csv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row[11] in {"ERROR", "FATAL", "PANIC", "WARNING"}]
    facts = [Fact("message", (row[13],)) for row in rows] + [Fact("message", (row[14],)) for row in rows if row[14]]
    facts += [Fact("odd", (), (row[11], row[13])) for row in rows]
    facts += [Fact("message", (f"STATEMENT:  {row[19]}",)) for row in rows if row[19]]
    yield Item(name, SERVER, "text", "postgres", text, said_in(facts, text))


RECIPES = {
    "nginx": partial(nginx_logs, "nginx"),
    "haproxy": partial(haproxy_log, "haproxy"),
    "apache-access": partial(apache_logs, "apache-access"),
    "postgres-log": partial(postgres_log, "postgres-log"),
}
