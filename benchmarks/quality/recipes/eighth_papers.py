"""Mail, calendars, accounts and what is made of logs, by tools that nobody tunes on; the facts are planted or asked again."""

import datetime as dt
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop

from recipes.eighth_tools import python_tools, tool_of
from recipes.fifth_suites import last_words
from recipes.held_suites import write

MAIL, CALENDAR, ACCOUNTS, LOGS = "mail", "calendar", "accounts", "log analysis"
PEOPLE = ("Ines Holm", "Oda Lind", "Rahul Anand", "Pekka Salo", "Mia Kerr", "Tomas Bright")


def letter(number: int) -> str:
    """A mail of a discussion; every ninth one asks for something."""
    thread, who = number // 8, PEOPLE[number * 5 % len(PEOPLE)]
    address = who.lower().replace(" ", ".")
    when = dt.datetime(2026, 2, 1, 8, tzinfo=dt.UTC) + dt.timedelta(hours=7 * number)
    head = [f"From: {who} <{address}@quay.example>", f"To: harbour@quay.example, list{thread}@quay.example"]
    head += [
        f"Subject: {'Re: ' if number % 8 else ''}Dredging of basin {thread}",
        f"Message-ID: <m{number}@quay.example>",
    ]
    head += [f"In-Reply-To: <m{number - 1}@quay.example>"] if number % 8 else []
    head += [f"Date: {when:%a, %d %b %Y %H:%M:%S} +0000", "MIME-Version: 1.0"]
    words = [f"The crew of dredger {number % 5} has moved {number * 37 % 900} tonnes since {when:%A}.", ""]
    words += ["> " + f"what was said of basin {thread} before, line {n}" for n in range(number % 8)]
    if number % 9 == 4:
        words.append(f"ACTION: renew permit {8800 + number} before the {number % 27 + 1}th.")
    body = "\n".join(words)
    if number % 17 != 6:
        return "\n".join([*head, "Content-Type: text/plain; charset=utf-8", "", body, ""])
    head.append('Content-Type: multipart/mixed; boundary="cut"')
    part = f'--cut\nContent-Type: application/pdf\nContent-Disposition: attachment; filename="chart-{number}.pdf"\n\nJVBERi0=\n--cut--\n'
    return "\n".join([*head, "", f"--cut\nContent-Type: text/plain\n\n{body}\n{part}"])


