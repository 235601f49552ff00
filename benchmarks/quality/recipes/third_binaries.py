"""What is in binaries, by tools that nobody tunes on; other readers of the same files, or what was planted, give the facts."""

import dis
import glob
import json
import os
import re
import sys
import types
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.held_linters import read
from recipes.held_suites import write

BINARY = "binary"
LARGEST = 15

SYMBOLS = """import json, sys
from elftools.elf.elffile import ELFFile
with open(sys.argv[1], "rb") as file:
    table = ELFFile(file).get_section_by_name(".symtab") or ELFFile(file).get_section_by_name(".dynsym")
    print(json.dumps([[one.name, one["st_size"], one["st_info"]["type"], one["st_info"]["bind"], one["st_shndx"]] for one in table.iter_symbols() if one.name]))
"""


def built_zlib(shop: Shop, room: str, *flags: str) -> str:
    """A library built of zlib's sources with these flags; returns its path."""
    tree = shop.debian_source("zlib", room)
    sources = [os.path.basename(one) for one in glob.glob(os.path.join(tree, "*.c"))]
    done = shop.run(
        ["gcc", "-shared", "-fPIC", "-g", "-O0", "-w", "-DHAVE_UNISTD_H", *flags, "-o", "libz.so", *sources], tree
    )
    done.check()
    return os.path.join(tree, "libz.so")


def symbols_run(name: str, shop: Shop) -> Iterator[Item]:
    """`nm -S` of a library; the facts, by another reader, are what it needs, its largest and its rare kinds of symbol."""
    python = shop.python("elftools", "pyelftools==0.31")
    path = built_zlib(shop, shop.room(name))
    text = shop.run(["nm", "-S", path], shop.root).text
    rows = json.loads(shop.run([python, "-c", SYMBOLS, path], shop.root, apart=True).text)
    kinds = Counter((kind, bind) for _, _, kind, bind, _ in rows)
    facts = [Fact("name", (title.split("@")[0],)) for title, _, _, _, where in rows if where == "SHN_UNDEF"]
    facts += [
        Fact("odd", (), (title, f"{size:016x}")) for title, size, *_ in sorted(rows, key=lambda row: -row[1])[:LARGEST]
    ]
    facts += [Fact("name", (title,)) for title, _, kind, bind, _ in rows if kinds[kind, bind] <= 12]
    facts += [
        Fact("name", (title,))
        for title, _, kind, bind, where in rows
        if (kind, bind) == ("STT_FUNC", "STB_GLOBAL") and where != "SHN_UNDEF"
    ]
    yield Item(name, BINARY, "text", "nm -S libz.so", text, said_in(facts, text))


STRUCTURES = """import json, sys
from elftools.elf.elffile import ELFFile
found = {}
with open(sys.argv[1], "rb") as file:
    for unit in ELFFile(file).get_dwarf_info().iter_CUs():
        for one in unit.iter_DIEs():
            if one.tag == "DW_TAG_structure_type" and "DW_AT_name" in one.attributes and "DW_AT_byte_size" in one.attributes:
                fields = [c.attributes["DW_AT_name"].value.decode() for c in one.iter_children() if "DW_AT_name" in c.attributes]
                found[one.attributes["DW_AT_name"].value.decode()] = [one.attributes["DW_AT_byte_size"].value, fields]
print(json.dumps(found))
"""


def structures_run(name: str, shop: Shop) -> Iterator[Item]:
    """`pahole` of a library; the facts are the structures, their sizes and fields, by another reader of the same DWARF."""
    shop.install("pahole")
    python = shop.python("elftools", "pyelftools==0.31")
    path = built_zlib(shop, shop.room(name))
    text = shop.run(["pahole", path], shop.root).text
    rows = json.loads(shop.run([python, "-c", STRUCTURES, path], shop.root, apart=True).text)
    facts = [Fact("message", (f"struct {title} {{",)) for title in rows]
    facts += [Fact("message", (f"/* size: {size}, cachelines:",)) for size, _ in rows.values()]
    facts += [Fact("name", (field,)) for _, fields in rows.values() for field in fields]
    facts += [Fact("message", (one,)) for one in sorted(set(re.findall(r"sum holes: \d+", text)))]
    yield Item(name, BINARY, "text", "pahole libz.so", text, said_in(facts, text))


