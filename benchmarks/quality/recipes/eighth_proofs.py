"""Model checkers, solvers, statistics and trainings that nobody tunes on; the facts are planted or asked again."""

import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial

from items import Fact, Item
from reports import said_in
from shop import Shop

from recipes.eighth_tools import python_tools, tool_of
from recipes.fifth_suites import last_words
from recipes.held_linters import read
from recipes.held_suites import write

PROOF, SOLVER, STATISTICS, TRAINING = "model checker", "solver", "statistics", "training"

LOCKS = """#define BOATS 4
byte inside, gate_open, turns[BOATS], water = 3;
mtype = { sink, rise, drain };
chan calls = [6] of { mtype, byte };

proctype Boat(byte me) {
  do
  :: turns[me] < 34 ->
     calls ! rise, me;
     atomic { gate_open == 0 -> gate_open = 1 };
     inside = inside + 1;
     turns[me] = turns[me] + 1;
     if
     :: turns[me] == 31 && me == 2 -> inside = inside + 1
     :: else -> skip
     fi;
     assert(inside == 1);
     inside = inside - 1;
     gate_open = 0
  :: turns[me] >= 34 -> break
  od
}

proctype Keeper() {
  mtype what; byte who;
end:
  do
  :: calls ? what, who ->
     if
     :: water < 9 -> water = water + 1
     :: else -> water = 3
     fi
  od
}

init {
  byte n;
  atomic { run Keeper(); do :: n < BOATS -> run Boat(n); n = n + 1 :: else -> break od }
}
"""


def spin_trail(name: str, shop: Shop) -> Iterator[Item]:
    """The way to a broken assertion as spin replays it; the facts are its end, the processes and what they did."""
    shop.install("spin")
    room = shop.room(name)
    write(os.path.join(room, "lock.pml"), LOCKS)
    shop.run(["spin", "-a", "lock.pml"], room).check()
    shop.run(["gcc", "-O1", "-DSAFETY", "-w", "-o", "pan", "pan.c"], room).check()
    shop.run(["./pan", "-m3000"], room)
    text = shop.run(["spin", "-t", "-p", "-g", "-l", "-v", "lock.pml"], room).text
    facts = [
        Fact("message", ("assertion violated",)),
        Fact("message", ("text of failed assertion: assert((inside==1))",)),
    ]
    facts += last_words(text, r"^\s*spin: trail ends after \d+ steps")
    end = text[text.index("spin: trail ends") :]
    facts += last_words(end, r"^\s*(?:\w+(?:\[\d\])? = .*|\d+:\s+proc .*|\d+ process.*|queue .*)$")
    facts += [Fact("name", (one,)) for one in ("Boat", "Keeper", ":init:")]
    statements = re.findall(r"(lock\.pml:\d+) \(state \d+\)\s+(\[.*\])$", text, re.MULTILINE)
    facts += [Fact("odd", (), one) for one in dict.fromkeys(statements)]
    yield Item(name, PROOF, "text", "spin -t -p -g -l lock.pml", text, said_in(facts, text))


def z3_run(name: str, shop: Shop) -> Iterator[Item]:
    """What z3 answers to many questions; the facts are the cores of those that cannot be, and what it did not understand."""
    tool = tool_of(shop, "z3")
    room = shop.room(name)
    lines, facts = ["(set-option :produce-unsat-cores true)"], []
    for number in range(70):
        lines += [f'(echo "timetable {number}")', "(push)"]
        lines += [f"(declare-const leaves_{number}_{n} Int)" for n in range(5)]
        wrong = number % 9 == 4
        for n in range(5):
            lines.append(f"(assert (! (>= leaves_{number}_{n} {n * 20 + number}) :named earliest_{number}_{n}))")
        for n in range(4):
            gap = f"(<= (+ leaves_{number}_{n} {15 + n}) leaves_{number}_{n + 1})"
            lines.append(f"(assert (! {gap} :named gap_{number}_{n}))")
        if wrong:
            lines.append(f"(assert (! (<= leaves_{number}_4 {number + 61}) :named home_by_{number}))")
            facts += [Fact("name", (f"timetable {number}",)), Fact("name", (f"home_by_{number}",))]
        if number % 23 == 7:
            lines.append(f"(assert (> tide_{number} 3))")
            facts += [Fact("message", (f"unknown constant tide_{number}",))]
        lines += ["(check-sat)", "(get-unsat-core)" if wrong else "(get-model)", "(pop)"]
    write(os.path.join(room, "timetables.smt2"), "\n".join(lines) + "\n")
    text = shop.run([tool, "timetables.smt2"], room).text
    facts += last_words(text, r"^\((?:earliest|gap|home)_.*\)$|^\(error .*\)$")
    yield Item(name, SOLVER, "text", "z3 timetables.smt2", text, said_in(facts, text))


