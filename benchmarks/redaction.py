"""Redaction in numbers: ratios to one pass over the bytes, taken in one run.

Run it with `python benchmarks/redaction.py`. Times are CPU time, the best of several.
"""

import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from overspill.redact import RULES, Redactor, scan_database
from overspill.redact.rules import made_up_value

MB = 1_000_000


def best(work: Callable[[], object], times: int = 5) -> float:
    result = float("inf")
    for _ in range(times):
        start = time.process_time()
        work()
        result = min(result, time.process_time() - start)
    return max(result, 1e-9)


def log(size: int) -> str:
    draw = random.Random(1)
    lines: list[str] = []
    length = 0
    while length < size:
        number = len(lines)
        line = (
            f"2026-11-15T12:{number % 60:02d}:{number % 59:02d}.{number % 1000:03d}Z INFO svc-{number % 7} "
            f"request_id={draw.getrandbits(128):032x} path=/v1/items/{number} status=200 took={number % 97}ms\n"
        )
        if number % 5_000 == 17:
            line = made_up_value("2026-11-15T12:00:00Z WARN retry with token=<A32>\n", number)
        lines.append(line)
        length += len(line)
    return "".join(lines)[:size]


def repeated(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def different(shape: str, size: int) -> str:
    """So many lines, each with a value of its own."""
    draw = random.Random(4)
    return "".join(shape.format(f"{draw.getrandbits(144):036x}") for _ in range(size // (len(shape) + 34)))


def hostile(size: int) -> dict[str, str]:
    draw = random.Random(2)
    body = repeated(made_up_value("<W997>"), size // 2)
    lines = "".join(f"password={draw.getrandbits(60):015x}\n" for _ in range(size // 25))
    return {
        "one JWT": f"eyJ{body}.eyJ{body}.{made_up_value('<W43>')}",
        "BEGIN lines without END": repeated("-----BEGIN PRIVATE KEY-----\n", size),
        "a key without END": "-----BEGIN PRIVATE KEY-----\n" + repeated(made_up_value("<B64>\n"), size),
        "password= lines, one value": repeated(made_up_value("password=<A15>\n"), size),
        "password= lines, all different": lines,
        "password= lines, no value": repeated("password=\n", size),
        "one character": "a" * size,
        "addresses with passwords": different("http://u:p{}@host/\n", size),
        "token in JSON, one line": different('{{"token":"{}"}},', size),
        "Authorization headers": different("curl -H 'Authorization: Bearer {}'\n", size),
        "keys of one host": different("ghp_{}\n", size),
        "names and values": different("- name: DB_PASSWORD\n  value: {}\n", size),
        "variables": different("APP_SECRET={}\nHOME=/root\n", size),
        "cookies": different("Cookie: session={}; theme=dark\n", size),
        "a quote that never closes": repeated('key = "', size),
        "nested quotes": repeated("\"'`\\\"\\'", size),
        "a wall of base64": repeated(made_up_value("<B76>\n"), size),
        "colours": repeated("\x1b[31mpassword\x1b[0m=\x1b[32mab12cd34\x1b[0m\n", size),
    }


def honest(lines: int) -> dict[str, str]:
    """Texts that are dense and mean no harm: they have to be read to their end."""
    secret = "APP{0}_PASSWORD={1}\nAPP{0}_MODE=prod\n"
    test = "tests/auth/test_tokens.py::test_password_{0}[secret-key] PASSED   [ 50%]\n"
    pod = "- env:\n  - name: DB_PASSWORD\n    value: {1}\n  - name: MODE\n    value: prod\n  image: app@sha256:{1}{1}\n"
    shapes = {"a file of variables": secret, "a report of tests": test, "a dump of a cluster": pod}
    return {
        name: "".join(shape.format(n, made_up_value("<A16>-<A4>", n)) for n in range(lines))
        for name, shape in shapes.items()
    }


PATHOLOGICAL = (
    "-", "=", " ", "key=", "password: ", "://", "http://a:", "eyJ", "eyJaaaaaaaaaa.", "-----BEGIN PRIVATE KEY-----",
    "Qm9va2lzaA", '"', 'token="', "sk-", "curl -u ", "a.b.", "A_", "ghp_", "\n", "secret_key_token_password_auth_",
    "password=", "Authorization: Bearer a1", "cookie: a=b; ", '"value":', "mysql -p ", "login password ", ":5432:",
    "7Q~", ":AA", "&sig=", "://a:b@", "identified by '", '\\"password\\": \\"', "password=\\", "AzFu", "<password>",
)  # fmt: skip


def cold(text: str) -> float:
    """CPU of a fresh process that redacts, over one that only starts."""
    program = "import sys\nfrom overspill.redact import Redactor\n"
    program += "from overspill.redact import scan_database\n"
    program += "Redactor(database=scan_database()).redact(sys.stdin.read())"
    return min(_child(program, text) for _ in range(5)) / min(_child("pass", text) for _ in range(5))


def _child(program: str, text: str) -> float:
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], input=text.encode(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def one_by_one(text: str) -> int:
    """The same rules, each searched for with `re`, as people write it first."""
    return sum(1 for pattern in PATTERNS for _ in pattern.finditer(text))


PATTERNS = [re.compile(rule.pattern) for rule in RULES if rule.pattern]


def beside(text: str, redactor: Redactor) -> None:
    """The speed of detect-secrets on the same text, where it is installed."""
    try:
        from detect_secrets.core.scan import scan_line  # no dependency of ours: pip install detect-secrets
        from detect_secrets.settings import default_settings
    except ImportError:
        print("detect-secrets is not installed: left out")
        return
    lines = text[:100_000].splitlines()
    with default_settings():
        theirs = best(lambda: [list(scan_line(line)) for line in lines], 1) * len(text) / 100_000
    print(f"detect-secrets needs {theirs / best(lambda: redactor.redact(text)):.0f}x the time")


def main() -> None:
    engines = {"hyperscan": Redactor(database=scan_database()), "re2": Redactor(use="re2"), "re": Redactor(use="re")}
    fast = engines["hyperscan"]
    for size in (100_000, 10 * MB):
        text = log(size)
        data = text.encode()
        one_pass = best(partial(data.count, b"\n"), 20)
        print(f"log of {size:,} bytes, {sum(fast.redact(text).counts.values())} secrets; bytes.count = 1")
        for name, redactor in engines.items():
            if name == "hyperscan" or size <= MB:
                took = best(partial(redactor.redact, text))
                print(f"  {name:28} {one_pass / took:9.5f}x  {size / took / MB:9.1f} MB/s")
        part = text[:100_000]
        took = best(partial(one_by_one, part), 1) * len(text) / len(part)
        print(f"  {'re, rule by rule':28} {one_pass / took:9.5f}x  {size / took / MB:9.1f} MB/s")
        print(f"  cold process, CPU over `python -c pass`: {cold(text):.2f}x")
    print(f"hostile and honest text, MB/s, {', '.join(engines)}; a star: some of it was hidden without being read")
    for name, text in (hostile(MB) | honest(2_500)).items():
        speeds = [len(text) / best(partial(engine.redact, text), 1) / MB for engine in engines.values()]
        star = "*" if fast.redact(text).incomplete else ""
        print(f"  {name:32} {''.join(f'{speed:9.1f}' for speed in speeds)} {star}")
    slowest = sorted(
        (262_144 / best(partial(fast.redact, repeated(unit, 262_144)), 2) / MB, unit) for unit in PATHOLOGICAL
    )
    for speed, unit in slowest[:8]:
        print(f"  256 KB of {unit!r:30} {speed:9.1f}  {0.262144 / speed:.3f} s")
    beside(log(MB), fast)


if __name__ == "__main__":
    main()
