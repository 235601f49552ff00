"""What programs say of their own settings and what they write when they fail; nobody tunes on these."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_suites import write

SETTINGS, TRACES = "settings", "stack traces"


def planted(rows: dict[str, str]) -> list[Fact]:
    """Settings that were changed for this run: name and value on one line."""
    return [Fact("odd", (), (name, value)) for name, value in rows.items()]


def php_settings(name: str, shop: Shop) -> Iterator[Item]:
    """`php -i`; the facts are what PHP's own functions list: extensions and settings, and those that were changed."""
    shop.install("php", "php-cli")
    changed = {"memory_limit": "4711M", "precision": "11", "upload_max_filesize": "37M", "date.timezone": "Asia/Tokyo"}
    flags = [word for key, value in changed.items() for word in ("-d", f"{key}={value}")]
    clean = ["env", "-i", f"PATH={os.environ['PATH']}"]
    text = shop.run([*clean, "php", *flags, "-i"], shop.root).text
    code = "echo json_encode([get_loaded_extensions(), array_keys(ini_get_all(null, false))]);"
    extensions, keys = json.loads(shop.run(["php", "-r", code], shop.root, apart=True).text)
    facts = [Fact("name", (one,)) for one in (*extensions, *keys)] + planted(changed)
    yield Item(name, SETTINGS, "text", "php -i", text, said_in(facts, text))


def apt_settings(name: str, shop: Shop) -> Iterator[Item]:
    """`apt-config dump`; the facts are its groups and the options that were given to this run."""
    shop.need("apt-config")
    changed = {
        f"Acquire::http::Proxy::shelf{n}.example.org": f"http://proxy-{n}.example.org:{3000 + n}" for n in range(80)
    }
    changed |= {"APT::Install-Recommends": "0", "Acquire::Retries": "47", "Dpkg::Lock::Timeout": "311"}
    flags = [word for key, value in changed.items() for word in ("-o", f"{key}={value}")]
    text = shop.run(["apt-config", "dump", *flags], shop.root).text
    odd = {key: value for key, value in changed.items() if "Proxy" not in key}
    groups = re.findall(r"^([\w:./-]*?)(?:::[\w.*/-]*)? \"", text, re.MULTILINE)
    facts = [Fact("message", (one,)) for one in groups if one] + planted(odd)
    facts += [Fact("message", (f"shelf{n}.example.org",)) for n in range(80)]
    yield Item(name, SETTINGS, "text", "apt-config dump", text, said_in(facts, text))


def mariadb_settings(name: str, shop: Shop) -> Iterator[Item]:
    """`mariadbd --verbose --help`; the facts are the variables of its table and those that were set for this run."""
    shop.need("mariadbd", package="mariadb-server-core")
    changed = {
        "max-connections": "4711",
        "sort-buffer-size": "3145728",
        "wait-timeout": "271",
        "slow-query-log": "TRUE",
    }
    flags = [f"--{key}={value.replace('TRUE', '1')}" for key, value in changed.items()]
    text = shop.run(["mariadbd", "--no-defaults", *flags, "--verbose", "--help"], shop.root, apart=True).text
    table = text.partition("\n--------")[2]
    facts = planted(changed) + [Fact("name", (one,)) for one in re.findall(r"^([a-z][\w-]+) +\S", table, re.MULTILINE)]
    yield Item(name, SETTINGS, "text", "mariadbd --verbose --help", text, said_in(facts, text))


def gcc_settings(name: str, shop: Shop) -> Iterator[Item]:
    """`gcc -Q --help=common`; the facts are its options, and those that differ from a run without flags."""
    shop.need("gcc")
    command = ["gcc", "-Q", "--help=common"]
    flags = ["-Wall", "-Wextra", "-Wframe-larger-than=4711", "-Wno-unused-label", "-Wstack-usage=311"]
    text = shop.run([*command, *flags], shop.root).text
    plain = set(shop.run(command, shop.root).text.splitlines())
    facts = [Fact("name", (one,)) for one in re.findall(r"^  (-[\w+-]+)", text, re.MULTILINE)]
    facts += [
        Fact("odd", (), tuple(line.split()[:2]))
        for line in text.splitlines()
        if line not in plain and len(line.split()) > 1
    ]
    yield Item(name, SETTINGS, "text", "gcc -Q --help=common", text, said_in(facts, text))


FAULTS = {
    6: "scales {n} are broken",
    23: "parcel {n} has no label",
    31: "shelf {n} is locked",
    52: "lid {n} does not fit",
    97: "door {n} is ajar",
    140: "keeper {n} is on leave",
    188: "label {n} cannot be read",
    211: "carrier {n} did not come",
}

