"""Compilers that nobody tunes on, on sources written here with mistakes in them; the facts are these and their places."""

import os
import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in, spread_facts
from shop import Shop

from recipes.fifth_linters import tool_of
from recipes.held_suites import write

COMPILER = "compiler"


class Language(NamedTuple):
    """Sources with mistakes: a file's name, its text, and what is said of the line with a word; `%(n)d` is the number."""

    file: str
    text: str
    mistakes: dict[str, str]
    spelt: str = "{path}:{row}"
    files: int = 14


def sources(language: Language, room: str) -> tuple[list[str], list[Diagnostic]]:
    """Writes the files; returns their paths and what a compiler has to say of them."""
    paths, found = [], []
    for number in range(language.files):
        path, text = language.file % {"n": number}, language.text % {"n": number}
        write(os.path.join(room, path), text)
        paths.append(path)
        for at, (word, said) in enumerate(language.mistakes.items()):
            if at and (number + at) % 5 == 2:
                continue
            rows = [row for row, line in enumerate(text.split("\n"), 1) if word % {"n": number} in line]
            if rows:
                place = language.spelt.format(path=path, row=rows[0])
                found.append(Diagnostic(path, place, "", said % {"n": number}))
    return paths, found


CSHARP = Language(
    "Area%(n)d/Shelf%(n)d.cs",
    """using System;
using System.Collections.Generic;
namespace Area%(n)d {
  public class Shelf%(n)d {
    private int spare%(n)d;
    public int Weigh(string parcel) {
      int unused%(n)d = 3;
      return parcel;
    }
    public void Pack() {
      Lost%(n)d(4);
      List<int> all = new List<string>();
      all.Weight%(n)d();
      const int lid = 3; lid = 4;
    }
    public string Label(object o) { }
    private void Open() { string s = null; int x = s + 1; goto nowhere%(n)d; }
  }
}
""",
    {
        "return parcel": "Cannot implicitly convert type `string' to `int'",
        "Lost%(n)d": "The name `Lost%(n)d' does not exist in the current context",
        "Weight%(n)d": "does not contain a definition for `Weight%(n)d'",
        "goto": "The label `nowhere%(n)d:' could not be found within the scope of the goto statement",
        "unused%(n)d": "The variable `unused%(n)d' is assigned but its value is never used",
        "string Label": "`Area%(n)d.Shelf%(n)d.Label(object)': not all code paths return a value",
    },
    "{path}({row}",
)

ERLANG = Language(
    "shelf_%(n)d.erl",
    """-module(shelf_%(n)d).
-export([weigh/1, pack/2, gone_%(n)d/0]).

weigh(Parcel) ->
    Spare_%(n)d = 3,
    lost_%(n)d(Parcel).

pack(Shelf, Door) ->
    case Shelf of
        {lid, X} -> Unsafe_%(n)d = X;
        none -> ok
    end,
    {Unsafe_%(n)d, Missing_%(n)d}.

spare_%(n)d() -> #door_%(n)d{}.
weigh(Again) -> Again.
""",
    {
        "-export": "function gone_%(n)d/0 undefined",
        "Spare_%(n)d": "Warning: variable 'Spare_%(n)d' is unused",
        "lost_%(n)d": "function lost_%(n)d/1 undefined",
        "Missing_%(n)d": "variable 'Missing_%(n)d' is unbound",
        "#door_%(n)d": "record door_%(n)d undefined",
        "weigh(Again)": "function weigh/1 already defined",
    },
)

PROTO = Language(
    "area%(n)d/shelf_%(n)d.proto",
    """syntax = "proto3";
package area%(n)d;
import "google/protobuf/any.proto";
message Shelf%(n)d {
  int32 weight = 1;
  string lid_%(n)d = 1;
  Door%(n)d door = 3;
  Unknown%(n)d other = 4;
  reserved 9 to 11;
  string label_%(n)d = 10;
}
enum Door%(n)d { OPEN_%(n)d = 1; }
service Keeper%(n)d {
  rpc Weigh (Shelf%(n)d) returns (Nothing%(n)d);
}
""",
    {
        "lid_%(n)d": 'Field number 1 has already been used in "area%(n)d.Shelf%(n)d" by field "weight"',
        "Unknown%(n)d": '"Unknown%(n)d" is not defined',
        "label_%(n)d": "uses reserved number 10",
        "Nothing%(n)d": '"Nothing%(n)d" is not defined',
        "OPEN_%(n)d": "The first enum value must be zero in proto3",
    },
    files=22,
)

VALA = Language(
    "shelf_%(n)d.vala",
    """public class Shelf%(n)d : Object {
    public string label { get; set; }
    public int weigh (string parcel) {
        int spare_%(n)d = 3;
        return parcel;
    }
    public void pack () {
        lost_%(n)d (4);
        this.lid_%(n)d = 4;
        foreach (var one in 3) { print (one); }
        const int x = 3; x = 4;
    }
    public override void open_%(n)d () { }
}
""",
    {
        "return parcel": "Return: Cannot convert from `string' to `int'",
        "lost_%(n)d": "The name `lost_%(n)d' does not exist in the context of `Shelf%(n)d.pack'",
        "this.lid": "The name `lid_%(n)d' does not exist in the context of `Shelf%(n)d'",
        "open_%(n)d": "`Shelf%(n)d.open_%(n)d': no suitable method found to override",
    },
)