def notmuch_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `notmuch show` prints of discussions; the facts are planted: subjects, writers, requests, attachments."""
    shop.install("notmuch")
    room = shop.room(name)
    for number in range(64):
        write(os.path.join(room, "mail", "cur", f"{number}:2,S"), letter(number))
    for folder in ("new", "tmp"):
        os.makedirs(os.path.join(room, "mail", folder))
    write(
        os.path.join(room, "config"),
        f"[database]\npath={room}/mail\n[user]\nname=H\nprimary_email=harbour@quay.example\n[new]\ntags=unread;inbox;\n",
    )
    env = {"NOTMUCH_CONFIG": os.path.join(room, "config"), "HOME": room}
    shop.run(["notmuch", "new"], room, env=env).check()
    shop.run(["notmuch", "tag", "+urgent", "--", "id:m41@quay.example"], room, env=env).check()
    text = shop.run(["notmuch", "show", "--format=text", "--entire-thread=true", "*"], room, env=env).text.replace(
        room, "/home/ines"
    )
    facts = [Fact("message", (f"Subject: Dredging of basin {n}",)) for n in range(8)]
    facts += [Fact("message", (who,)) for who in PEOPLE] + [Fact("message", ("urgent",))]
    facts += [Fact("message", (f"ACTION: renew permit {8800 + n}",)) for n in range(4, 64, 9)]
    facts += [Fact("message", (f"chart-{n}.pdf",)) for n in range(6, 64, 17)]
    facts += [Fact("name", (f"m{n}@quay.example",)) for n in (0, 41, 63)]
    yield Item(name, MAIL, "text", "notmuch show '*'", text, said_in(facts, text))


EVENTS = """REM Mon AT 8:00 DURATION 1:00 MSG Briefing of pilots
REM Tue Thu AT 6:30 DURATION 2:15 MSG Ferry to Farnes
REM Wed AT 13:00 DURATION 0:45 MSG Crane check, crane 2
REM Fri AT 16:00 MSG Fuel delivery
REM Sat AT 9:00 DURATION 3:00 MSG Market on the quay
REM 1 MSG Rent of berths due
REM 15 MSG Salaries
"""
SINGLE = (
    ("9 Mar 2026", "Bridge 4 closed all day"), ("17 May 2026", "National day, no ferry"), ("2 Jun 2026", "Diver inspects pile 12"),
    ("23 Aug 2026", "Regatta, basin 2 shut"), ("30 Sep 2026", "Lease of warehouse B ends"), ("11 Nov 2026", "Audit by the coast guard"),
    ("24 Dec 2026", "Office closes at noon"), ("4 Apr 2026", "Lighthouse lamp replaced"), ("19 Jul 2026", "Strike of tug crews"),
)  # fmt: skip


def remind_run(name: str, shop: Shop) -> Iterator[Item]:
    """A year as remind lists it; the facts are planted: what comes once, and what comes again with its hour."""
    shop.install("remind")
    room = shop.room(name)
    wrong = (
        "REM 9 13 2026 MSG Lost entry\nREM 31 Feb 2026 MSG Never\nSET x 3 +\nREM 12 Aug 2026 AT 25:00 MSG Late watch\n"
    )
    single = "".join(f"REM {day} MSG {what}\n" for day, what in SINGLE)
    write(os.path.join(room, "quay.rem"), EVENTS + single + wrong)
    text = shop.run(["remind", "-s12", "-b1", "quay.rem", "2026-01-01"], room, env={"HOME": room}).text
    facts = [
        Fact("odd", (), (dt.datetime.strptime(f"{day} +0000", "%d %b %Y %z").strftime("%Y/%m/%d"), what))
        for day, what in SINGLE
    ]
    hours = (
        "08:00-09:00 Briefing of pilots",
        "06:30-08:45 Ferry to Farnes",
        "13:00-13:45 Crane check, crane 2",
        "16:00 Fuel delivery",
    )
    facts += [
        Fact("message", (one,)) for one in (*hours, "09:00-12:00 Market on the quay", "Rent of berths due", "Salaries")
    ]
    facts += [
        Fact("message", (one.strip(),))
        for one in dict.fromkeys(re.findall(r"^quay\.rem\(\d+\).*$", text, re.MULTILINE))
    ]
    yield Item(name, CALENDAR, "text", "remind -s12 quay.rem", text, said_in(facts, text))


def journal(form: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Half a year of accounts, and the odd entries of it: day, payee, amount."""
    lines, odd = [], []
    for number in range(320):
        day = dt.date(2026, 1, 1) + dt.timedelta(days=number * 181 // 320)
        payee, account = (
            ("Berth fees", "Income:Berths"),
            ("Diesel", "Expenses:Fuel"),
            ("Rope and paint", "Expenses:Upkeep"),
            ("Crane hire", "Income:Crane"),
        )[number % 4]
        amount = number * 53 % 400 + 20
        if number % 67 == 41:
            payee, account, amount = f"Fine of case {number}", "Expenses:Fines", 7000 + number
            odd.append((f"{day}", payee, f"{amount}"))
        sign = "-" if account.startswith("Income") else ""
        if form == "beancount":
            lines.append(
                f'{day} * "{payee}" "entry {number}"\n  {account}  {sign}{amount}.00 NOK\n  Assets:Bank:Oddvik  {"" if sign else "-"}{amount + (number % 29 == 3)}.00 NOK\n'
            )
        else:
            lines.append(f"{day:%Y/%m/%d} {payee}\n    {account}    {sign}{amount}.00 NOK\n    Assets:Bank:Oddvik\n")
    return "\n".join(lines), odd


def ledger_run(name: str, shop: Shop) -> Iterator[Item]:
    """The register of half a year; the facts are planted: accounts, payees, the odd entries, what is left in the end."""
    shop.install("ledger")
    room = shop.room(name)
    text, odd = journal("ledger")
    write(os.path.join(room, "quay.dat"), text)
    text = shop.run(["ledger", "-f", "quay.dat", "register", "--columns", "110"], room, env={"HOME": room}).text
    facts = [Fact("odd", (), (payee, f"{amount}.00 NOK")) for _, payee, amount in odd]
    facts += [Fact("odd", (), (f"{dt.date.fromisoformat(day):%y-%b-%d}", payee)) for day, payee, _ in odd]
    facts += [Fact("name", (one,)) for one in ("Berth fees", "Diesel", "Rope and paint", "Crane hire")]
    facts += [
        Fact("name", (one,))
        for one in (
            "Income:Berths",
            "Expenses:Fuel",
            "Expenses:Upkeep",
            "Income:Crane",
            "Expenses:Fines",
            "Assets:Bank:Oddvik",
        )
    ]
    facts += [Fact("message", (f"26-{month}-",)) for month in ("Jan", "Feb", "Mar", "Apr", "May", "Jun")]
    yield Item(name, ACCOUNTS, "text", "ledger -f quay.dat register", text, said_in(facts, text))


def bean_run(name: str, shop: Shop) -> Iterator[Item]:
    """What bean-check complains of; the facts are the errors that its library lists, each with its line."""
    python, tool = python_tools(shop), tool_of(shop, "bean-check")
    room = shop.room(name)
    text, odd = journal("beancount")
    accounts = ("Income:Berths", "Expenses:Fuel", "Expenses:Upkeep", "Assets:Bank:Oddvik")
    opened = "".join(f"2025-12-31 open {one} NOK\n" for one in accounts)
    checks = "".join(f"2026-{month:02}-28 balance Assets:Bank:Oddvik  {month * 1000}.00 NOK\n" for month in range(1, 7))
    rest = '2026-03-01 pad Expenses:Fuel Equity:Nothing\n2026-04-01 close Expenses:Upkeep\n2026-05-05 opne Expenses:Sail NOK\n2026-05-06 * "half\n'
    write(os.path.join(room, "quay.beancount"), opened + text + checks + rest)
    text = shop.run([tool, "quay.beancount"], room).text.replace(f"{room}/", "")
    script = "import sys, json\nfrom beancount import loader\nfor one in loader.load_file('quay.beancount')[1]:\n    print(json.dumps([one.source['lineno'], one.message]))\n"
    found = []
    for line in shop.run([python, "-c", script], room, apart=True).text.splitlines():
        row, said = json.loads(line)
        found.append(Diagnostic("quay.beancount", f"quay.beancount:{row}", "", said))
    facts = [*diagnostic_facts(found), *(Fact("message", (payee,)) for _, payee, _ in odd)]
    yield Item(name, ACCOUNTS, "text", "bean-check quay.beancount", text, said_in(facts, text))


def post_log() -> tuple[str, list[Fact]]:
    """A day of a mail server, and what a postmaster has to know of it."""
    lines, facts = [], []
    for number in range(900):
        at = f"Nov 12 {number * 86 // 3600 % 24:02}:{number * 86 // 60 % 60:02}:{number % 60:02} quay postfix"
        host, mail = f"mx{number % 40}.sea{number % 23}.example", f"{number:07X}"
        lines.append(f"{at}/smtpd[{2000 + number % 9}]: connect from {host}[192.0.2.{number % 250}]")
        if number % 13 == 5:
            why = (
                "554 5.7.1 Service unavailable; blocked using bl.example",
                "550 5.1.1 User unknown in local recipient table",
                "450 4.7.1 Client host rejected: cannot find your hostname",
            )[number // 13 % 3]
            lines.append(
                f"{at}/smtpd[{2000 + number % 9}]: NOQUEUE: reject: RCPT from {host}[192.0.2.{number % 250}]: {why}; from=<spam{number}@bad.example> to=<nobody{number}@quay.example> proto=ESMTP helo=<{host}>"
            )
            continue
        lines.append(f"{at}/smtpd[{2000 + number % 9}]: {mail}: client={host}[192.0.2.{number % 250}]")
        lines.append(
            f"{at}/qmgr[77]: {mail}: from=<crew{number % 30}@sea{number % 23}.example>, size={900 + number * 71 % 60000}, nrcpt=1 (queue active)"
        )
        state, relay, said = "sent", "local", "250 2.0.0 Ok"
        if number % 31 == 9:
            state, relay, said = (
                "deferred",
                f"mail.port{number % 7}.example[198.51.100.9]:25",
                f"connect to mail.port{number % 7}.example[198.51.100.9]:25: Connection timed out",
            )
        if number % 71 == 20:
            state, relay, said = (
                "bounced",
                f"mail.port{number % 7}.example[198.51.100.9]:25",
                f"host said: 552 5.2.2 Mailbox of captain{number} is full",
            )
            facts.append(Fact("message", (f"captain{number}",)))
        lines.append(
            f"{at}/smtp[{3000 + number % 5}]: {mail}: to=<captain{number}@port{number % 7}.example>, relay={relay}, delay=2.1, delays=1/0/0.1/1, dsn=2.0.0, status={state} ({said})"
        )
        lines.append(f"{at}/qmgr[77]: {mail}: removed")
        if number % 211 == 100:
            lines.append(
                f"{at}/smtpd[{2000 + number % 9}]: warning: hostname {host} does not resolve to address 192.0.2.{number % 250}"
            )
        if number in {333, 777}:
            lines.append(f"{at}/master[1]: fatal: process /usr/lib/postfix/bin/smtpd pid {number} exit status 1")
    return "\n".join(lines) + "\n", facts


def pflogsumm_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pflogsumm makes of a day of a mail server; the facts are its sections, totals, and what was refused and why."""
    shop.install("pflogsumm")
    room = shop.room(name)
    log, facts = post_log()
    write(os.path.join(room, "mail.log"), log)
    text = shop.run(["pflogsumm", "--verbose_msg_detail", "mail.log"], room).text
    facts += [Fact("heading", (one,)) for one in re.findall(r"^([A-Z][^\n]{4,60})\n-{4,}$", text, re.MULTILINE)]
    facts += last_words(
        text,
        r"^ +\d+k? +(?:received|delivered|forwarded|deferred|bounced|rejected|bytes received|bytes delivered|senders|sending hosts/domains|recipients|recipient hosts/domains).*$",
    )
    counts = Counter(f"mail.port{n % 7}.example" for n in range(900) if n % 31 == 9 and n % 13 != 5)
    facts += [Fact("message", (f"{host}",)) for host in counts]
    facts += [
        Fact("message", (one,))
        for one in (
            "Service unavailable; blocked using bl.example",
            "User unknown in local recipient table",
            "cannot find your hostname",
            "Connection timed out",
            "exit status 1",
            "does not resolve to address",
        )
    ]
    yield Item(name, LOGS, "text", "pflogsumm mail.log", text, said_in(facts, text))


JAIL = """[Definition]
failregex = ^\\s*quay gate: wrong code from <HOST> for \\S+$
            ^\\s*quay gate: <HOST> tried door \\d+ \\d+ times$
            ^\\s*quay gate: badge of <HOST> is void since .*$
ignoreregex = ^\\s*quay gate: wrong code from 192\\.0\\.2\\.7 for
"""


def fail_run(name: str, shop: Shop) -> Iterator[Item]:
    """What fail2ban-regex makes of a log; the facts are planted: hosts that it found, lines that it missed, its sums."""
    shop.install("fail2ban-regex", "fail2ban")
    room = shop.room(name)
    lines, hosts, missed = [], [], []
    for number in range(420):
        at = f"2026-11-12 {number // 60 + 8:02}:{number % 60:02}:00 quay"
        host = f"203.0.113.{number % 60}" if number % 5 else f"198.51.100.{number % 90}"
        said = f"gate: opened for boat {number}"
        if number % 7 == 2:
            said = (
                f"gate: wrong code from {host} for door{number % 9}",
                f"gate: {host} tried door {number % 9} {number} times",
                f"gate: badge of {host} is void since May",
            )[number // 7 % 3]
            hosts.append(host)
        if number % 83 == 40:
            said = f"gate: code of {number} was guessed from {host}"
            missed.append(said)
        lines.append(f"{at} {said}")
    lines[211] = "gate: wrong code from 203.0.113.9 for door1 (no time at all)"
    write(os.path.join(room, "gate.log"), "\n".join(lines) + "\n")
    write(os.path.join(room, "gate.conf"), JAIL)
    text = shop.run(["fail2ban-regex", "-v", "--print-all-missed", "gate.log", "./gate.conf"], room).text.replace(
        f"{room}/", ""
    )
    facts = [Fact("name", (host,)) for host in dict.fromkeys(hosts)] + [Fact("message", (one,)) for one in missed]
    facts += last_words(
        text, r"^Lines: .*$|^Failregex: .*$|^Ignoreregex: .*$|^\| +\d+\) \[\d+\] .*$|^Missed line\(s\).*$"
    )
    facts += [Fact("message", ("(no time at all)",))]
    yield Item(name, LOGS, "text", "fail2ban-regex gate.log gate.conf", text, said_in(facts, text))


RECIPES = {
    "notmuch-dredging": partial(notmuch_run, "notmuch-dredging"),
    "remind-quay": partial(remind_run, "remind-quay"),
    "ledger-quay": partial(ledger_run, "ledger-quay"),
    "bean-check-quay": partial(bean_run, "bean-check-quay"),
    "pflogsumm-quay": partial(pflogsumm_run, "pflogsumm-quay"),
    "fail2ban-gate": partial(fail_run, "fail2ban-gate"),
}
