"""Servers, mail, transfers and indexes, told by tools that nobody tunes on; on loopback, planted."""

import os
import re
import time
from collections.abc import Iterator
from functools import partial

from items import Item
from reports import said_in
from shop import Shop

from recipes.databases import as_user, running
from recipes.held_linters import read
from recipes.held_servers import free_port, listens
from recipes.held_suites import write
from recipes.ninth_games import played
from recipes.ninth_tools import each, python_tools

LOGIN, SPAM, SIEVE, POST, TRANSFER = "login server", "spam filter", "mail filter", "mail transport", "file transfer"
BROKER, INDEX, AGENT, REPL, LANGUAGE, DEBUG = "message broker", "search index", "agent session", "interpreter session", "language server", "debugger"  # fmt: skip


def radius_run(name: str, shop: Shop) -> Iterator[Item]:
    """What freeradius says as it lets people in; the facts are planted: everybody who is refused, and why; its modules."""
    shop.install("freeradius")
    shop.install("radclient", "freeradius-utils")
    room = shop.room(name)
    port = free_port()
    users = "".join(
        f'baker{n} Cleartext-Password := "loaf{n}"\n  Reply-Message = "hello baker{n}"\n' for n in range(12)
    )
    write(os.path.join(room, "mods-config/users"), users + 'thief Auth-Type := Reject\n  Reply-Message = "not you"\n')
    site = f"server mill {{\n listen {{\n  type = auth\n  ipaddr = 127.0.0.1\n  port = {port}\n }}\n authorize {{\n  preprocessed\n  files\n  pap\n }}\n authenticate {{\n  Auth-Type PAP {{\n   pap\n  }}\n }}\n post-auth {{\n  Post-Auth-Type REJECT {{\n   attr\n  }}\n }}\n}}\n"
    site = site.replace("  preprocessed\n", "").replace("   attr\n", "   update reply {\n    Class := 0x4d\n   }\n")
    config = f"prefix = /usr\nlogdir = {room}\nraddbdir = {room}\nlibdir = /usr/lib/freeradius\nname = mill\nsecurity {{\n allow_core_dumps = no\n reject_delay = 0\n max_attributes = 200\n}}\nlog {{\n destination = stdout\n auth = yes\n}}\nthread pool {{\n start_servers = 1\n}}\nclient localhost {{\n ipaddr = 127.0.0.1\n secret = flour\n}}\nmodules {{\n files {{\n  filename = {room}/mods-config/users\n }}\n pap {{\n }}\n}}\n{site}"
    write(os.path.join(room, "radiusd.conf"), config)
    facts = []
    with running(
        ["freeradius", "-X", "-d", room],
        room,
        lambda: b"Ready to process" in open(os.path.join(room, "server.log"), "rb").read(),
        shop.environment(),
    ) as log:
        for n in range(30):
            who, word = f"baker{n % 12}", f"loaf{n % 12}" if n % 7 != 4 else f"wrong{n}"
            who = "thief" if n == 17 else f"stranger{n}" if n % 11 == 6 else who
            if who != f"baker{n % 12}" or word.startswith("wrong"):
                facts += each("message", [f"[{who}"])
                facts += each("message", [f"wrong{n}"] * word.startswith("wrong"))
            asked = f"User-Name={who},User-Password={word},NAS-Port={n}\n"
            played(shop, ["radclient", "-t", "2", "-r", "1", f"127.0.0.1:{port}", "auth", "flour"], room, asked)
        time.sleep(1)
        text = read(log).replace(room, "/etc/mill").replace(str(port), "1812")
    facts += each(
        "message",
        dict.fromkeys(
            re.sub(r"^\(\d+\)\s+", "", one)[:80].strip()
            for one in re.findall(r"^.*(?:ERROR|WARNING|Login incorrect|Rejected|Failed).*$", text, re.MULTILINE)
        ),
    )
    facts += each(
        "message",
        re.findall(
            r"^ *# Instantiating module \"\w+\"|^Listening on .*$|^Ready to process requests$", text, re.MULTILINE
        ),
    )
    facts += each(
        "message", dict.fromkeys(re.findall(r"\) +(?:\w+: )?\w+ = (?:reject|fail|notfound|noop|updated|ok)\b", text))
    )
    facts += each(
        "message", [f'User-Name = "{one}"' for one in dict.fromkeys(re.findall(r'User-Name = "(\w+)"', text))]
    )
    yield Item(name, LOGIN, "text", "freeradius -X", text, said_in(facts, text))