PHP = """<?php
class Shelf {
  function __construct(public int $number) {}
  function weigh($depth) { if ($depth == 0) { %(throw)s return 0; } return $this->weigh($depth - 1); }
}
function handle(int $n) { try { return (new Shelf($n))->weigh(6); }
  catch (LogicException $e) { throw new RuntimeException("request $n was not served", 500, $e); } }
for ($n = 0; $n < 260; $n++) {
  printf("[%%02d:%%02d] app.INFO: GET /shelves/%%d came in {\\"user\\":%%d}\\n", intdiv($n, 60), $n %% 60, $n, $n * 7);
  try { handle($n); } catch (RuntimeException $e) { echo "app.CRITICAL: Uncaught $e\\n"; }
}
lost_function(3);
"""

LUA = """local function weigh(n, depth)
  if depth == 0 then %(throw)s return n end
  local weight = weigh(n, depth - 1)
  return weight
end
local Shelf = {}
function Shelf.serve(n) local weight = weigh(n, 5) return weight end
for n = 0, 259 do
  print(string.format("request %%d: shelf %%d is weighed", n, n * 3))
  local ok, said = xpcall(function() return Shelf.serve(n) end, debug.traceback)
  if not ok then print(said) end
end
local lid = nil
print(lid.width)
"""

PERL = """use strict; use warnings; use Carp qw(confess cluck);
package Shelf { sub new { bless {number => $_[1]}, $_[0] } sub weigh { my ($self, $n, $depth) = @_;
  if ($depth == 0) { %(throw)s; return $n }
  return $self->weigh($n, $depth - 1) } }
package main;
$| = 1; open STDERR, '>&', STDOUT;
for my $n (0 .. 259) {
  print "request $n: shelf ", $n * 3, " is weighed\\n";
  eval { Shelf->new($n)->weigh($n, 5); 1 } or print "ERROR $@";
  my $lid; my $label = "lid $lid" if $n == 44;
}
Shelf->lost_method(3);
"""


def trace_run(name: str, command: str, script: str, throw: str, last: tuple[str, ...], shop: Shop) -> Iterator[Item]:
    """What a program prints that fails in eight ways with deep stacks and then dies; the facts are what was planted."""
    shop.need(command)
    room = shop.room(name)
    suffix = {"perl": "pl"}.get(command, command)
    throws = " ".join(throw % {"n": n, "said": said.format(n=n)} for n, said in FAULTS.items())
    write(os.path.join(room, f"shelves.{suffix}"), script % {"throw": throws})
    text = shop.run([command, f"shelves.{suffix}"], room).text.replace(f"{room}/", "")
    facts = [Fact("message", (said.format(n=n),)) for n, said in FAULTS.items()] + [
        Fact("message", (one,)) for one in last
    ]
    facts += [
        Fact("location", (one,))
        for one in dict.fromkeys(re.findall(rf"shelves\.{suffix}(?::\d+|\(\d+\)| line \d+)", text))
    ]
    yield Item(name, TRACES, "text", f"{command} shelves.{suffix}", text, said_in(facts, text))


THROWS = {
    "php": 'if ($this->number == %(n)d) throw new LogicException("%(said)s");',
    "lua": 'if n == %(n)d then error("%(said)s") end',
    "perl": 'if ($n == %(n)d) { Carp::confess("%(said)s") }',
}
LAST = {
    "php": ("Call to undefined function lost_function()", "request 23 was not served", "Shelf->weigh(", "handle("),
    "lua": ("attempt to index", "local 'lid'", "in upvalue 'weigh'", "stack traceback"),
    "perl": ('Can\'t locate object method "lost_method"', "Use of uninitialized value $lid", "Shelf::weigh("),
}

RECIPES = {
    "php-info": partial(php_settings, "php-info"),
    "apt-config": partial(apt_settings, "apt-config"),
    "mariadbd-help": partial(mariadb_settings, "mariadbd-help"),
    "gcc-options": partial(gcc_settings, "gcc-options"),
    "php-traces": partial(trace_run, "php-traces", "php", PHP, THROWS["php"], LAST["php"]),
    "lua-traces": partial(trace_run, "lua-traces", "lua", LUA, THROWS["lua"], LAST["lua"]),
    "perl-traces": partial(trace_run, "perl-traces", "perl", PERL, THROWS["perl"], LAST["perl"]),
}
