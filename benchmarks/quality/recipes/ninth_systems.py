"""Firmware, displays, keyboards, buses, policies and radios, told by tools that nobody tunes on; planted or asked again."""

import glob
import os
import re
import time
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import said_in
from shop import CannotMake, Shop

from recipes.databases import running
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.ninth_tools import each, pairs

ACPI, SCREEN, KEYBOARD, DISPLAY, BUS = "firmware tables", "screen data", "keyboard", "display server", "message bus"
TOPOLOGY, MONITORING, CHIPS, SIGNAL, POLICY = (
    "topology",
    "monitoring",
    "support list",
    "logic analyser",
    "access policy",
)
RADIO = "radio"

DEVICES = """
    Device (O{0:03})
    {{
        Name (_HID, "MILL{1:04}")
        Name (_UID, {0})
        Method (_STA, 0, NotSerialized) {{ Return (0x0F) }}
        Method (_CRS, 0, Serialized)
        {{
            Name (RBUF, ResourceTemplate () {{ IO (Decode16, 0x{1:04X}, 0x{1:04X}, 0x01, 0x08) }})
            {2}
            Return (RBUF)
        }}
    }}
"""
FAULTS = ("Store (LOST, Local0)", "Return ()", "Store (0x05, Local1)", "Sleep (0x9999)", "Local0 = Local3", "Store (Arg3, Local2)", "HEAT (1)", "CreateDWordField (RBUF, 0x40, LEN)", 'Name (_HID, "again")', "If (One) { Return (RBUF) }")  # fmt: skip


def iasl_run(name: str, shop: Shop) -> Iterator[Item]:
    """What iasl says of a table; the facts are its messages with their codes and lines, each once, and its sums."""
    shop.install("iasl", "acpica-tools")
    room = shop.room(name)
    devices = "".join(
        DEVICES.format(number, number + 256, FAULTS[number % 10] if number % 3 == 0 else "") for number in range(90)
    )
    write(
        os.path.join(room, "oven.asl"),
        f'DefinitionBlock ("", "DSDT", 2, "MILL", "OVEN", 1)\n{{\n  Scope (\\_SB)\n  {{\n    Method (HEAT, 2) {{ Return (Arg0) }}\n{devices}  }}\n}}\n',
    )
    text = shop.run(["iasl", "oven.asl"], room).text
    found = re.findall(
        r"^oven\.asl +(\d+): .*\n(Error|Warning|Remark) +(\d+) -\s+(?:\^\s*)?(.*?)(?: \^.*)?$", text, re.MULTILINE
    )
    facts = each("code", [code for _, _, code, _ in found])
    facts += each("message", [said.strip().lstrip("^ ")[:70] for _, _, _, said in found])
    heads = [re.search(rf"^oven\.asl +{line}:", text, re.MULTILINE) for line, kind, _, _ in found if kind == "Error"]
    facts += each("message", [head[0] for head in heads if head])
    facts += each("message", re.findall(r"^(?:ASL Input|Compilation (?:failed|successful)).*$", text, re.MULTILINE))
    yield Item(name, ACPI, "text", "iasl oven.asl", text, said_in(facts, text))


def edid(number: int) -> bytes:
    """What a screen tells of itself; some of them tell it wrongly."""
    maker = (0x35A9, 0x10AC, 0x4C2D, 0x1E6D)[number % 4]
    body = bytearray(
        b"\x00\xff\xff\xff\xff\xff\xff\x00"
        + maker.to_bytes(2, "big")
        + (700 + number).to_bytes(2, "little")
        + (55000 + number).to_bytes(4, "little")
    )
    body += bytes([number + 1, 25 + number % 9, 1, 4, 0xB5, 60 if number != 5 else 0, 34, 120, 0x3A])
    body += (
        bytes.fromhex("eeeaad4d46a7240f5054")
        + bytes.fromhex("a54b00")
        + bytes.fromhex("d1c081c0810081809500a9c0b3000101")
    )
    body += bytes.fromhex(
        "023a801871382d40582c450055502100001e" if number % 3 else "04740030f2705a80b0588a0055502100001e"
    )
    body += b"\x00\x00\x00\xff\x00" + f"SN{number:04}OVEN".encode().ljust(12, b"\n") + b" "
    body += b"\x00\x00\x00\xfc\x00" + f"Loaf {number}".encode() + (b"\n" + b" " * 20)[: 13 - len(f"Loaf {number}")]
    body += (
        bytes.fromhex("000000fd00384c1e5111000a202020202020")
        if number != 8
        else bytes.fromhex("000000fd004c381e5111000a202020202020")
    )
    body = body[:126] + bytes([0])
    return bytes(body) + bytes([(256 - sum(body)) % 256 if number not in {3, 10} else 7])