def code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object and all that it holds."""
    yield code
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            yield from code_objects(one)


def bytecode_run(name: str, module: str, shop: Shop) -> Iterator[Item]:
    """`python -m dis` of a module; the facts are its functions, what they call by name, and the opcodes that are rare."""
    room = shop.room(name)
    path = os.path.join(os.path.dirname(os.__file__), module)
    text = shop.run([sys.executable, "-m", "dis", path], room).text
    objects = list(code_objects(compile(read(path), path, "exec")))
    facts = [Fact("message", (f"<code object {one.co_name} ",)) for one in objects]
    facts += [Fact("name", (title,)) for one in objects for title in one.co_names]
    uses = Counter(step.opname for one in objects for step in dis.get_instructions(one))
    facts += [Fact("name", (opcode,)) for opcode in uses]
    yield Item(name, BINARY, "text", f"dis {module}", text, said_in(facts, text))


MODULE = "const m = new WebAssembly.Module(require('fs').readFileSync(process.argv[1])); console.log(JSON.stringify([WebAssembly.Module.imports(m), WebAssembly.Module.exports(m)]))"


def wasm_run(name: str, package: str, path: str, shop: Shop) -> Iterator[Item]:
    """`wasm-objdump -x` of a module; the facts are the imports and exports that node finds in it."""
    shop.install("wasm-objdump", "wabt")
    tree = shop.npm_source(package, shop.room(name))
    text = shop.run(["wasm-objdump", "-x", path], tree).text
    imports, exports = json.loads(shop.run(["node", "-e", MODULE, os.path.join(tree, path)], tree, apart=True).text)
    facts = [Fact("message", (f"{one['module']}.{one['name']}",)) for one in imports]
    facts += [Fact("message", (f'"{one["name"]}"',)) for one in exports]
    facts += [
        Fact("message", (one,)) for one in sorted(set(re.findall(r"^[A-Z]\w+(?:\[\d+\])?(?=:$)", text, re.MULTILINE)))
    ]
    yield Item(name, BINARY, "text", f"wasm-objdump -x {os.path.basename(path)}", text, said_in(facts, text))


def interface_change(name: str, shop: Shop) -> Iterator[Item]:
    """`abidiff` of two builds of a library; the facts are the changes that were made to it."""
    shop.install("abidiff", "abigail-tools")
    room = shop.room(name)
    facts = []
    before = after = ""
    for number in range(120):
        fields = "".join(f"  int slot_{slot};\n" for slot in range(4))
        wider = fields
        if number % 5 == 2:
            wider = fields.replace(f"int slot_{number % 4};", f"long long slot_{number % 4};")
            facts += [
                Fact("message", (f"struct shelf_{number}",)),
                Fact("message", (f"shelf_{number}::slot_{number % 4}",)),
            ]
        if number % 17 == 4:
            wider += f"  char lid_{number};\n"
            facts += [Fact("message", (f"lid_{number}",)), Fact("message", (f"struct shelf_{number}",))]
        body = f"int put_on_{number}(struct shelf_{number} *shelf, int parcel) {{ return shelf->slot_1 = parcel; }}\n"
        before += f"struct shelf_{number} {{\n{fields}}};\n{body}"
        gone = number % 23 == 9
        after += f"struct shelf_{number} {{\n{wider}}};\n" + ("" if gone else body)
        after += f"int weigh_{number}(void) {{ return {number}; }}\n" if number % 19 == 6 else ""
        facts += [Fact("name", (f"put_on_{number}",))] if gone or wider != fields else []
        facts += [Fact("name", (f"weigh_{number}",))] if number % 19 == 6 else []
    for title, source in (("before", before), ("after", after)):
        write(os.path.join(room, f"{title}.c"), source)
        shop.run(["gcc", "-g", "-shared", "-fPIC", "-o", f"{title}.so", f"{title}.c"], room)
    text = shop.run(["abidiff", "before.so", "after.so"], room).text
    facts += [
        Fact("message", (line.strip(),))
        for line in text.splitlines()
        if re.match(r"(?:Functions|Variables) changes summary", line)
    ]
    facts += [
        Fact("message", (one,))
        for one in ("Removed functions", "Added functions", "functions with some indirect sub-type change")
    ]
    yield Item(name, BINARY, "text", "abidiff before.so after.so", text, said_in(facts, text))


RECIPES = {
    "nm-zlib": partial(symbols_run, "nm-zlib"),
    "pahole-zlib": partial(structures_run, "pahole-zlib"),
    "dis-textwrap": partial(bytecode_run, "dis-textwrap", "textwrap.py"),
    "wasm-sqlite": partial(
        wasm_run, "wasm-sqlite", "@sqlite.org/sqlite-wasm@3.46.1-build3", "sqlite-wasm/jswasm/sqlite3.wasm"
    ),
    "abidiff-shelves": partial(interface_change, "abidiff-shelves"),
}
