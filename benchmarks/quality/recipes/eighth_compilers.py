"""Compilers of rare languages and of circuits that nobody tunes on; the facts are the mistakes that were planted."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import Diagnostic, diagnostic_facts, said_in
from shop import Shop

from recipes.eighth_tools import npm_tool
from recipes.fifth_suites import last_words, plain
from recipes.held_linters import read
from recipes.held_suites import write
from recipes.third_linters import report_file

COMPILER, CIRCUIT, ELECTRONICS = "compiler", "circuit", "simulation"


def cobol(number: int) -> str:
    """A program; every few name what they do not declare."""
    move = (
        f"           MOVE TIDE-{number} TO LEVEL-{number}."
        if number % 4 == 1
        else f"           MOVE 3 TO LEVEL-{number}."
    )
    call = f"           PERFORM WEIGH-{number}." if number % 6 == 2 else "           CONTINUE."
    picture = "X(4" if number % 9 == 5 else "9(4)"
    verb = f"           DIPSLAY LEVEL-{number}." if number % 7 == 3 else f"           DISPLAY LEVEL-{number}."
    return f"""       IDENTIFICATION DIVISION.
       PROGRAM-ID. GAUGE{number}.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 LEVEL-{number} PIC {picture}.
       01 UNUSED-{number} PIC X.
       PROCEDURE DIVISION.
       MAIN-PART.
{move}
{call}
           ADD 1 TO LEVEL-{number} GIVING LOST-{number % 3}.
{verb}
           STOP RUN.
"""


def cobol_run(name: str, shop: Shop) -> Iterator[Item]:
    """What GnuCOBOL says of many programs; the facts are every message with its place, and what was planted."""
    shop.install("cobc", "gnucobol4")
    room = shop.room(name)
    paths = [f"gauge{number}.cob" for number in range(130)]
    for number, path in enumerate(paths):
        write(os.path.join(room, path), cobol(number))
    text = shop.run(["sh", "-c", f"for f in {' '.join(paths)}; do cobc -fsyntax-only -Wall $f; done"], room).text
    facts = [
        Fact("path", (f"gauge{n}.cob",)) for n in range(130) if n % 4 == 1 or n % 6 == 2 or n % 9 == 5 or n % 7 == 3
    ]
    facts += [Fact("name", (f"TIDE-{n}",)) for n in range(130) if n % 4 == 1]
    facts += [Fact("name", (f"WEIGH-{n}",)) for n in range(130) if n % 6 == 2]
    facts += [Fact("name", (f"LOST-{n}",)) for n in range(3)]
    said: dict[str, list[str]] = {}
    for place, words in re.findall(r"^(gauge\d+\.cob:\d+): (?:error|warning): (.*)$", text, re.MULTILINE):
        said.setdefault(words, []).append(place)
    facts += [
        Fact("record", tuple(places), (words,)) for words, places in said.items() if not re.search(r"TIDE|WEIGH", words)
    ]
    yield Item(name, COMPILER, "text", "cobc -fsyntax-only -Wall", text, said_in(facts, text))


def vhdl(number: int) -> str:
    """A counter of a circuit; every few have a wrong type, name or width."""
    value = (f"lost_{number}", "'1'", 'count_now + "1"', "count_now + 1")[number % 4]
    port = f"gate{number}" if number % 5 else f"door{number}"
    return f"""library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
entity gauge{number} is
  port (clock : in std_logic; gate{number} : out unsigned(7 downto 0));
end entity;
architecture plain of gauge{number} is
  signal count_now : unsigned({7 + (number % 6 == 3)} downto 0) := (others => '0');
begin
  process (clock) begin
    if rising_edge(clock) then
      count_now <= {value};
    end if;
  end process;
  {port} <= count_now;
  {f"u0 : entity work.sluice{number} port map (clock => clock);" if number % 8 == 2 else ""}
end architecture;
"""


def ghdl_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ghdl says of many files; the facts are every message with its place, every file, and what was planted."""
    shop.install("ghdl", "ghdl-mcode")
    room = shop.room(name)
    paths = [f"rtl/gauge{number}.vhdl" for number in range(150)]
    for number, path in enumerate(paths):
        write(os.path.join(room, path), vhdl(number))
    text = shop.run(["sh", "-c", f"for f in {' '.join(paths)}; do ghdl -a --std=08 $f; done"], room).text
    found = [
        Diagnostic(path, f"{path}:{line}:{column}", "", said)
        for path, line, column, said in re.findall(
            r"^(rtl/\S+\.vhdl):(\d+):(\d+):(?:error|warning|note): (.*)$", text, re.MULTILINE
        )
    ]
    plain_found = [
        Diagnostic(path, f"{path}:{line}:{column}", "", said)
        for path, line, column, said in re.findall(r"^(rtl/\S+\.vhdl):(\d+):(\d+): (.*)$", text, re.MULTILINE)
    ]
    facts = [*diagnostic_facts(found or plain_found), *(Fact("name", (f"lost_{n}",)) for n in range(0, 150, 4))]
    yield Item(name, COMPILER, "text", "ghdl -a --std=08", text, said_in(facts, text))


