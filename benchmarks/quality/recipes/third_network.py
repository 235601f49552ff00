"""Clients and tables of networks that nobody tunes on, against servers on loopback that were told to misbehave."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.third_systems import apart

NETWORK = "network"

SITE = """import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        number = int("".join(c for c in self.path if c.isdigit()) or 0)
        if self.path.startswith("/moved"):
            self.send_response(301); self.send_header("Location", "/page-1.html"); self.send_header("Content-Length", "0"); self.end_headers()
        elif self.path.startswith("/broken"):
            self.send_response(500, "Shelf collapsed"); self.send_header("Content-Length", "0"); self.send_header("X-Shelf", str(number)); self.end_headers()
        elif self.path.startswith("/cut"):
            self.send_response(200); self.send_header("Content-Length", "900"); self.end_headers(); self.wfile.write(b"short"); self.close_connection = True
        else:
            super().do_GET()
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@contextmanager
def site(shop: Shop, room: str, pages: int) -> Iterator[int]:
    """A web site whose pages link to one another, and some to what is lost, moved or broken; yields its port."""
    port = free_port()
    write(os.path.join(room, "site.py"), SITE)
    for number in range(pages):
        links = [f"/page-{(number * 3 + step) % pages}.html" for step in range(4)]
        links += {
            13: ["/lost-13.html"],
            29: ["/broken-29"],
            44: ["/moved-44"],
            51: ["/lost-51.html"],
            60: ["/deep/lost-60.html"],
        }.get(number, [])
        body = "".join(f'<a href="{link}">{link}</a>\n' for link in links)
        write(os.path.join(room, "files", f"page-{number}.html"), f"<html><body>{body}</body></html>\n")
    shutil.copy(os.path.join(room, "files", "page-0.html"), os.path.join(room, "files", "index.html"))
    server = [sys.executable, os.path.join(room, "site.py"), str(port)]
    with running(server, os.path.join(room, "files"), lambda: listens(port), shop.environment()):
        yield port


def wget_run(name: str, shop: Shop) -> Iterator[Item]:
    """`wget --spider -r` of a site; the facts are the links that were broken, the pages, and the last words."""
    shop.install("wget")
    room = shop.room(name)
    with site(shop, room, 80) as port:
        text = shop.run(["wget", "--spider", "-r", "-l", "9", "-t", "1", f"http://127.0.0.1:{port}/"], room).text
    at = f"http://127.0.0.1:{port}"
    facts = [
        Fact("message", (f"{at}{path}",))
        for path in ("/lost-13.html", "/broken-29", "/moved-44", "/lost-51.html", "/deep/lost-60.html")
    ]
    facts += [Fact("message", (f"page-{number}.html",)) for number in range(80)]
    facts += [Fact("message", (one,)) for one in ("404 File not found", "500 Shelf collapsed", "301 Moved Permanently")]
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"Found \d+ broken|Downloaded:|FINISHED", line)
    ]
    yield Item(name, NETWORK, "text", "wget --spider -r", text, said_in(facts, text))


def curl_run(name: str, shop: Shop) -> Iterator[Item]:
    """`curl -v` of many addresses; the facts are those that did not answer 200, what was wrong, and the headers' names."""
    shop.install("curl")
    room = shop.room(name)
    closed = free_port()
    with site(shop, room, 70) as port:
        urls = [f"http://127.0.0.1:{port}/page-{number}.html" for number in range(40)]
        odd = {9: "/lost-9.html", 17: "/broken-17", 23: "/moved-23", 31: "/cut-31", 36: "/lost-36.html"}
        urls = [f"http://127.0.0.1:{port}{odd[n]}" if n in odd else url for n, url in enumerate(urls)]
        urls[27] = f"http://127.0.0.1:{closed}/closed"
        urls[33] = "http://shelf.invalid/"
        text = shop.run(
            ["curl", "-v", "-s", "-S", *(word for url in urls for word in ("-o", "/dev/null", url))], room
        ).text
    facts = [Fact("message", (f"GET {path}",)) for path in odd.values()]
    facts += [
        Fact("message", (one,))
        for one in (
            "404 File not found",
            "500 Shelf collapsed",
            "301 Moved Permanently",
            "X-Shelf: 17",
            "Location: /page-1.html",
        )
    ]
    facts += [Fact("message", (line.strip(),)) for line in text.splitlines() if line.startswith("curl: (")]
    facts += [Fact("message", (f"{closed}",)), Fact("name", ("shelf.invalid",))]
    facts += [
        Fact("message", (f"{one}:",))
        for one in ("Server", "Date", "Content-type", "Content-Length", "Last-Modified", "User-Agent", "Accept", "Host")
    ]
    yield Item(name, NETWORK, "text", "curl -v", text, said_in(facts, text))