TRANSPORT = """set MILLS; set BAKERIES;
param stock {MILLS}; param need {BAKERIES}; param price {MILLS, BAKERIES};
var s {MILLS, BAKERIES} >= 0;
minimize total: sum {m in MILLS, b in BAKERIES} price[m,b] * s[m,b];
s.t. out {m in MILLS}: sum {b in BAKERIES} s[m,b] <= stock[m];
s.t. into {b in BAKERIES}: sum {m in MILLS} s[m,b] >= need[b];
solve;
data;
"""


def glpsol_run(name: str, shop: Shop) -> Iterator[Item]:
    """The report of glpsol; the facts, from its solution for machines, are what is shipped and what is scarce."""
    shop.install("glpsol", "glpk-utils")
    room = shop.room(name)
    dice = random.Random(8)
    mills, bakeries = [f"m{n}" for n in range(12)], [f"b{n}" for n in range(24)]
    data = [f"set MILLS := {' '.join(mills)};", f"set BAKERIES := {' '.join(bakeries)};", "param stock :="]
    data += [f"  {one} {90 + 10 * (at % 5)}" for at, one in enumerate(mills)] + [";", "param need :="]
    data += [f"  {one} {20 + 7 * (at % 6)}" for at, one in enumerate(bakeries)] + [";"]
    data.append(f"param price : {' '.join(bakeries)} :=")
    data += [f"  {one} {' '.join(str(dice.randint(3, 60)) for _ in bakeries)}" for one in mills] + [";", "end;"]
    write(os.path.join(room, "flour.mod"), TRANSPORT + "\n".join(data) + "\n")
    shop.run(["glpsol", "--math", "flour.mod", "-o", "report.txt", "--write", "flour.sol"], room).check()
    text = read(os.path.join(room, "report.txt"))
    rows = [line.split() for line in read(os.path.join(room, "flour.sol")).splitlines()]
    columns = [f"s[{m},{b}]" for m in mills for b in bakeries]
    names = ["total", *(f"out[{m}]" for m in mills), *(f"into[{b}]" for b in bakeries)]
    facts = [Fact("odd", (), (columns[int(row[1]) - 1], row[3])) for row in rows if row[0] == "j" and row[3] != "0"]
    facts += [Fact("odd", (), (names[int(row[1]) - 1], row[3])) for row in rows if row[0] == "i" and row[4] != "0"]
    facts += last_words(text, r"^(?:Problem|Rows|Columns|Non-zeros|Status|Objective): .*$|^KKT.*: .*$")
    yield Item(name, SOLVER, "text", "glpsol --math flour.mod -o report.txt", text, said_in(facts, text))


SURVEY = """DATA LIST FREE FILE='boats.txt' / harbour (A8) kind (A8) length crew engine catch days repairs.
DESCRIPTIVES VARIABLES=length crew engine catch days repairs /STATISTICS=ALL.
FREQUENCIES VARIABLES=harbour kind crew days repairs.
CROSSTABS /TABLES=harbour BY kind /CELLS=COUNT ROW COLUMN TOTAL /STATISTICS=CHISQ.
MEANS TABLES=catch BY harbour BY kind.
CORRELATIONS VARIABLES=length crew engine catch days repairs.
T-TEST GROUPS=crew(3,5) /VARIABLES=length engine catch days repairs.
ONEWAY VARIABLES=catch length engine BY repairs /STATISTICS=DESCRIPTIVES HOMOGENEITY.
REGRESSION /VARIABLES=length crew engine days repairs /DEPENDENT=catch.
EXAMINE VARIABLES=catch engine BY crew.
COMPUTE x = keel + 1.
LIST VARIABLES=tonnage.
"""