def small_c(number: int) -> str:
    """A driver for a small chip; every few have a mistake."""
    use = f"  return lost_{number} + value;" if number % 5 == 1 else "  return value;"
    line = f"  char *where = {number};" if number % 4 == 2 else "  char where = 1;"
    arguments = "(1, 2)" if number % 7 == 3 else "(1)"
    return f"""#include <stdint.h>
__xdata __at (0x{1000 + number}) uint8_t port_{number};
static int gauge_{number}(int value) {{
  int unused_{number};
{line}
  if (value = {number}) port_{number} = where;
{use}
}}
void main(void) {{
  unsigned char level = {300 if number % 6 == 4 else 3};
  gauge_{number}{arguments};
  while (1) port_{number} = level;
  port_{number} = 0;
}}
"""


def sdcc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What sdcc says of many drivers; the facts are every message with its place, every file, and what was planted."""
    shop.install("sdcc")
    room = shop.room(name)
    paths = [f"src/driver{number}.c" for number in range(120)]
    for number, path in enumerate(paths):
        write(os.path.join(room, path), small_c(number))
    text = shop.run(
        ["sh", "-c", f"for f in {' '.join(paths)}; do sdcc -mmcs51 --Werror -c $f -o out.rel; done"], room
    ).text
    rows = re.findall(r"^(src/\S+\.c):(\d+): (error|warning) (\d+): (.*)$", text, re.MULTILINE)
    found = [Diagnostic(path, f"{path}:{line}", "", said) for path, line, _, _, said in rows]
    facts = [*diagnostic_facts(found), *(Fact("message", (f"{kind} {code}",)) for _, _, kind, code, _ in rows)]
    facts += [Fact("message", (f"lost_{n}",)) for n in range(1, 120, 5)]
    yield Item(name, COMPILER, "text", "sdcc -mmcs51 -c", text, said_in(facts, text))


def assembly_script(number: int) -> str:
    """A module; every few have a wrong type, name or count of arguments."""
    wrong = {
        1: f"  let x: i32 = 'tide {number}';",
        3: f"  lost{number}(1);",
        5: f"  helper{number}(1, 2, 3);",
        6: f"  let y: Berth{number} = null;",
        4: f"  const z = 1; z = {number};",
    }
    return f"""function helper{number}(a: i32): i32 {{ return a + {number}; }}
export function gauge{number}(value: i32): i32 {{
{wrong.get(number % 8, "  helper" + str(number) + "(1);")}
  return value{".deep" if number % 9 == 7 else ""};
}}
"""


def asc_run(name: str, shop: Shop) -> Iterator[Item]:
    """What AssemblyScript's compiler says; the facts are the mistakes that were planted, and the places it names."""
    tool = npm_tool(shop, "asc")
    room = shop.room(name)
    for number in range(160):
        write(os.path.join(room, "assembly", f"gauge{number}.ts"), assembly_script(number))
    write(os.path.join(room, "assembly", "index.ts"), "".join(f'export * from "./gauge{n}";\n' for n in range(160)))
    text = plain(report_file(shop, ["sh", "-c", f"{tool} assembly/index.ts --outFile out.wasm 2>&1"], room, room))
    facts = [
        Fact("message", (one,))
        for one in dict.fromkeys(re.findall(r"^(?:ERROR|WARNING) (?:TS|AS)\d+: .*$", text, re.MULTILINE))
    ]
    facts += [Fact("location", (one,)) for one in dict.fromkeys(re.findall(r"assembly/gauge\d+\.ts\(\d+,\d+\)", text))]
    facts += [Fact("name", (f"lost{n}",)) for n in range(3, 160, 8)] + last_words(text, r"^FAILURE .*$")
    yield Item(name, COMPILER, "text", "asc assembly/index.ts", text, said_in(facts, text))