LETTER = """Return-Path: <oda@mill.example>
Received: from bad.example (bad.example [192.0.2.66]) by mx.mill.example; Wed, 18 Nov 2026 10:00:00 +0000
From: "Bank of Bread" <win@cheap{0}.example>
To: undisclosed-recipients:;
Subject: {1}
Date: Wed, 18 Nov 2026 10:00:00 +0000
Message-ID: <{0}@cheap{0}.example>
MIME-Version: 1.0
Content-Type: text/html

<html><body><font size=9>{2}</font><img src="http://192.0.2.66/x{0}.gif"></body></html>
"""
SUBJECTS = ("YOU HAVE WON A MILLION LOAVES", "Re: your order", "V1agra from the mill", "invoice attached")
BODIES = (
    "Click here now!!! http://192.0.2.66/win Dear friend, 100% free money back guarantee",
    "Your loaf is ready.",
    "Buy cheap pills no prescription needed, act now!",
    "Nigerian prince needs your bank account to transfer $5,000,000",
)


def spam_run(name: str, shop: Shop) -> Iterator[Item]:
    """What spamassassin says of letters as it tests them; the facts are the tests that hit, by its own report, and its scores."""
    shop.install("spamassassin")
    room = shop.room(name)
    text, facts = "", []
    for n in range(4):
        letter = write(os.path.join(room, f"letter{n}.eml"), LETTER.format(n, SUBJECTS[n], BODIES[n]))
        said = shop.run(
            ["spamassassin", "-D", "rules,check,uri,message", "-L", "-t", letter], room, env={"HOME": room}, seconds=120
        ).text
        text += said.replace(room, "/srv")
        facts += each("name", re.findall(r"^ *-?[\d.]+ ([A-Z][A-Z0-9_]{4,}) ", said, re.MULTILINE))
        facts += each(
            "message", re.findall(r"^Content analysis details:.*$|^X-Spam-Status: .*score=\S+", said, re.MULTILINE)
        )
    facts += each("message", re.findall(r"ran (?:header|body|uri|rawbody|meta|eval) rule (\w+) =+>", text))
    facts += each("message", [f"cheap{n}.example" for n in range(4)])
    text = re.sub(r"^\w{3} \d+ [\d:.]+ \[\d+\]", "Nov 18 10:00:00.000 [77]", text, flags=re.MULTILINE)
    yield Item(name, SPAM, "text", "spamassassin -D -L -t letter.eml", text, said_in(facts, text))


FILTER = """require ["fileinto", "reject", "imap4flags", "variables", "body", "envelope", "vacation", "regex"];
if header :contains "subject" "invoice" { addflag "\\\\Flagged"; fileinto "Bills"; stop; }
elsif header :matches "subject" "order *" { set "nr" "${1}"; fileinto "Orders.${nr}"; }
elsif address :domain :is "from" ["spam.example", "cheap.example"] { discard; stop; }
elsif size :over 2K { fileinto "Large"; }
elsif header :regex "x-priority" "^[12]$" { addflag "urgent"; keep; }
elsif body :contains "unsubscribe" { reject "no lists here"; }
else { keep; }
"""