def transfer_run(name: str, shop: Shop) -> Iterator[Item]:
    """`dig axfr` of a zone; the facts are the hosts and the records of kinds that are rare."""
    shop.install("named", "bind9")
    shop.install("dig", "bind9-dnsutils")
    room = shop.room(name)
    port = free_port()
    rare = [
        "@ IN MX 10 post.example.org.", '@ IN TXT "v=spf1 -all"', '@ IN CAA 0 issue "ca.example.net"', "_sip._tcp IN SRV 5 0 5060 call.example.org.",
        '_dmarc IN TXT "v=DMARC1; p=reject"', "lost IN NS ns.elsewhere.example.", "old IN DNAME new.example.org.", "shelf-77 IN A 192.0.2.77", "shelf-78 30 IN A 10.1.0.78",
    ]  # fmt: skip
    hosts = "".join(
        f"shelf-{number} IN A 10.0.{number // 20}.{number % 20}\nshelf-{number} IN AAAA 2001:db8::{number:x}\n"
        for number in range(260)
        if number not in {77, 78}
    )
    hosts += "".join(f"www-{number} IN CNAME shelf-{number}\n" for number in range(0, 260, 13))
    zone = f"$TTL 3600\n@ IN SOA ns.example.org. root.example.org. 7 3600 900 99999 60\n@ IN NS ns.example.org.\nns IN A 127.0.0.1\n{hosts}{chr(10).join(rare)}\n"
    write(os.path.join(room, "zone"), zone)
    write(
        os.path.join(room, "named.conf"),
        f'options {{ directory "{room}"; pid-file none; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }}; allow-transfer {{ any; }}; recursion no; session-keyfile none; }};\ncontrols {{ }};\nzone "example.org" {{ type primary; file "zone"; }};\n',
    )
    with running(["named", "-g", "-c", f"{room}/named.conf"], room, lambda: listens(port), shop.environment()):
        text = shop.run(["dig", "@127.0.0.1", "-p", str(port), "example.org", "axfr"], room).text
    facts = [Fact("name", (f"shelf-{number}.example.org",)) for number in range(260)]
    facts += [Fact("name", (f"www-{number}.example.org",)) for number in range(0, 260, 13)]
    facts += [
        Fact("message", (one,))
        for one in (
            "10 post.example.org.",
            "v=spf1 -all",
            "ca.example.net",
            "5 0 5060 call.example.org.",
            "v=DMARC1; p=reject",
            "ns.elsewhere.example.",
            "new.example.org.",
            "192.0.2.77",
            "10.1.0.78",
        )
    ]
    facts += [Fact("name", (one,)) for one in ("SOA", "NS", "A", "AAAA", "CNAME", "MX", "TXT", "CAA", "SRV", "DNAME")]
    facts += [Fact("message", (line,)) for line in text.splitlines() if line.startswith(";; XFR size")]
    yield Item(name, NETWORK, "text", "dig axfr example.org", text, said_in(facts, text))


def agent_run(name: str, shop: Shop) -> Iterator[Item]:
    """`snmpwalk` of an agent; the facts are what it was told of itself, its extensions and every group of its tree."""
    shop.install("snmpd")
    shop.install("snmpwalk", "snmp")
    room = shop.room(name)
    port = free_port()
    extensions = "".join(
        f"extend shelf{number} /bin/{'false' if number in (5, 19) else 'echo'} parcel {number}\n"
        for number in range(24)
    )
    write(
        os.path.join(room, "snmpd.conf"),
        f"rocommunity public 127.0.0.1\nsyslocation third aisle\nsyscontact keeper@example.org\nsysname warehouse\nproc unheard_of 1 1\ndisk / 99%\n{extensions}",
    )
    command = ["snmpd", "-f", "-Lo", "-C", "-c", f"{room}/snmpd.conf", f"udp:127.0.0.1:{port}"]
    ask = ["snmpwalk", "-v2c", "-c", "public", "-Oa", f"127.0.0.1:{port}"]
    with running(
        command, room, lambda: shop.run([*ask, "1.3.6.1.2.1.1.5"], room).text.count("warehouse") > 0, shop.environment()
    ):
        groups = (
            "1.3.6.1.2.1.1",
            "1.3.6.1.2.1.2",
            "1.3.6.1.2.1.4.20",
            "1.3.6.1.2.1.5",
            "1.3.6.1.2.1.6",
            "1.3.6.1.2.1.7",
            "1.3.6.1.4.1.2021.2",
            "1.3.6.1.4.1.2021.9",
            "1.3.6.1.4.1.2021.10",
            "1.3.6.1.4.1.8072.1.3",
        )
        text = "".join(shop.run([*ask, one], room).text for one in groups)
    facts = [
        Fact("message", (one,))
        for one in ("third aisle", "keeper@example.org", "warehouse", "unheard_of", "No unheard_of process running")
    ]
    facts += [Fact("message", (f'"parcel {number}"',), ()) for number in range(24) if number not in {5, 19}]
    facts += [Fact("message", (f'"{one}"',)) for one in sorted(os.listdir("/sys/class/net"))]
    facts += [
        Fact("message", (one,)) for one in sorted(set(re.findall(r"^iso(?:\.\d+){7,9}(?=\.)", text, re.MULTILINE)))
    ]
    facts += [Fact("name", (one,)) for one in sorted(set(re.findall(r" = ([A-Z][\w-]+):", text)))]
    yield Item(name, NETWORK, "text", "snmpwalk -v2c", text, said_in(facts, text))