def verilog() -> tuple[str, list[Fact]]:
    """Twenty blocks of a circuit, some with loose ends."""
    blocks, facts = [], []
    for number in range(20):
        wide = 4 + number % 5 * 2
        loose = (
            f"  wire [3:0] loose{number};\n  assign out = total + loose{number};"
            if number % 6 == 2
            else "  assign out = total;"
        )
        twice = (
            f"  assign ready{number} = 1'b0;\n  assign ready{number} = total[0];"
            if number % 7 == 4
            else f"  assign ready{number} = total[0];"
        )
        facts += [Fact("message", (f"loose{number}",))] if number % 6 == 2 else []
        facts += [Fact("message", (f"ready{number}",))] if number % 7 == 4 else []
        facts.append(Fact("name", (f"gauge{number}",)))
        blocks.append(
            f"module gauge{number}(input clk, input [{wide - 1}:0] a, output [{wide - 1}:0] out, output ready{number});\n  reg [{wide - 1}:0] total;\n  always @(posedge clk) total <= total + a{' * a' if number == 13 else ''};\n{loose}\n{twice}\nendmodule\n"
        )
    wires = "".join(
        f"  wire [{3 + n % 5 * 2}:0] o{n};\n  gauge{n} g{n}(.clk(clk), .a(a[{3 + n % 5 * 2}:0]), .out(o{n}), .ready{n}(r[{n}]));\n"
        for n in range(20)
    )
    return "".join(blocks) + f"module top(input clk, input [15:0] a, output [19:0] r);\n{wires}endmodule\n", facts


def yosys_run(name: str, shop: Shop) -> Iterator[Item]:
    """What yosys says while it builds a circuit; the facts are its warnings, blocks, passes and the cells by its JSON."""
    shop.install("yosys")
    room = shop.room(name)
    source, facts = verilog()
    write(os.path.join(room, "top.v"), source)
    steps = "read_verilog top.v; hierarchy -top top; proc; flatten -wb; opt; check; techmap; opt; stat"
    text = shop.run(["yosys", "-p", steps], room).text
    shop.run(["yosys", "-q", "-p", f"{steps}; tee -o all.json stat -json"], room).check()
    facts += [
        Fact("message", (one.strip(),)) for one in dict.fromkeys(re.findall(r"^Warning: .*$", text, re.MULTILINE))
    ]
    facts += [
        Fact("message", (one,))
        for one in dict.fromkeys(re.findall(r"^\d+(?:\.\d+)?\. (Executing \w+ pass.*?)\.?$", text, re.MULTILINE))
    ]
    cells = json.loads(re.sub(r"\A.*?(?=\{)", "", read(os.path.join(room, "all.json")), count=1, flags=re.DOTALL))[
        "design"
    ]["num_cells_by_type"]
    facts += [Fact("odd", (), (kind, str(count))) for kind, count in cells.items()]
    counted = re.findall(r"^ +(Number of [\w ]+:) +(\d+)$", text[text.rindex("Printing statistics") :], re.MULTILINE)
    facts += [Fact("odd", (), one) for one in counted]
    yield Item(name, CIRCUIT, "text", "yosys -p synth top.v", text, said_in(facts, text))


def spice_run(name: str, shop: Shop) -> Iterator[Item]:
    """What ngspice prints of a circuit; the facts are what was measured, the odd nodes, and its warnings."""
    shop.install("ngspice")
    room = shop.room(name)
    lines = ["tide gauge amplifier", "V1 in 0 DC 1 AC 1 SIN(0 1 1k)"]
    for number in range(40):
        lines += [
            f"R{number} {'in' if not number else f'n{number - 1}'} n{number} {100 + number * 10}",
            f"C{number} n{number} 0 {1 + number % 5}n",
        ]
    lines += ["Rfloat nowhere float 1k", "D1 n39 0 missing", ".model other D(IS=1e-14)"]
    lines += (
        [".op", ".tran 20u 4m"]
        + [f".meas tran peak{n} MAX v(n{n})" for n in range(0, 40, 4)]
        + [".print tran v(in) v(n5) v(n39)", ".end"]
    )
    write(os.path.join(room, "bad.cir"), "\n".join(lines) + "\n")
    lines = [line.replace("missing", "other") for line in lines]
    write(os.path.join(room, "gauge.cir"), "\n".join(lines) + "\n")
    text = shop.run(["sh", "-c", "ngspice -b bad.cir; ngspice -b gauge.cir"], room).text
    facts = [
        Fact("message", (one,))
        for one in dict.fromkeys(re.findall(r"^(?:Warning|Error|Note|ERROR)\b.*$", text, re.MULTILINE))
    ]
    facts += last_words(text, r"^peak\d+ .*$|^No\. of Data Rows.*$|^Circuit: .*$")
    facts += [
        Fact("message", (one,))
        for one in (
            "unable to find definition of model",
            "float",
            "nowhere",
            "Index   time            v(in)",
            "simulation(s) aborted",
        )
    ]
    yield Item(name, ELECTRONICS, "text", "ngspice -b gauge.cir", text, said_in(facts, text))


RECIPES = {
    "cobc-gauges": partial(cobol_run, "cobc-gauges"),
    "ghdl-gauges": partial(ghdl_run, "ghdl-gauges"),
    "sdcc-drivers": partial(sdcc_run, "sdcc-drivers"),
    "asc-gauges": partial(asc_run, "asc-gauges"),
    "yosys-gauges": partial(yosys_run, "yosys-gauges"),
    "ngspice-gauge": partial(spice_run, "ngspice-gauge"),
}