def edid_run(name: str, shop: Shop) -> Iterator[Item]:
    """What edid-decode tells of screens; the facts are planted: every screen's name and number, and what each fails in."""
    shop.install("edid-decode")
    room = shop.room(name)
    text = ""
    for number in range(12):
        with open(os.path.join(room, f"screen{number}.bin"), "wb") as out:
            out.write(edid(number))
        text += f"# screen{number}.bin\n" + shop.run(["edid-decode", "--check", f"screen{number}.bin"], room).text
    facts = each("message", [f"# screen{number}.bin" for number in range(12)])
    facts += each(
        "message", [f"'Loaf {number}'" for number in range(12)] + [f"'SN{number:04}OVEN'" for number in range(12)]
    )
    facts += each(
        "message",
        [
            one.strip()[:80]
            for one in re.findall(
                r"^  +(?:[A-Z].*(?:checksum|but|should|must|expected|missing|unexpected|invalid|zero|not ).*)$",
                text,
                re.MULTILINE,
            )
        ],
    )
    facts += each("message", re.findall(r"^(?:Failures:|Warnings:|EDID conformity: .*)$", text, re.MULTILINE))
    facts += each(
        "message",
        dict.fromkeys(
            one.strip()
            for one in re.findall(
                r"^ +(?:Manufacturer|Model|Made in|DTD 1|Maximum image size): .*$", text, re.MULTILINE
            )
        ),
    )
    yield Item(name, SCREEN, "text", "edid-decode --check screen.bin", text, said_in(facts, text))


def xkb_run(name: str, shop: Shop) -> Iterator[Item]:
    """What xkbcli compiles of a layout; the facts are the keys that it names, their levels that are rare, and its sections."""
    shop.install("xkbcli", "libxkbcommon-tools")
    room = shop.room(name)
    text = shop.run(["xkbcli", "compile-keymap", "--layout", "no", "--variant", "dvorak"], room).text
    facts = each("message", re.findall(r"^\s*(xkb_\w+ \"[^\"]+\"|xkb_\w+) \{", text, re.MULTILINE))
    facts += each("message", re.findall(r"^\s*(indicator \d+ = .*|virtual_modifiers .*);$", text, re.MULTILINE))
    facts += each("message", re.findall(r"^\s*type \"(\w+)\" \{", text, re.MULTILINE))
    facts += each("message", re.findall(r"^\s*key (<A[BCDE]\d\d>)", text, re.MULTILINE))
    facts += each(
        "name",
        [
            one
            for one in re.findall(r"\b(\w{9,})\b", text[text.find("xkb_symbols") :])
            if one.startswith(("dead_", "XF86", "ISO_"))
        ],
    )
    yield Item(name, KEYBOARD, "text", "xkbcli compile-keymap --layout no", text, said_in(facts, text))


def xdpyinfo_run(name: str, shop: Shop) -> Iterator[Item]:
    """What xdpyinfo tells of a screen in memory; the facts are its extensions, the visuals that are rare, and what its head says."""
    shop.install("xdpyinfo", "x11-utils")
    shop.install("Xvfb", "xvfb")
    room = shop.room(name)
    with running(
        ["Xvfb", ":97", "-screen", "0", "1280x900x24"],
        room,
        lambda: os.path.exists("/tmp/.X11-unix/X97"),
        shop.environment(),
    ):
        time.sleep(1)
        text = shop.run(["xdpyinfo", "-display", ":97", "-ext", "all"], room).text
        names = shop.run(["xdpyinfo", "-display", ":97", "-queryExtensions"], room).text
    facts = each("name", re.findall(r"^ {4}([A-Z][\w-]+)", names, re.MULTILINE))
    facts += each(
        "message",
        [
            one.strip()
            for one in re.findall(
                r"^(?:\S[^:\n]*: +.*| {2}(?:dimensions|resolution|depths|root window id|number of \w+|default \w+|largest cursor|current input event mask|options):.*)$",
                text,
                re.MULTILINE,
            )
        ],
    )
    facts += each(
        "message", [one.strip() for one in re.findall(r"^ +(?:DirectColor|TrueColor|class: .*)$", text, re.MULTILINE)]
    )
    yield Item(name, DISPLAY, "text", "xdpyinfo -ext all", text, said_in(facts, text))