VERILOG = Language(
    "shelf_%(n)d.v",
    """module shelf_%(n)d(input clk, input [3:0] door_%(n)d, output [7:0] weight_%(n)d, output reg lid);
  wire [7:0] spare_%(n)d;
  reg [3:0] level_%(n)d;
  assign weight_%(n)d = door_%(n)d;
  assign label_%(n)d = clk;
  always @(posedge clk) begin
    case (door_%(n)d)
      4'd1: lid = 1;
      4'd2: level_%(n)d <= 8'd99;
    endcase
  end
endmodule
""",
    {
        "output [7:0] weight": "Operator ASSIGNW expects 8 bits on the Assign RHS, but Assign RHS's VARREF 'door_%(n)d'",
        "wire [7:0] spare": "Signal is not driven, nor used: 'spare_%(n)d'",
        "assign label": "Signal definition not found, creating implicitly: 'label_%(n)d'",
        "level_%(n)d <=": "Operator ASSIGNDLY expects 4 bits on the Assign RHS, but Assign RHS's CONST '8'h63'",
        "case (door": "Case values incompletely covered",
        "lid = 1": "Blocking assignment '=' in sequential logic process",
    },
)

CYTHON = Language(
    "shelf_%(n)d.pyx",
    """cimport lost_%(n)d
cdef int weigh_%(n)d(parcel):
    return missing_%(n)d
cdef class Shelf%(n)d:
    cdef door_%(n)d lid
    def pack(self, int x):
        cdef char *label_%(n)d = x
        self.lid = x
        return self.lid
def open_%(n)d(a, a):
    pass
cdef spare_%(n)d() nogil:
    print("spare")
""",
    {
        "cimport": "'lost_%(n)d.pxd' not found",
        "missing_%(n)d": "undeclared name not builtin: missing_%(n)d",
        "door_%(n)d": "'door_%(n)d' is not a type identifier",
        "label_%(n)d": "Cannot assign type 'int' to 'char *'",
    },
)


def compile_run(
    name: str, language: Language, command: list[str], package: str, shop: Shop, *, each: bool = False
) -> Iterator[Item]:
    """What a compiler prints of all files; the facts are the mistakes and where they are."""
    room = shop.room(name)
    tool = tool_of(shop, command[0]) if package == "python" else command[0]
    if package != "python":
        shop.install(tool, package)
    paths, found = sources(language, room)
    if each:
        # These stop at the first file that is wrong.
        script = "\n".join(" ".join([tool, *command[1:], path]) for path in paths)
        write(os.path.join(room, "build.sh"), script)
        text = shop.run(["sh", "build.sh"], room).text
    else:
        text = shop.run([tool, *command[1:], *paths], room).text.replace(f"{room}/", "")
    facts = diagnostic_facts(found)
    last = text.strip().splitlines()[-1]
    facts += (Fact("message", (last,)),) if re.search(r"\d+ (?:error|warning)", last) else ()
    yield Item(name, COMPILER, "text", " ".join(command), text, said_in(facts, text))


CAML = """let weigh_%(n)d parcel = String.length parcel
let shelves_%(n)d = [%(n)d; 2; 3]
type door_%(n)d = Open | Shut | Lost of int
let name_of = function Open -> "open" | Shut -> "shut"
let pack_%(n)d shelf =
  %(wrong)s
"""
CAML_WRONG = (
    ("weigh_%(n)d 4711", "This expression has type int but an expression was expected of type"),
    ("lost_%(n)d shelf", "Unbound value lost_%(n)d"),
    ("Labels_%(n)d.find shelf", "Unbound module Labels_%(n)d"),
    ("shelf.lid_%(n)d", "Unbound record field lid_%(n)d"),
)


def caml_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ocamlc prints of modules, one after the other; a message stands below its place."""
    shop.install("ocamlc", "ocaml")
    room = shop.room(name)
    found, script = [], ""
    for number in range(36):
        wrong, said = CAML_WRONG[number % 4]
        path = f"area_{number % 6}/shelf_{number}.ml"
        write(os.path.join(room, path), CAML % {"n": number, "wrong": wrong % {"n": number}})
        found.append(Diagnostic(path, f'File "{path}", line 6', "", said % {"n": number}))
        script += f"ocamlc -w +a -c {path}\n"
    write(os.path.join(room, "build.sh"), script)
    text = shop.run(["sh", "build.sh"], room).text
    facts = [*spread_facts(found), *(Fact("location", (one.place,)) for one in found if "lost" in one.message)]
    yield Item(name, COMPILER, "text", "ocamlc -w +a -c", text, said_in(facts, text))


RECIPES = {
    "mcs-shelves": partial(compile_run, "mcs-shelves", CSHARP, ["mcs", "-warn:4", "-target:library"], "mono-mcs"),
    "erlc-shelves": partial(compile_run, "erlc-shelves", ERLANG, ["erlc", "-Wall"], "erlang-base", each=True),
    "protoc-shelves": partial(
        compile_run, "protoc-shelves", PROTO, ["protoc", "--descriptor_set_out=all"], "protobuf-compiler", each=True
    ),
    "valac-shelves": partial(compile_run, "valac-shelves", VALA, ["valac", "-C"], "valac", each=True),
    "verilator-shelves": partial(
        compile_run, "verilator-shelves", VERILOG, ["verilator", "--lint-only", "-Wall"], "verilator"
    ),
    "cython-shelves": partial(compile_run, "cython-shelves", CYTHON, ["cython", "-3"], "python"),
    "ocamlc-shelves": partial(caml_run, "ocamlc-shelves"),
}