def sieve_run(name: str, shop: Shop) -> Iterator[Item]:
    """What sieve-test traces of a filter over letters; the facts are planted: where each letter goes, and every test that is asked."""
    shop.install("sieve-test", "dovecot-sieve")
    room = shop.room(name)
    os.chmod(room, 0o777)
    write(os.path.join(room, "mill.sieve"), FILTER)
    text, facts = "", []
    for n in range(14):
        subject = {1: f"invoice {n}", 4: f"order {n}"}.get(n % 5, f"hello {n}")
        host = "cheap.example" if n % 6 == 3 else "friend.example"
        body = "unsubscribe here" if n == 12 else "x" * 3000 if n == 7 else "fine bread"
        urgent = "X-Priority: 1\n" if n == 5 else ""
        letter = f"letter{n}.eml"
        write(
            os.path.join(room, letter),
            f"From: a{n}@{host}\nTo: oda@mill.example\nSubject: {subject}\n{urgent}\n{body}\n",
        )
        command = [
            "sieve-test",
            "-o",
            f"mail_home={room}",
            "-o",
            f"mail_location=maildir:{room}/Maildir",
            "-o",
            "first_valid_uid=100",
        ]
        said = shop.run(
            as_user("nobody", *command, "-t", "-", "-T", "level=matching", "mill.sieve", letter),
            room,
            env={"HOME": room},
        ).text
        text += f"$ sieve-test -t - -T level=matching mill.sieve {letter}\n" + said.replace(room, "/srv")
        facts += each(
            "message", [f"mill.sieve {letter}"] + [one.strip() for one in re.findall(r"^ \* (.*)$", said, re.MULTILINE)]
        )
    facts += each(
        "message", [f"Orders.{n}" for n in range(14) if n % 5 == 4] + ["no lists here", "Bills", "Large", "urgent"]
    )
    asked = dict.fromkeys(re.findall(r"^ *\d+: (.*?)$", text, re.MULTILINE))
    facts += each("message", [one for one in asked if "@" not in one and "`hello" not in one])
    yield Item(name, SIEVE, "text", "sieve-test -t - mill.sieve letter.eml", text, said_in(facts, text))


POSTMAN = """import asyncio, sys
from aiosmtpd.controller import Controller
class Clerk:
    async def handle_RCPT(self, server, session, envelope, address, options):
        n = int(address.split("@")[0].lstrip("bakerghost"))
        if "ghost" in address: return "550 5.1.1 no such baker %d" % n
        if n % 11 == 5: return "452 4.2.2 the box of baker %d is full" % n
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"
    async def handle_DATA(self, server, session, envelope):
        return "554 5.7.1 too many raisins" if b"raisins" in envelope.content else "250 2.0.0 kept"
c = Controller(Clerk(), hostname="127.0.0.1", port=int(sys.argv[1])); c.start()
import time; time.sleep(120)
"""


def swaks_run(name: str, shop: Shop) -> Iterator[Item]:
    """What swaks shows of letters it hands over; the facts are planted: every refusal, who it is about, and the kinds of answer."""
    shop.install("swaks")
    room = shop.room(name)
    port = free_port()
    write(os.path.join(room, "post.py"), POSTMAN)
    text, facts = "", []
    with running([python_tools(shop), "post.py", str(port)], room, lambda: listens(port), shop.environment()):
        for n in range(26):
            who = f"ghost{n}@mill.example" if n % 9 == 4 else f"baker{n}@mill.example"
            body = "raisins" if n % 13 == 7 else "bread"
            facts += each(
                "message",
                [f"550 5.1.1 no such baker {n}"] * (n % 9 == 4)
                + [f"452 4.2.2 the box of baker {n} is full"] * (n % 11 == 5 and n % 9 != 4),
            )
            facts += each("message", [f"RCPT TO:<{who}>"])
            text += shop.run(
                [
                    "swaks",
                    "-s",
                    f"127.0.0.1:{port}",
                    "-f",
                    "oda@mill.example",
                    "-t",
                    who,
                    "--helo",
                    "mill",
                    "--body",
                    body,
                    "--h-Date",
                    "now",
                ],
                room,
            ).text
    text = text.replace(str(port), "2525")
    facts += each(
        "message",
        [
            "554 5.7.1 too many raisins",
            "250 2.0.0 kept",
            "*** Remote host",
            "Connection closed with remote host",
            *re.findall(r"^=== .*(?=\.\.\.$)", text, re.MULTILINE),
        ],
    )
    facts += each(
        "message", dict.fromkeys(one[:24] for one in re.findall(r"^<[-*~]*  ?(\d{3}[- ].*)$", text, re.MULTILINE))
    )
    yield Item(name, POST, "text", "swaks -s 127.0.0.1", text, said_in(facts, text))


