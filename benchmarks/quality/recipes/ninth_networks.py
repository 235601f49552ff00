"""Routes, zones and models of networks, told by tools that nobody tunes on; what is wrong in them was planted."""

import glob
import os
import re
import time
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.ninth_tools import TOOLS, each, pairs, tool_of

ROUTES, ZONE, MODEL = "routing", "name zone", "network model"


def bird_run(name: str, shop: Shop) -> Iterator[Item]:
    """What birdc tells of routes; the facts are planted: every network that is refused, or has a mark or a weight of its own."""
    shop.install("birdc", "bird2")
    room = shop.room(name)
    lines, facts = [], []
    for number in range(140):
        net = f"10.{number}.{number * 3 % 256}.0/24"
        how = "unreachable" if number % 19 == 7 else ("prohibit" if number % 31 == 11 else "blackhole")
        mark = f" {{ bgp_community.add(({65000 + number % 3},{number})); }}" if number % 7 == 2 else ""
        weight = " { preference = 310; }" if number == 44 else mark
        lines.append(f"  route {net} {how}{weight};")
        facts += pairs([(net, how)] * (how != "blackhole")) + each(
            "message", [f"({65000 + number % 3},{number})"] * bool(mark)
        )
        facts += pairs([(net, "(310)")] * (number == 44))
    config = (
        "router id 192.0.2.1;\nlog stderr all;\nprotocol device { }\nprotocol static ovens {\n  ipv4;\n"
        + "\n".join(lines)
        + "\n}\nprotocol static mills {\n  ipv6;\n"
        + "\n".join(f"  route 2001:db8:{n:x}::/48 blackhole;" for n in range(25))
        + "\n}\nprotocol bgp far { local 127.0.0.1 as 65000; neighbor 127.0.0.9 port 1790 as 65009; ipv4 { import all; export all; }; multihop; }\n"
    )
    write(os.path.join(room, "bird.conf"), config)
    with running(
        ["bird", "-f", "-c", "bird.conf", "-s", "bird.ctl", "-P", "bird.pid"],
        room,
        lambda: os.path.exists(os.path.join(room, "bird.ctl")),
        shop.environment(),
    ):
        time.sleep(1)
        text = "".join(
            shop.run(["birdc", "-s", "bird.ctl", *words], room).text
            for words in (["show", "protocols", "all"], ["show", "route", "all"])
        )
    facts += each("name", ["ovens", "mills", "far", "device1"])
    facts += each(
        "message",
        [
            one.strip()
            for one in re.findall(
                r"^ +(?:BGP state|Neighbor address|Neighbor AS|Local AS|Routes|Last error|Channel \w+|Description): .*$|^ +Channel .*$",
                text,
                re.MULTILINE,
            )
        ],
    )
    facts += each("message", [f"2001:db8:{n:x}::/48" for n in range(25)])
    yield Item(name, ROUTES, "text", "birdc show route all", text, said_in(facts, text))


def zone_run(name: str, shop: Shop) -> Iterator[Item]:
    """What kzonecheck says of a zone; the facts are planted: every name that has something wrong, and what it is."""
    shop.install("kzonecheck", "knot-dnsutils")
    room = shop.room(name)
    lines = ["$ORIGIN mill.example.", "$TTL 3600", "@ SOA ns1 oda 1 3600 600 86400 300", "@ NS ns1", "ns1 A 192.0.2.1"]
    for number in range(1300):
        lines.append(f"oven{number} A 192.0.2.{number % 250}")
        lines += [f"oven{number} CNAME ns1"] * (number % 23 == 5)
        lines += [f"far{number} NS ns.far{number}.mill.example."] * (number % 17 == 3)
        lines += [f"alias{number} CNAME one", f"alias{number} CNAME two"] * (number % 31 == 8)
        lines += [f"post{number} DNAME a.example.", f"sub.post{number} A 192.0.2.9"] * (number % 37 == 12)
        lines += [f"key{number} NSEC3PARAM 1 0 10 ab"] * (number % 41 == 6)
        lines += [f"sig{number} RRSIG A 13 3 3600 20200101000000 20190101000000 1 mill.example. AAAA"] * (
            number % 29 == 9
        )
        lines += [f"ds{number} DS 1 13 2 AABB"] * (number % 43 == 20)
    write(os.path.join(room, "mill.zone"), "\n".join(lines) + "\n")
    text = shop.run(["kzonecheck", "-v", "-o", "mill.example", "mill.zone"], room).text
    found = [("error", node, said) for node, said in re.findall(r"^\[([\w.]+)\] (.*)$", text, re.MULTILINE)]
    facts = each("message", [said for _, _, said in found]) + each("name", [node for _, node, _ in found])
    facts += pairs((node, said) for _, node, said in found if sum(one[2] == said for one in found) <= 8)
    facts += each("message", re.findall(r"^(?:Error summary:.*|Serious .*|\s+\d+\t.*)$", text, re.MULTILINE))
    yield Item(name, ZONE, "text", "kzonecheck -v mill.zone", text, said_in(facts, text))