BUS_SCRIPT = """dbus-monitor --session > log 2>&1 &
watcher=$!
sleep 1
n=0
while [ $n -lt 60 ]; do
  dbus-send --session --type=signal /oven/$((n % 5)) example.mill.Oven.Heated int32:$((200 + n)) string:"batch $n" boolean:true
  [ $((n % 17)) -eq 9 ] && dbus-send --session --type=signal /oven/$((n % 5)) example.mill.Oven.Burnt string:"loaf lost in batch $n" array:string:rye,bun uint32:$n
  [ $((n % 23)) -eq 4 ] && dbus-send --session --dest=example.mill.Absent$n --print-reply /clerk example.mill.Clerk.Count > /dev/null 2>&1
  n=$((n + 1))
done
sleep 1
kill $watcher
"""


def bus_run(name: str, shop: Shop) -> Iterator[Item]:
    """What dbus-monitor sees; the facts are planted: signals that are rare, calls that nobody answers, members and paths."""
    shop.install("dbus-run-session", "dbus-daemon")
    shop.install("dbus-send", "dbus-bin")
    room = shop.room(name)
    write(os.path.join(room, "talk.sh"), BUS_SCRIPT)
    shop.run(["dbus-run-session", "--", "sh", "talk.sh"], room, seconds=90)
    text = read(os.path.join(room, "log"))
    facts = each("message", [f"loaf lost in batch {n}" for n in range(60) if n % 17 == 9])
    facts += each("message", [f"example.mill.Absent{n}" for n in range(60) if n % 23 == 4])
    facts += each("message", dict.fromkeys(re.findall(r"member=\w+", text)))
    facts += each("message", dict.fromkeys(re.findall(r"error_name=\S+|interface=[\w.]+", text)))
    facts += each(
        "message", [f"path=/oven/{n}" for n in range(5)] + ["path=/clerk", 'string "batch 0"', 'string "batch 59"']
    )
    yield Item(name, BUS, "text", "dbus-monitor --session", text, said_in(facts, text))


def topology_run(name: str, shop: Shop) -> Iterator[Item]:
    """What lstopo draws of a machine that is made up; the facts are planted: what is unlike its siblings, and the sums of each level."""
    shop.install("lstopo-no-graphics", "hwloc-nox")
    room = shop.room(name)
    shop.run(
        [
            "lstopo-no-graphics",
            "-i",
            "pack:6 [numa(memory=68719476736)] l3:2(size=33554432) l2:8(size=1048576) core:1 pu:2",
            "--of",
            "xml",
            "even.xml",
        ],
        room,
    ).check()
    tree = ET.parse(os.path.join(room, "even.xml"))
    nodes = [node for node in tree.iter("object") if node.get("type") == "NUMANode"]
    nodes[2].set("local_memory", "8589934592")
    caches = [node for node in tree.iter("object") if node.get("type") == "L2Cache"]
    caches[17].set("cache_size", "524288")
    caches[41].set("cache_size", "2097152")
    next(tree.iter("object")).insert(0, ET.Element("info", {"name": "DMIProductName", "value": "Mill Oven 9"}))
    tree.write(os.path.join(room, "uneven.xml"))
    text = shop.run(["lstopo-no-graphics", "-v", "--of", "console", "-i", "uneven.xml"], room).text
    facts = each("message", re.findall(r"^ *depth \d+:.*$|^Special depth.*$", text, re.MULTILINE))
    facts += each("message", ["8192MB", "8388608KB", "size=512KB", "size=2048KB", "Mill Oven 9"])
    facts += each(
        "message",
        [f"Package L#{n}" for n in range(6)]
        + [f"NUMANode L#{n}" for n in range(6)]
        + [f"L3Cache L#{n}" for n in range(12)],
    )
    facts += each("message", re.findall(r"^.*(?:8388608KB|512KB|2048KB).*$", text, re.MULTILINE))
    yield Item(name, TOPOLOGY, "text", "lstopo-no-graphics -v", text, said_in(facts, text))