def filter_run(name: str, shop: Shop) -> Iterator[Item]:
    """`iptables-save -c` of many rules; the facts are the chains, the policies and the rules unlike the others."""
    shop.install("iptables")
    room = shop.room(name)
    plan, chains = ["ip link set lo up"], [f"SHELF-{number}" for number in range(16)]
    for chain in chains:
        plan.append(f"iptables -N {chain}")
        plan += [
            f"iptables -A {chain} -p tcp -s 10.{chains.index(chain)}.0.0/16 --dport {8000 + number} -j ACCEPT"
            for number in range(12)
        ]
        plan += [f"iptables -A {chain} -j RETURN", f"iptables -A INPUT -i port{chains.index(chain)} -j {chain}"]
    odd = (
        "-A SHELF-3 -p udp -m udp --dport 53 -j DROP", "-A SHELF-9 -s 203.0.113.9/32 -j REJECT --reject-with icmp-host-prohibited",
        "-A INPUT -s 198.51.100.0/24 -j DROP", "-A SHELF-14 -p tcp -m tcp --dport 22 -m limit --limit 3/min -j ACCEPT",
    )  # fmt: skip
    plan += [f"iptables {rule}" for rule in odd]
    plan += [
        "iptables -P FORWARD DROP",
        "iptables -t nat -A PREROUTING -p tcp --dport 80 -j REDIRECT --to-ports 8080",
        "iptables -t mangle -A OUTPUT -p tcp -j MARK --set-mark 7",
        "python3 -c 'import socket; socket.socket().connect_ex((\"127.0.0.1\", 9))'",
        "iptables-save -c",
    ]
    text = apart(shop, room, "-n", *plan)
    facts = [Fact("message", (rule,)) for rule in (*odd, ":FORWARD DROP", "--to-ports 8080", "--set-xmark 0x7")]
    facts += [Fact("name", (chain,)) for chain in chains]
    facts += [Fact("message", (one,)) for one in ("*filter", "*nat", "*mangle", ":INPUT ACCEPT", ":OUTPUT ACCEPT")]
    facts += [Fact("name", (f"10.{number}.0.0/16",)) for number in range(16)] + [
        Fact("name", (str(8000 + number),)) for number in range(12)
    ]
    yield Item(name, NETWORK, "text", "iptables-save -c", text, said_in(facts, text))


def ciphers_run(name: str, shop: Shop) -> Iterator[Item]:
    """`sslscan` of three servers, one of them lax; the facts are those of its XML."""
    shop.install("sslscan")
    room = shop.room(name)
    shop.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            "key",
            "-out",
            "cert",
            "-subj",
            "/CN=shelf.example",
            "-days",
            "3",
        ],
        room,
    )
    text, facts = "", []
    for flags in (["-tls1_2"], ["-tls1_3"], ["-cipher", "ALL:@SECLEVEL=0", "-tls1_2", "-legacy_renegotiation"]):
        port = free_port()
        server = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-key", "key", "-cert", "cert", "-www", *flags]
        with running(server, room, partial(listens, port), shop.environment()):
            text += shop.run(
                ["sslscan", "--no-colour", "--show-certificate", "--show-times", f"127.0.0.1:{port}"], room
            ).text
            shop.run(["sslscan", f"--xml={room}/report.xml", f"127.0.0.1:{port}"], room)
        root = ET.parse(os.path.join(room, "report.xml")).getroot()
        facts += [Fact("message", (f"port {port}",)), Fact("message", (f"127.0.0.1:{port}",))]
        facts += [Fact("name", (one.get("cipher") or "",)) for one in root.iter("cipher")]
        facts += [Fact("odd", (), (one.get("name") or "", one.get("id") or "")) for one in root.iter("group")]
        facts += [Fact("name", (one.get("name") or "",)) for one in root.iter("connection-signature-algorithm")]
    facts += [
        Fact("message", (one,)) for one in ("CN=shelf.example", "not vulnerable to heartbleed", "disabled", "enabled")
    ]
    yield Item(name, NETWORK, "text", "sslscan", text, said_in(facts, text))


RECIPES = {
    "wget-spider": partial(wget_run, "wget-spider"),
    "curl-verbose": partial(curl_run, "curl-verbose"),
    "dig-axfr": partial(transfer_run, "dig-axfr"),
    "snmpwalk-agent": partial(agent_run, "snmpwalk-agent"),
    "iptables-shelves": partial(filter_run, "iptables-shelves"),
    "sslscan-servers": partial(ciphers_run, "sslscan-servers"),
}
