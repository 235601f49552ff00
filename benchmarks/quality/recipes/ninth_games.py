"""Games of chess and proofs, told by tools that nobody tunes on; the facts are planted or asked again."""

import os
import re
import subprocess
from collections.abc import Iterator
from functools import partial

from items import Item
from reports import said_in
from shop import Shop

from recipes.held_suites import write
from recipes.ninth_tools import each, pairs

CHESS, PROOF, MOLECULE, WEATHER, GEODATA = "chess", "proof", "chemistry", "weather", "geodata"
SOLID, MEDICINE, SHIPS, CLOCK = "3D model", "medical picture", "ship positions", "time zones"


GAMES = "/usr/games"


def played(shop: Shop, command: list[str], room: str, told: str) -> str:
    """What a program says that is told what to do on its standard input."""
    env = shop.environment()
    done = subprocess.run(
        command,
        cwd=room,
        input=told,
        env=env | {"PATH": f"{GAMES}:{env['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=200,
        check=False,
    )
    return done.stdout


POSITIONS = (
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "8/8/8/3k4/8/3K4/3P4/8 w - - 0 1",
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
)


def stockfish_run(name: str, shop: Shop) -> Iterator[Item]:
    """What stockfish says of positions while it thinks; the facts are its settings, and of each position the last word on every line."""
    if not os.path.exists(f"{GAMES}/stockfish"):
        shop.apt("stockfish")
    room = shop.room(name)
    told = "uci\nsetoption name MultiPV value 3\n"
    told += "".join(f"position fen {one}\nd\ngo depth 11\n" for one in POSITIONS)
    # The engine thinks beside its input: each order waits until the thought before has ended.
    script = "import subprocess, sys\nengine = subprocess.Popen(['stockfish'], stdin=-1, stdout=-1, text=True, bufsize=1)\nfor line in sys.stdin:\n    engine.stdin.write(line)\n    engine.stdin.flush()\n    while line.startswith('go'):\n        said = engine.stdout.readline()\n        print(said, end='')\n        if said.startswith('bestmove'): break\nengine.stdin.write('quit\\n')\nengine.stdin.close()\nprint(engine.stdout.read(), end='')\n"
    text = played(shop, ["python3", "-c", script], room, told)
    facts = each("message", re.findall(r"^option name (.*?) type", text, re.MULTILINE))
    facts += each("message", [f"Fen: {one}" for one in POSITIONS])
    facts += each("message", re.findall(r"^bestmove.*$", text, re.MULTILINE))
    facts += each("message", re.findall(r"^(?:Checkers|Key): .+$", text, re.MULTILINE))
    for row in re.findall(r"depth (11) seldepth \d+ multipv (\d) score (cp|mate) (-?\d+)", text):
        facts += pairs([(f"depth {row[0]}", f"multipv {row[1]}", f"{row[2]} {row[3]}")])
    yield Item(name, CHESS, "text", "stockfish", text, said_in(facts, text))


OPENINGS = ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7", "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5 cxd5 Nxd5")  # fmt: skip


def game(number: int) -> str:
    moves = OPENINGS[number % 4].split()
    if number % 13 == 6:
        moves[number % 5 + 4] = "Qh9" if number % 2 else "Rxh7"
    if number % 17 == 11:
        moves[6] = "Kd8"
    result = "1-0" if number % 3 else "0-1"
    said = "1/2-1/2" if number % 19 == 8 else result
    body = " ".join(f"{at // 2 + 1}. {one}" if at % 2 == 0 else one for at, one in enumerate(moves))
    if number % 23 == 9:
        body += " $999 )"
    tags = f'[Event "Bakers Open {1950 + number}"]\n[Site "Hall {number % 7}"]\n[Date "{1950 + number}.05.0{number % 9 + 1}"]\n[Round "{number}"]\n'
    tags += f'[White "Player{number}"]\n[Black "Rival{number * 3 % 50}"]\n[Result "{result}"]\n'
    return f"{tags}\n{body} {said}\n\n"


def pgn_run(name: str, shop: Shop) -> Iterator[Item]:
    """What pgn-extract says of games as it checks them; the facts are its complaints with their places, and the games they are in."""
    if not os.path.exists(f"{GAMES}/pgn-extract"):
        shop.apt("pgn-extract")
    room = shop.room(name)
    write(os.path.join(room, "open.pgn"), "".join(map(game, range(400))))
    text = played(shop, ["pgn-extract", "-r", "--fixresulttags", "open.pgn"], room, "")
    places: dict[str, list[str]] = {}
    found = re.findall(r"^File (\S+): Line number: (\d+)\n(.*)$", text, re.MULTILINE)
    for _, line, said in found:
        if not said.startswith("Player"):
            places.setdefault(said.strip(), []).append(line)
    facts = each("message", places) + each("message", [f"Line number: {one}" for at in places.values() for one in at])
    facts += each(
        "message",
        re.findall(r"^(?:Unknown move|Failed to make move|Inconsistent result|Missing).*$", text, re.MULTILINE),
    )
    wrong = [
        number for number in range(400) if number % 13 == 6 or number % 17 == 11 or number % 19 == 8 or number % 23 == 9
    ]
    facts += each("message", [f"Player{number} - " for number in wrong])
    facts += each("message", re.findall(r"^\d+ games? .*$", text, re.MULTILINE))
    yield Item(name, CHESS, "text", "pgn-extract -r open.pgn", text, said_in(facts, text))


READ_PROOFS = 'read "/usr/share/metamath/databases/set.mm"'


def metamath_run(name: str, theorem: str, shop: Shop) -> Iterator[Item]:
    """What metamath tells of a theorem's proof; the facts are its steps by the labels they use, and what it says of the statement."""
    shop.install("metamath", "metamath", "metamath-databases")
    room = shop.room(name)
    orders = [
        f"show statement {theorem} /full",
        f"show proof {theorem} /lemmon",
        f"show trace_back {theorem} /essential /axioms",
        "verify proof " + theorem,
    ]
    command = ["metamath", "set scroll continuous", "set width 120", READ_PROOFS, *orders, "exit"]
    text = shop.run(command, room, seconds=200).text
    steps = re.findall(r"^(\d+)( )([\d,]+ )?([\w.-]+) +\$([aep]) ", text, re.MULTILINE)
    again = shop.run(
        [
            "metamath",
            "set scroll continuous",
            READ_PROOFS,
            f"show usage {theorem}",
            f"show trace_back {theorem} /essential /axioms",
            "exit",
        ],
        room,
        seconds=200,
    ).text
    axioms = re.findall(r"\b(?:ax|df)-[\w.-]+", again)
    facts = each("name", axioms)
    facts += each("name", [step[3] for step in steps])
    facts += each(
        "message",
        re.findall(r"^(?:Statement \d+ is located on line \d+|The source has .*|\d+ \S+ \$p .*)", text, re.MULTILINE),
    )
    yield Item(name, PROOF, "text", f"metamath 'show proof {theorem}'", text, said_in(facts, text))


AXIOMS = """fof(shift, axiom, ![X,Y]: (before(X,Y) => ~before(Y,X))).
fof(chain, axiom, ![X,Y,Z]: ((before(X,Y) & before(Y,Z)) => before(X,Z))).
fof(oven, axiom, ![X]: (loaf(X) => ?[Y]: (oven(Y) & in(X,Y)))).
fof(hot, axiom, ![X,Y]: ((oven(Y) & in(X,Y)) => warm(X))).
fof(crust, axiom, ![X]: ((warm(X) & loaf(X)) => (crust(X) | burnt(X)))).
fof(fine, axiom, ![X]: (watched(X) => ~burnt(X))).
fof(night, axiom, ![X]: ((loaf(X) & nightly(X)) => watched(X))).
fof(bun, axiom, ![X]: (bun(X) => loaf(X))).
fof(rye, axiom, ![X]: (rye(X) => (bun(X) & nightly(X)))).
fof(sold, axiom, ![X]: (crust(X) => ?[Y]: (buyer(Y) & sold(X,Y)))).
fof(glad, axiom, ![X,Y]: ((buyer(Y) & sold(X,Y)) => glad(Y))).
"""


def eprover_run(name: str, shop: Shop) -> Iterator[Item]:
    """How eprover goes about a conjecture; the facts are the names of what it used, the steps of its proof, and its figures."""
    shop.install("eprover")
    room = shop.room(name)
    more = "".join(
        f"fof(step{n}, axiom, before(batch{n},batch{n + 1})).\nfof(kind{n}, axiom, {'rye' if n % 9 == 4 else 'bun'}(batch{n})).\n"
        for n in range(25)
    )
    write(
        os.path.join(room, "mill.p"),
        AXIOMS + more + "fof(goal, conjecture, (?[Y]: glad(Y)) & before(batch0,batch5)).\n",
    )
    text = shop.run(["eprover", "--auto", "-l", "4", "--proof-object", "--print-statistics", "mill.p"], room).text
    proof = text[text.find("# SZS output start") :]
    facts = each("message", [f"fof({one}," for one in re.findall(r"file\('[^']*', (\w+)\)", proof)])
    facts += each("name", re.findall(r"^(?:fof|cnf)\((\w+), ", proof, re.MULTILINE))
    facts += each(
        "message",
        re.findall(
            r"^# (?:SZS status .*|Proof found!.*|Preprocessing time.*|Parsed axioms.*|Initial clauses.*|Processed clauses.*|Generated clauses.*|Current number of .*|Termbank .*|Backwards-.*|\.\.\.[a-z].*|Unit Clause.*|Garbage.*)$",
            text,
            re.MULTILINE,
        ),
    )
    yield Item(name, PROOF, "text", "eprover --auto -l 4 --proof-object mill.p", text, said_in(facts, text))


RECIPES = {
    "stockfish-four": partial(stockfish_run, "stockfish-four"),
    "pgn-extract-open": partial(pgn_run, "pgn-extract-open"),
    "metamath-trace": partial(metamath_run, "metamath-trace", "sqrt2irr"),
    "eprover-mill": partial(eprover_run, "eprover-mill"),
}