DEPOT = """import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer
class Door(FTPHandler):
    def ftp_RETR(self, file):
        if file.endswith(("13.txt", "27.txt")): return self.respond("550 the sack is torn: " + file.rsplit("/", 1)[-1])
        return super().ftp_RETR(file)
a = DummyAuthorizer(); a.add_anonymous("depot")
Door.authorizer = a
FTPServer(("127.0.0.1", int(sys.argv[1])), Door).serve_forever()
"""


def lftp_run(name: str, shop: Shop) -> Iterator[Item]:
    """What lftp says as it mirrors a depot; the facts are planted: every file that is refused, every folder, and its sums."""
    shop.install("lftp")
    room = shop.room(name)
    port = free_port()
    write(os.path.join(room, "depot.py"), DEPOT)
    for n in range(360):
        write(os.path.join(room, f"depot/row{n % 8}/sack{n}.txt"), f"sack {n}\n" * (n % 30 + 1))
    with running([python_tools(shop), "depot.py", str(port)], room, lambda: listens(port), shop.environment()):
        text = shop.run(
            [
                "lftp",
                "-c",
                f"set net:max-retries 1; set net:reconnect-interval-base 1; debug 3; open -u anonymous,x ftp://127.0.0.1:{port}; mirror -v -P 1 / got",
            ],
            room,
            seconds=120,
            env={"HOME": room},
        ).text
    text = text.replace(str(port), "2121").replace(room, "/srv")
    torn = [n for n in range(360) if f"{n}".endswith(("13", "27"))]
    facts = each(
        "message",
        [f"sack{n}.txt: Access failed: 550 the sack is torn: sack{n}.txt" for n in torn]
        + [f"the sack is torn: sack{n}.txt" for n in torn],
    )
    facts += each("path", [f"row{n}" for n in range(8)]) + each(
        "message", re.findall(r"^(?:Total: .*|New: .*|\d+ errors? detected|Making directory .*)$", text, re.MULTILINE)
    )
    yield Item(name, TRANSFER, "text", "lftp -c mirror", text, said_in(facts, text))


def delve_run(name: str, shop: Shop) -> Iterator[Item]:
    """What xapian-delve lists of an index; the facts are planted: words that are in one record alone, and what the index says of itself."""
    shop.install("xapian-delve", "xapian-tools")
    shop.install("scriptindex", "xapian-omega")
    room = shop.room(name)
    write(os.path.join(room, "index.script"), "id : boolean=Q unique=Q\ntext : index\nkind : boolean=K\n")
    rare = {7: "saffron", 23: "cardamom", 41: "weevil", 58: "recall"}
    rows = [
        f"id={n}\ntext=loaf number {n} baked with rye and water by the night shift {rare.get(n, '')}\nkind={('rye', 'bun', 'oat')[n % 3]}\n"
        for n in range(330)
    ]
    write(os.path.join(room, "dump"), "\n".join(rows))
    shop.run(["scriptindex", "found", "index.script", "dump"], room).check()
    text = (
        shop.run(["xapian-delve", "-v", "-v", "-a", "found"], room).text
        + shop.run(["xapian-delve", "-v", "-r", "8", "-r", "42", "-r", "59", "-1", "found"], room).text
    )
    for word in ("saffron", "weevil", "Krye", "night"):
        text += shop.run(["xapian-delve", "-v", "-t", word, "found"], room).text
    facts = each(
        "name", [*rare.values(), *("Krye", "Kbun", "Koat", "loaf", "night", "shift", "water", "Znight", "Zshift")]
    )
    facts += each(
        "message",
        re.findall(
            r"^(?:UUID|number of documents|average document length|document length .*|highest document id.*|has positional.*|revision|currently open.*) = .*$|^Posting List for .*termfreq \d+.*?$",
            text,
            re.MULTILINE,
        ),
    )
    facts += each("message", [f"Term List for record #{n}" for n in (8, 42, 59)])
    yield Item(name, INDEX, "text", "xapian-delve -v -a found", text, said_in(facts, text))