def pspp_run(name: str, shop: Shop) -> Iterator[Item]:
    """Tables of pspp; the facts are the tables, the variables, rare values with how often they come, and its errors."""
    shop.install("pspp")
    room = shop.room(name)
    dice = random.Random(12)
    rows = []
    for number in range(420):
        harbour = "Rimsund" if number in {77, 300} else ("Oddvik", "Farnes", "Holmen", "Stoka")[number % 4]
        kind = "trawler" if number % 61 == 5 else ("smack", "cutter", "dory")[number % 3]
        crew, days = 3 + number % 5, 40 + number * 7 % 23
        rows.append(
            (
                harbour,
                kind,
                8 + dice.random() * 9,
                crew,
                dice.randint(40, 300),
                dice.randint(100, 9000),
                days,
                number % 4,
            )
        )
    rows[200] = ("Farnes", "dory", 99.5, 41, 9999, 88888, 366, 17)
    write(
        os.path.join(room, "boats.txt"),
        "\n".join(" ".join(f"{v:.2f}" if isinstance(v, float) else str(v) for v in row) for row in rows),
    )
    write(os.path.join(room, "survey.sps"), SURVEY)
    text = shop.run(["pspp", "-O", "format=txt", "-O", "box=unicode", "survey.sps"], room, env={"HOME": room}).text
    titles = "Descriptive Statistics|Correlations|Group Statistics|Independent Samples Test|Statistics|ANOVA|Model Summary.*|Coefficients.*|Chi-Square Tests|Case Processing Summary|Extreme Values|Tests of Normality"
    facts = last_words(text, rf"^\s*(?:{titles})\s*$")
    variables = ("harbour", "kind", "length", "crew", "engine", "catch", "days", "repairs")
    facts += [Fact("name", (one,)) for one in variables]
    for at in (0, 1, 3, 6, 7):
        seen = Counter(row[at] for row in rows)
        for value, count in seen.items():
            spelt = f"{value:.2f}" if isinstance(value, int) else str(value)
            if count < 20 or len(seen) < 8:
                facts.append(Fact("odd", (), (spelt, str(count))))
    facts += [Fact("message", (one,)) for one in ("99.50", "9999.00", "88888.00", "41.00", "366.00")]
    facts += last_words(text, r"^survey\.sps:\d+.*(?:error|warning).*$")
    yield Item(name, STATISTICS, "text", "pspp survey.sps", text, said_in(facts, text))


def gnuplot_fit(name: str, shop: Shop) -> Iterator[Item]:
    """What gnuplot says while it fits curves; the facts are the parameters it ends with, and the fits that it gave up."""
    shop.install("gnuplot", "gnuplot-nox")
    room = shop.room(name)
    dice = random.Random(3)
    lines = ["set print 'values.txt'", "set fit nolog"]
    for number in range(14):
        points = [
            (x / 4, number + 1 + dice.gauss(0, 0.2) + 0.7 * x / 4 * (number % 3) + 2 * (x % 9)) for x in range(60)
        ]
        write(os.path.join(room, f"tide{number}.dat"), "\n".join(f"{x} {y:.4f}" for x, y in points))
        model = f"a{number} * sin(b{number} * x) + c{number} + d{number} * x"
        if number in {5, 11}:
            model = f"a{number} * x + b{number} * x + c{number} + d{number} * x"
        lines.append(f"a{number} = 3; b{number} = {0.8 + number / 10}; c{number} = 1; d{number} = 0.1")
        lines.append(f"fit {model} 'tide{number}.dat' via a{number}, b{number}, c{number}, d{number}")
        lines.append(f'print sprintf("%g %g %g %g", a{number}, b{number}, c{number}, d{number})')
    names = ["tide.gp"]
    write(os.path.join(room, names[0]), "\n".join(lines) + "\n")
    text = shop.run(["gnuplot", names[0]], room, env={"HOME": room}).text
    values = [line.split() for line in read(os.path.join(room, "values.txt")).splitlines()]
    facts = []
    for number, row in enumerate(values):
        facts += [Fact("odd", (), (f"{letter}{number}", value)) for letter, value in zip("abcd", row, strict=True)]
    facts += last_words(text, r"^.*(?:[Ss]ingular matrix|Undefined|warning:).*$")
    facts += last_words(text, r"^(?:rms of residuals|degrees of freedom) .*$")
    yield Item(name, STATISTICS, "text", "gnuplot tide.gp", text, said_in(facts, text))