def models(shop: Shop) -> str:
    """Where the models of pyang are."""
    TOOLS.python(shop)
    return os.path.join(shop.root, "venvs", "ninth", "share", "yang", "modules", "ietf")


def pyang_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `pyang --lint` says of models; the facts are its messages with their places, and every model that has one."""
    room = shop.room(name)
    chosen = sorted(glob.glob(os.path.join(models(shop), "ietf-*.yang")))
    for number, path in enumerate(chosen):
        body = read(path)
        body = re.sub(r"\n +reference\s+\"[^\"]*\";", "", body) if number % 3 == 0 else body
        body = body.replace("description", "descripton", 1) if number % 7 == 3 else body
        body = re.sub(r"\n  +type uint32;", "\n      type unit32;", body, count=2) if number % 5 == 2 else body
        body = re.sub(r"(\n  revision )", r"\1", body).replace("ipaddr", "inet:absent", 1) if number % 9 == 4 else body
        write(os.path.join(room, os.path.basename(path)), body)
    files = sorted(os.path.basename(path) for path in chosen)
    text = (
        shop.run([tool_of(shop, "pyang"), "--lint", "-p", models(shop), *files], room)
        .text.replace(f"{room}/", "")
        .replace(shop.root, "/opt")
    )
    found = [
        Diagnostic(path, f"{path}:{line}", "", said)
        for path, line, said in re.findall(r"^(\S+?\.yang):(\d+): (?:error|warning): (.*)$", text, re.MULTILINE)
    ]
    yield Item(name, MODEL, "text", "pyang --lint *.yang", text, said_in(diagnostic_facts(found), text))


def yanglint_run(name: str, shop: Shop) -> Iterator[Item]:
    """What yanglint draws of models; the facts are the nodes that the models declare, and those that are lists or acts."""
    shop.install("yanglint", "libyang2-tools")
    room = shop.room(name)
    folder = models(shop)
    chosen = [
        os.path.join(folder, f"{one}.yang")
        for one in ("ietf-interfaces", "ietf-ip", "ietf-system", "ietf-snmp", "ietf-netconf-acm", "ietf-hardware")
        if os.path.exists(os.path.join(folder, f"{one}.yang"))
    ]
    text = shop.run(
        ["yanglint", "-p", folder, "-p", os.path.join(os.path.dirname(folder), "iana"), "-f", "tree", *chosen], room
    ).text.replace(shop.root, "/opt")
    facts: list[Fact] = []
    for path in chosen:
        facts += each("name", [os.path.basename(path)[:-5]])
        facts += each(
            "name",
            re.findall(
                r"^\s+(?:list|container|rpc|notification|choice|action|leaf) ([\w-]+) \{", read(path), re.MULTILINE
            ),
        )
    yield Item(name, MODEL, "text", "yanglint -f tree *.yang", text, said_in(facts, text))


RECIPES = {
    "birdc-ovens": partial(bird_run, "birdc-ovens"),
    "kzonecheck-mill": partial(zone_run, "kzonecheck-mill"),
    "pyang-ietf": partial(pyang_run, "pyang-ietf"),
    "yanglint-ietf": partial(yanglint_run, "yanglint-ietf"),
}