def rabbit_run(name: str, shop: Shop) -> Iterator[Item]:
    """What rabbitmqctl reports of a broker; the facts are planted: every queue, exchange, user, and what the node says of itself."""
    shop.install("rabbitmqctl", "rabbitmq-server")
    room = shop.room(name)
    port, spread, names = free_port(), free_port(), free_port()
    env = {
        "HOME": room,
        "RABBITMQ_MNESIA_BASE": f"{room}/db",
        "RABBITMQ_LOG_BASE": f"{room}/log",
        "RABBITMQ_NODENAME": "mill@localhost",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(spread),
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_ENABLED_PLUGINS_FILE": f"{room}/plugins",
        "RABBITMQ_PID_FILE": f"{room}/pid",
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(names),
        "RABBITMQ_CONFIG_FILE": f"{room}/rabbit",
    }
    write(os.path.join(room, "plugins"), "[].\n")
    server, tool = "/usr/lib/rabbitmq/bin/rabbitmq-server", "/usr/lib/rabbitmq/bin/rabbitmqctl"
    facts = []
    with running([server], room, lambda: listens(port), shop.environment() | env):
        shop.run([tool, "await_startup"], room, env=env, seconds=90)
        rows = "".join(
            f'rabbit_amqqueue:declare(rabbit_misc:r(<<"/">>, queue, <<"batch{n}">>), {"true" if n % 5 else "false"}, false, [], none, <<"oda">>),'
            for n in range(40)
        )
        shop.run([tool, "eval", rows + "ok."], room, env=env, seconds=90)
        for n in range(5):
            shop.run([tool, "add_user", f"baker{n}", "flour"], room, env=env)
            shop.run([tool, "set_policy", f"keep{n}", f"^batch{n}", '{"max-length":10}'], room, env=env)
        text = (
            shop.run([tool, "report"], room, env=env, seconds=90)
            .text.replace(room, "/var/mill")
            .replace(str(port), "5672")
            .replace(str(spread), "25672")
            .replace(str(names), "4369")
        )
        shop.run([tool, "shutdown"], room, env=env, seconds=60)
        shop.run(["epmd", "-kill"], room, env=env)
    facts += each(
        "name", [f"batch{n}" for n in range(40)] + [f"baker{n}" for n in range(5)] + [f"keep{n}" for n in range(5)]
    )
    facts += each(
        "message",
        dict.fromkeys(
            re.findall(
                r"^(?:Status of node .*|Listing .*|Reporting .*|Application environment of .*|Runtime|Plugins|Data directory|Config files|Log file\(s\)|Alarms|Memory|File Descriptors|Free Disk Space|Totals|Listeners|RabbitMQ version: .*|Erlang configuration: .*)$",
                text,
                re.MULTILINE,
            )
        ),
    )
    yield Item(name, BROKER, "text", "rabbitmqctl report", text, said_in(facts, text))


RECIPES = {
    "freeradius-bakers": partial(radius_run, "freeradius-bakers"),
    "spamassassin-letters": partial(spam_run, "spamassassin-letters"),
    "sieve-test-letters": partial(sieve_run, "sieve-test-letters"),
    "swaks-bakers": partial(swaks_run, "swaks-bakers"),
    "lftp-sacks": partial(lftp_run, "lftp-sacks"),
    "xapian-delve-loaves": partial(delve_run, "xapian-delve-loaves"),
    "rabbitmqctl-report": partial(rabbit_run, "rabbitmqctl-report"),
}
