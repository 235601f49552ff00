"""Compilers that nobody tunes on, on files in which mistakes are planted; the facts are these, with their places."""

import os
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.fifth_suites import plain
from recipes.held_suites import write

COMPILER = "compiler"


class Language(NamedTuple):
    """A file's head and one of its functions: `@` is a line that is `fine` or one of the mistakes (line, message)."""

    suffix: str
    head: str
    function: str
    fine: str
    mistakes: tuple[tuple[str, str], ...]
    tail: str = ""


class Planted(NamedTuple):
    """A mistake: where it is, and what the compiler says of it."""

    path: str
    line: int
    said: str


def plant(room: str, language: Language, files: int = 24, functions: int = 10) -> list[Planted]:
    """Write files of the language below `room`; returns the mistakes in them."""
    found = []
    for number in range(files):
        path = f"area_{number % 4}/shelf_{number}.{language.suffix}"
        lines = language.head.replace("KEY", str(number)).splitlines()
        for one in range(functions):
            key = number * functions + one
            bad = language.mistakes[key // 7 % len(language.mistakes)] if key % 7 == 3 else None
            for line in language.function.splitlines():
                lines.append((bad[0] if bad else language.fine) if line == "@" else line)
                lines[-1] = lines[-1].replace("KEY", str(key))
                if line == "@" and bad:
                    found.append(Planted(path, len(lines), bad[1].replace("KEY", str(key))))
        write(
            os.path.join(room, path), "\n".join((*lines, *language.tail.replace("KEY", str(number)).splitlines(), ""))
        )
    return found


def planted_facts(found: list[Planted], spelt: str) -> list[Fact]:
    """Every mistake on one line with its place (`spelt`: how the tool writes it), every file and every directory."""
    facts = [
        Fact("odd", (), (one.said, spelt.format(path=one.path, base=os.path.basename(one.path), line=one.line)))
        for one in found
    ]
    facts += [Fact("path", (path,)) for one in found for path in (one.path, os.path.dirname(one.path))]
    return facts


NIM = Language(
    "nim",
    "import std/strutils\ntype Shelf = object\n  weight: int\n  label: string\n",
    "proc weigh_KEY(shelf: Shelf): int =\n  var total = shelf.weight\n@\n  for door in 0 .. 3:\n    total = total + door\n  result = total\n",
    "  total = total + 1",
    (
        ("  total = total + lid_KEY", "undeclared identifier: 'lid_KEY'"),
        ("  total = shelf.label", "type mismatch: got 'string'"),
        ("  discard shelf.door_KEY", "undeclared field: 'door_KEY'"),
        ("  let unused_KEY = 3; shelf.weight = 4", "cannot be assigned to"),
        ("  total = weigh_KEY(shelf, KEY)", "type mismatch: got <Shelf, int literal(KEY)>"),
        ("  shelf.weight + KEY", "has to be used (or discarded)"),
    ),
)

ADA = Language(
    "adb",
    "procedure Shelf_KEY is\n   Weight : Integer := 0;\n",
    "   procedure Weigh_KEY is\n      Total : Integer := 0;\n   begin\n@\n      Weight := Weight + Total;\n   end Weigh_KEY;\n",
    "      Total := Total + 1;",
    (
        ("      Total := Lid_KEY + 1;", '"Lid_KEY" is undefined'),
        ('      Total := "heavy";', 'expected type "Standard.Integer"'),
        ("      Open_Door (KEY);", '"Open_Door" is undefined'),
        ("      Total := Total + 1.5;", 'invalid operand types for operator "+"'),
        ("      Weigh_KEY (Total);", "too many arguments in call"),
        ("      if Total then null; end if;", "expected a boolean type"),
    ),
    "begin\n   null;\nend Shelf_KEY;",
)

GLSL = Language(
    "frag",
    "#version 450\nlayout(location = 0) out vec4 colour;\nlayout(location = 0) in vec2 place;\n",
    "float weigh_KEY(float x) {\n    float total = x;\n@\n    return total * 2.0;\n}\n",
    "    total += 1.0;",
    (
        ("    total += lid_KEY;", "'lid_KEY' : undeclared identifier"),
        ("    total = vec3(x);", "'assign' :  cannot convert from"),
        ("    total += open_KEY(x);", "'open_KEY' : no matching overloaded function found"),
        ("    total = place.zx.x;", "'zx' : vector swizzle selection out of range"),
        ("    const float door = 2.0; door = x;", "l-value required"),
        ("    float total = 2.0;", "'total' : redefinition"),
    ),
    "void main() { colour = vec4(1.0); }",
)

NASM = Language(
    "asm",
    "bits 64\nsection .text\n",
    "global weigh_KEY\nweigh_KEY:\n    mov rax, rdi\n@\n    ret\n",
    "    add rax, 1",
    (
        ("    add rax, lid_KEY", "symbol `lid_KEY' not defined"),
        ("    mov al, rbx", "invalid combination of opcode and operands"),
        ("    weighs rax, KEY", "instruction expected"),
        ("    mov byte [rax], KEY99", "byte data exceeds bounds"),
        ("    times -KEY nop", "TIMES value -KEY is negative"),
        ("    mov rax, [rbx*7+KEY+rcx]", "invalid 64-bit effective address"),
    ),
)

D = Language(
    "d",
    "module shelf_KEY;\nimport std.stdio;\nstruct Shelf { int weight; string label; }\n",
    "int weigh_KEY(Shelf shelf) {\n    int total = shelf.weight;\n@\n    return total;\n}\n",
    "    total += 1;",
    (
        ("    total += lid_KEY;", "undefined identifier \u2018lid_KEY\u2019"),
        ("    total = shelf.label;", "cannot implicitly convert expression"),
        ("    total += shelf.door_KEY;", "no property \u2018door_KEY\u2019 for type \u2018shelf_"),
        ("    immutable int once = 2; once = KEY;", "cannot modify \u2018immutable\u2019 expression \u2018once\u2019"),
        ("    weigh_KEY(shelf, KEY);", "is not callable using argument types"),
        ("    string text_KEY = 3.5;", "cannot implicitly convert expression"),
    ),
)


def compiled(
    name: str,
    language: Language,
    files: int,
    command: str,
    package: str,
    spelt: str,
    shop: Shop,
    *,
    apart: bool = False,
) -> Iterator[Item]:
    """What a compiler says of all files (of one after another if it takes one only); the facts are planted."""
    words = command.split()
    shop.install(words[0], package)
    room = shop.room(name)
    found = plant(room, language, files)
    paths = sorted({f"area_{number % 4}/shelf_{number}.{language.suffix}" for number in range(files)})
    runs = [[path] for path in paths] if apart else [paths]
    text = plain("".join(shop.run([*words, *some], room).text for some in runs)).replace(f"{room}/", "")
    yield Item(name, COMPILER, "text", command, text, said_in(planted_facts(found, spelt), text))


RECIPES = {
    "nim-check": partial(
        compiled, "nim-check", NIM, 24, "nim check --hints:off --colors:off", "nim", "{path}({line},", apart=True
    ),
    "gnatmake-shelves": partial(
        compiled, "gnatmake-shelves", ADA, 110, "gnatmake -gnatc -gnatwa -gnatf -f", "gnat", "{base}:{line}", apart=True
    ),
    "glslang-shelves": partial(
        compiled, "glslang-shelves", GLSL, 120, "glslangValidator -C", "glslang-tools", "0:{line}"
    ),
    "nasm-shelves": partial(
        compiled, "nasm-shelves", NASM, 220, "nasm -f elf64 -o shelf.o", "nasm", "{path}:{line}", apart=True
    ),
    "gdc-shelves": partial(compiled, "gdc-shelves", D, 70, "gdc -c -o shelf.o", "gdc", "{path}:{line}", apart=True),
}