def nagios_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `nagios4 -v` says of its configuration; the facts are its errors and warnings, each with what it is about."""
    shop.install("nagios4", "nagios4-core")
    room = shop.room(name)
    lines = [
        "define timeperiod { timeperiod_name always\n alias all\n monday 00:00-24:00\n }",
        "define command { command_name check_oven\n command_line /bin/true\n }",
        "define contact { contact_name oda\n host_notifications_enabled 1\n service_notifications_enabled 1\n host_notification_period always\n service_notification_period always\n host_notification_options d\n service_notification_options c\n host_notification_commands check_oven\n service_notification_commands check_oven\n }",
    ]
    for number in range(760):
        parent = f" parents oven{number - 1}\n" if number and number % 11 else ""
        contact = "" if number % 13 == 4 else " contacts oda\n"
        period = "always"
        lines.append(
            f"define host {{ host_name oven{number}\n address 192.0.2.{number % 250}\n max_check_attempts 3\n check_command {'check_absent' if number % 23 == 8 else 'check_oven'}\n{parent}{contact} check_period {period}\n notification_period always\n notification_interval 30\n }}"
        )
        if number % 17 != 3:
            lines.append(
                f"define service {{ host_name oven{number}\n service_description heat{number}\n max_check_attempts 3\n check_interval 5\n retry_interval 1\n check_period always\n check_command check_oven\n{contact} notification_interval 30\n notification_period always\n }}"
            )
    write(os.path.join(room, "objects.cfg"), "\n".join(lines).replace("{ ", "{\n ") + "\n")
    write(
        os.path.join(room, "nagios.cfg"),
        f"cfg_file={room}/objects.cfg\nlog_file={room}/n.log\ntemp_path={room}\ncheck_result_path={room}\nobject_cache_file={room}/cache\nstatus_file={room}/status\nlock_file={room}/lock\ncommand_file={room}/cmd\nillegal_macro_output_chars=~$\nuse_syslog=0\n",
    )
    text = shop.run(["nagios4", "-v", "nagios.cfg"], room).text.replace(room, "/etc/ovens")
    facts = each("message", re.findall(r"^(?:Error|Warning): .*$", text, re.MULTILINE))
    facts += each(
        "message", [one.strip() for one in re.findall(r"^(?:Total .*|\s*Checked \d+ .*)$", text, re.MULTILINE)]
    )
    yield Item(name, MONITORING, "text", "nagios4 -v nagios.cfg", text, said_in(facts, text))


def flashrom_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `flashrom -L` lists of chips; the facts are every maker, every kind, and the chips that are known not to work."""
    shop.install("flashrom")
    text = shop.run(["flashrom", "-L"], shop.room(name)).text
    rows = text[: text.find("Supported programmers")].splitlines()[8:]
    facts = each("message", dict.fromkeys(row[:29].strip() for row in rows if row[:1].isalpha()))
    facts += each("message", dict.fromkeys(row[88:].strip() for row in rows if len(row) > 88))
    for row in rows:
        broken = row[72:80].strip()
        if broken and broken != "-" and row[:1].isalpha():
            facts += [Fact("name", (row[29:66].strip(),))]
    facts += each("message", re.findall(r"^Supported .*$", text, re.MULTILINE))
    yield Item(name, CHIPS, "text", "flashrom -L", text, said_in(facts, text))