BOOST = """import json, random
import lightgbm as lgb, numpy as np
dice = np.random.default_rng(5)
x = dice.normal(size=(1500, 14)); x[:, 9] = 1.0
y = (x[:, 0] + x[:, 3] * x[:, 1] + dice.normal(size=1500) * 0.8 > 0.4).astype(int)
names = [f"gauge_{n}" for n in range(14)]
train = lgb.Dataset(x[:1000], y[:1000], feature_name=names)
check = lgb.Dataset(x[1000:], y[1000:], reference=train, feature_name=names)
told = {}
model = lgb.train(
    {"objective": "binary", "metric": ["binary_logloss", "auc"], "learning_rate": 0.05, "num_leaves": 63, "num_threads": 1,
     "min_data_in_leaf": 40, "bagging_fraction": 0.8, "verbosity": 1, "colour": "red"},
    train, 260, valid_sets=[train, check], valid_names=["known", "unseen"],
    callbacks=[lgb.log_evaluation(1), lgb.record_evaluation(told), lgb.early_stopping(200)])
print("importance of features")
for name, gain in sorted(zip(names, model.feature_importance("gain")), key=lambda one: -one[1]):
    print(f"  {name:<10} {gain:12.2f}")
json.dump(told, open("told.json", "w"))
"""


def lightgbm_run(name: str, shop: Shop) -> Iterator[Item]:
    """The log of a training; the facts are warnings, the best turn, the ends of every curve, and the features."""
    room = shop.room(name)
    write(os.path.join(room, "train.py"), BOOST)
    text = shop.run([python_tools(shop), "train.py"], room).text
    told = json.loads(read(os.path.join(room, "told.json")))
    facts = [
        Fact("message", (line.strip()[:90],))
        for line in dict.fromkeys(re.findall(r"^\[LightGBM\] \[(?:Warning|Info)\] (.*)$", text, re.MULTILINE))
        if "overhead" not in line
    ]
    facts += [
        Fact("message", (f"{part}'s {metric}: {value:g}",))
        for part, at in told.items()
        for metric, curve in at.items()
        for value in (curve[0], curve[-1], min(curve), max(curve))
    ]
    facts += [Fact("name", (f"gauge_{n}",)) for n in range(14)]
    best = min(range(len(told["unseen"]["binary_logloss"])), key=told["unseen"]["binary_logloss"].__getitem__)
    facts += [
        Fact("message", (f"[{best + 1}]",)),
        *last_words(text, r"^(?:Early stopping|Did not meet|Best iteration|Training until).*$"),
    ]
    yield Item(name, TRAINING, "text", "lightgbm train.py", text, said_in(facts, text))


RECIPES = {
    "spin-locks": partial(spin_trail, "spin-locks"),
    "z3-timetables": partial(z3_run, "z3-timetables"),
    "glpsol-flour": partial(glpsol_run, "glpsol-flour"),
    "pspp-boats": partial(pspp_run, "pspp-boats"),
    "gnuplot-tides": partial(gnuplot_fit, "gnuplot-tides"),
    "lightgbm-gauges": partial(lightgbm_run, "lightgbm-gauges"),
}