def rig_run(name: str, shop: Shop) -> Iterator[Item]:
    """What rigctl lists of radios; the facts are every maker, every state, and every radio whose state is rare."""
    shop.install("rigctl", "libhamlib-utils")
    text = shop.run(["rigctl", "-l"], shop.room(name)).text
    rows = [re.split(r" {2,}", line.strip()) for line in text.splitlines() if re.match(r" *\d+ ", line)]
    rows = [row for row in rows if len(row) >= 5]
    states = [row[4] for row in rows]
    facts = each("message", dict.fromkeys(row[1] for row in rows)) + each("name", dict.fromkeys(states))
    facts += pairs((row[2], row[4]) for row in rows if states.count(row[4]) <= 25)
    facts += each("message", re.findall(r"^ Rig #.*$", text, re.MULTILINE))
    yield Item(name, RADIO, "text", "rigctl -l", text, said_in(facts, text))


def policy_run(name: str, domain: str, shop: Shop) -> Iterator[Item]:
    """What sesearch finds a domain may do; the facts, by its library, are every type it may touch and every class of thing."""
    shop.install("sesearch", "setools")
    found = glob.glob("/etc/selinux/default/policy/policy.*")
    if not found:
        raise CannotMake("there is no policy here (Debian: selinux-policy-default)")
    room = shop.room(name)
    text = shop.run(["sesearch", "-A", "-s", domain, "-ds", found[0]], room).text
    script = f"import setools\nfor rule in setools.TERuleQuery(setools.SELinuxPolicy({found[0]!r}), ruletype=['allow'], source='{domain}', source_indirect=False).results(): print(rule.target, rule.tclass)"
    rows = [line.split() for line in shop.run(["/usr/bin/python3", "-c", script], room, apart=True).text.splitlines()]
    facts = each("name", [row[0] for row in rows]) + each("name", [row[1] for row in rows])
    facts += each("message", dict.fromkeys(re.findall(r"\[ (\w+) \]", text)))
    yield Item(name, POLICY, "text", f"sesearch -A -s {domain}", text, said_in(facts, text))


def sigrok_run(name: str, shop: Shop) -> Iterator[Item]:
    """What sigrok-cli decodes of a line; the facts are planted: bytes that are framed wrongly, and where; every byte that was sent."""
    shop.install("sigrok-cli")
    room = shop.room(name)
    said = "\r\n".join(f"OVEN{n % 7} {180 + n} C {'FAULT' if n == 19 else 'ok'}" for n in range(34))
    bits: list[int] = [1] * 60
    for at, one in enumerate(said.encode()):
        stop = 0 if at % 97 == 40 else 1
        bits += [0] + [one >> step & 1 for step in range(8)] + [stop] + [1] * (9 if stop == 0 else 2)
    with open(os.path.join(room, "line.bin"), "wb") as out:
        out.write(bytes(bit for bit in bits for _ in range(12)))
    text = shop.run(
        [
            "sigrok-cli",
            "-I",
            "binary:numchannels=1:samplerate=115200",
            "-i",
            "line.bin",
            "-P",
            "uart:rx=0:baudrate=9600:format=ascii",
            "-A",
            "uart",
            "--protocol-decoder-samplenum",
        ],
        room,
        seconds=100,
    ).text
    facts = each("message", re.findall(r"^.*(?:Frame error|Break condition|[Ee]rror).*$", text, re.MULTILINE))
    facts += each("message", dict.fromkeys(re.sub(r"^\d+-\d+ ", "", line) for line in text.splitlines()))
    yield Item(name, SIGNAL, "text", "sigrok-cli -P uart -A uart", text, said_in(facts, text))


RECIPES = {
    "iasl-oven": partial(iasl_run, "iasl-oven"),
    "edid-decode-screens": partial(edid_run, "edid-decode-screens"),
    "xkbcli-dvorak": partial(xkb_run, "xkbcli-dvorak"),
    "xdpyinfo-memory": partial(xdpyinfo_run, "xdpyinfo-memory"),
    "dbus-monitor-oven": partial(bus_run, "dbus-monitor-oven"),
    "lstopo-uneven": partial(topology_run, "lstopo-uneven"),
    "nagios4-ovens": partial(nagios_run, "nagios4-ovens"),
    "flashrom-chips": partial(flashrom_run, "flashrom-chips"),
    "rigctl-radios": partial(rig_run, "rigctl-radios"),
    "sesearch-sshd": partial(policy_run, "sesearch-sshd", "sshd_t"),
    "sigrok-uart": partial(sigrok_run, "sigrok-uart"),
}
