"""Answers of interfaces that nobody tunes on: descriptions, pages, feeds, envelopes, complaints, events; from loopback."""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from xml.etree import ElementTree as ET

from items import Fact, Item
from reports import in_json, in_xml, said_in
from shop import Shop

from recipes.databases import running
from recipes.fourth_consoles import parcels
from recipes.held_documents import keys_of
from recipes.held_linters import read
from recipes.held_servers import free_port, listens, status_of
from recipes.held_suites import write
from recipes.seventh_tools import python_tools, tool_of
from recipes.tables import row_facts

ANSWER, LOG = "answer of an interface", "server log"

APP = """import asyncio, datetime, enum
from fastapi import Body, FastAPI, Header, HTTPException, Query
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel, Field, create_model

app = FastAPI(title="Shelves", version="3.2.0", description="Parcels on shelves, behind doors.")
class State(str, enum.Enum):
    packed = "packed"; sent = "sent"; lost = "lost"; returned = "returned"
class Place(BaseModel):
    area: int = Field(ge=0, le=24, description="Number of the area")
    door: str = Field(pattern="^D-[0-9]+$")
class Parcel(BaseModel):
    parcel: str = Field(min_length=4); grams: int = Field(gt=0, lt=90000); state: State
    place: Place; labels: list[str] = []; keeper: str | None = None
AREAS = ["Shelf", "Door", "Keeper", "Lift", "Ramp", "Scale", "Key", "Box", "Label", "Crate", "Route", "Carrier", "Invoice", "Claim"]
def add(kind, number):
    model = create_model(kind, id=(int, ...), name=(str, Field(max_length=40 + number)), **{f"{kind.lower()}_{part}": (str | None, None) for part in ("code", "note", "owner")})
    low = kind.lower()
    @app.get(f"/{low}s", response_model=list[model], tags=[low], operation_id=f"list_{low}s", summary=f"All {low}s, by page")
    def every(page: int = Query(1, ge=1), size: int = Query(50, le=500), sort: str = "name"): return []
    @app.post(f"/{low}s", response_model=model, status_code=201, tags=[low], operation_id=f"make_{low}")
    def make(one: model): return one
    @app.get(f"/{low}s/{{id}}", response_model=model, tags=[low], operation_id=f"read_{low}", responses={404: {"description": f"There is no such {low}"}})
    def read(id: int):
        if id % 17 == 5: raise RuntimeError(f"{low} {id} fell off the shelf")
        if id % 23 == 7: raise HTTPException(404, f"There is no {low} {id}")
        return model(id=id, name=f"{low} {id}")
    @app.delete(f"/{low}s/{{id}}", status_code=204, tags=[low], operation_id=f"drop_{low}", deprecated=number % 5 == 3)
    def drop(id: int, x_reason: str = Header(...)): ...
for number, kind in enumerate(AREAS): add(kind, number)

@app.post("/parcels/all", operation_id="make_parcels", tags=["parcel"])
def parcels(all: list[Parcel]): return len(all)
"""


@contextlib.contextmanager
def application(shop: Shop, name: str) -> Iterator[tuple[str, str]]:
    """The application under hypercorn: its address, and the path of its log."""
    room = shop.room(name)
    write(os.path.join(room, "app.py"), APP)
    port = free_port()
    command = [
        tool_of(shop, "hypercorn"),
        "app:app",
        "--bind",
        f"127.0.0.1:{port}",
        "--access-logfile",
        "-",
        "--error-logfile",
        "-",
    ]
    with running(command, room, lambda: listens(port), shop.environment()) as log:
        yield f"http://127.0.0.1:{port}", log


def get(shop: Shop, url: str) -> str:
    """The body of an answer, by Perl's client."""
    shop.install("GET", "libwww-perl")
    return shop.run(["GET", url], shop.root, apart=True).text


def openapi_run(name: str, shop: Shop) -> Iterator[Item]:
    """The description of an interface as it tells it itself; the facts are its paths, operations, schemas and tags."""
    with application(shop, name) as (address, _):
        text = get(shop, f"{address}/openapi.json")
    document = json.loads(text)
    text = json.dumps(document, indent=2) + "\n"
    facts = [Fact("message", (f'"{path}"',)) for path in document["paths"]]
    for methods in document["paths"].values():
        for method in methods.values():
            facts += [Fact("name", (method["operationId"],))]
            facts += [Fact("message", ('"deprecated": true',))] if method.get("deprecated") else []
    facts += [Fact("name", (one,)) for one in document["components"]["schemas"]]
    facts += [Fact("key", (one,)) for one in keys_of(document["components"]["schemas"])]
    yield Item(name, ANSWER, "json", "GET /openapi.json", text, said_in(in_json(facts), text))


def log_run(name: str, shop: Shop) -> Iterator[Item]:
    """What hypercorn logs of requests, some of which break; the facts are those that the client saw fail."""
    facts = []
    with application(shop, name) as (address, log):
        for number in range(220):
            kind = ("shelf", "door", "keeper", "lift")[number % 4]
            path = f"/{kind}s/{number}" if number % 31 != 12 else f"/lost/{number}"
            status = status_of(f"{address}{path}")
            facts += [Fact("message", (f"{path} ",))] if status >= 400 else []
            facts += [Fact("message", (f"RuntimeError: {kind} {number} fell off the shelf",))] if status == 500 else []
    text = read(log).replace(os.path.dirname(os.path.dirname(python_tools(shop))), "/opt").replace(shop.root, "/srv")
    facts += [Fact("message", (one,)) for one in ("Running on http://127.0.0.1", "Error in ASGI Framework")]
    yield Item(name, LOG, "text", "hypercorn app:app", text, said_in(facts, text))


VALIDATION = """import json
from pydantic import TypeAdapter, ValidationError
from app import Parcel
rows = json.load(open("parcels.json"))
try:
    TypeAdapter(list[Parcel]).validate_python(rows)
except ValidationError as bad:
    print(json.dumps({"detail": json.loads(bad.json())}, indent=2) if MODE else bad)
"""


def refused_run(name: str, mode: str, shop: Shop) -> Iterator[Item]:
    """What an interface complains of in parcels; the facts are the rows, the fields and what is wrong with each."""
    room = shop.room(name)
    write(os.path.join(room, "app.py"), APP)
    rows: list[dict[str, object]] = []
    for number in range(260):
        row: dict[str, object] = {
            "parcel": f"P-{number}",
            "grams": 5 + number,
            "state": "sent",
            "place": {"area": number % 20, "door": f"D-{number}"},
        }
        if number % 7 == 3:
            row["state"] = ("gone", "stuck", "burnt")[number % 3]
        if number % 11 == 5:
            row["grams"] = (0, 95_000, "heavy")[number % 3]
        if number % 13 == 6:
            row["place"] = {"area": 40 + number, "door": f"D{number}"}
        if number % 41 == 17:
            del row["parcel"]
        if number == 111:
            row["labels"] = {"one": 1}
        rows.append(row)
    write(os.path.join(room, "parcels.json"), json.dumps(rows))
    write(os.path.join(room, "check.py"), VALIDATION.replace("MODE", "True"))
    report = json.loads(shop.run([python_tools(shop), "check.py"], room).text)["detail"]
    write(os.path.join(room, "check.py"), VALIDATION.replace("MODE", str(mode == "json")))
    text = shop.run([python_tools(shop), "check.py"], room).text
    facts = []
    for one in report:
        facts += [Fact("message", (one["msg"],)), Fact("name", (one["type"],)), Fact("name", (str(one["loc"][-1]),))]
        facts += [Fact("name", (".".join(map(str, one["loc"])),))] if mode == "text" else []
    command = "POST /parcels/all" if mode == "json" else "pydantic check.py"
    yield Item(
        name, ANSWER if mode == "json" else "checker of data", mode, command, text, said_in(in_json(facts), text)
    )


FEED = """import sys, datetime
from feedgen.feed import FeedGenerator
feed = FeedGenerator(); feed.id("http://127.0.0.1/")
feed.title("News of the shelves"); feed.link(href="http://127.0.0.1/"); feed.description("What happens behind the doors"); feed.language("en")
when = datetime.datetime(2026, 11, 17, tzinfo=datetime.timezone.utc)
for n in range(130):
    one = feed.add_entry(order="append")
    one.id(f"http://127.0.0.1/news/{n}"); one.link(href=f"http://127.0.0.1/news/{n}")
    one.title(f"{'Recall of' if n % 29 == 11 else 'Notes on'} shelf {n * 7 % 131}: {('doors', 'lifts', 'keys')[n % 3]} of area {n % 9}")
    one.author(name=("Ada", "Bo", "Cleo", "Pigeon")[3 if n == 77 else n % 3], email="keeper@example.org")
    one.category(term=("safety" if n % 29 == 11 else ("doors", "lifts", "keys")[n % 3]))
    one.description(f"<p>Shelf {n * 7 % 131} was weighed by the keeper, who found <b>{n * 37 % 911} grams</b> too many.</p>" * 2)
    one.published(when - datetime.timedelta(hours=7 * n))
sys.stdout.buffer.write(feed.FORM_str(pretty=True))
"""


def feed_run(name: str, form: str, shop: Shop) -> Iterator[Item]:
    """A feed of news; the facts are its titles, its elements, its kinds and whoever is met once."""
    room = shop.room(name)
    script = write(os.path.join(room, "feed.py"), FEED.replace("FORM", form))
    text = shop.run([python_tools(shop), script], room).text
    root = ET.fromstring(text)
    facts = [Fact("key", (one.tag.rsplit("}", 1)[-1],)) for one in root.iter()]
    facts += [Fact("message", (one.text,)) for one in root.iter() if one.tag.endswith("title") and one.text]
    facts += [Fact("message", (one,)) for one in ("safety", "doors", "lifts", "keys", "Pigeon", "Cleo")]
    yield Item(name, "XML", "xml", f"GET /news.{form}", text, said_in(in_xml(facts), text))


def soap_run(name: str, shop: Shop) -> Iterator[Item]:
    """An envelope with parcels, as older interfaces answer; the facts are its elements, its faults and the odd rows."""
    shop.room(name)
    rows = parcels(170)
    body = "".join(
        "<s:parcel>" + "".join(f"<s:{key}>{value}</s:{key}>" for key, value in row.items())
        + (f"<s:fault><s:code>E{number}</s:code><s:reason>door {number} is jammed</s:reason></s:fault>" if number % 37 == 12 else "")
        + "</s:parcel>"
        for number, row in enumerate(rows)
    )  # fmt: skip
    head = '<soap:Header><s:turn s:mustUnderstand="1">4711</s:turn></soap:Header>'
    space = 'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:s="urn:shelves"'
    root = ET.fromstring(
        f"<soap:Envelope {space}>{head}<soap:Body><s:answer s:count='170'>{body}</s:answer></soap:Body></soap:Envelope>"
    )
    ET.register_namespace("soap", "http://schemas.xmlsoap.org/soap/envelope/")
    ET.register_namespace("s", "urn:shelves")
    ET.indent(root)
    text = '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
    facts = [Fact("message", (f"<s:{key}>", f"s:{key}")) for key in (*rows[0], "fault", "reason", "code", "turn")]
    facts += [Fact("message", (f"door {number} is jammed",)) for number in range(12, 170, 37)]
    facts += row_facts(rows, "parcel", names=False)
    yield Item(name, "XML", "xml", "POST /soap/parcels", text, said_in(in_xml(facts), text))


GRAPH = """import json
from graphql import build_schema, graphql_sync
schema = build_schema('''
type Keeper { name: String!, badge: Int }
type Parcel { parcel: ID!, grams: Int, state: String!, keeper: Keeper }
type Shelf { id: ID!, label: String, parcels(first: Int): [Parcel!]!, weight: Float }
type Query { shelves(first: Int): [Shelf!]! }''')
def parcel(n):
    def grams(*_):
        if n % 53 == 20: raise ValueError(f"scales of parcel P-{n} are broken")
        return n * 37 % 911
    def keeper(*_):
        if n % 71 == 33: raise PermissionError(f"keeper of parcel P-{n} is secret")
        return {"name": ("Ada", "Bo", "Cleo")[n % 3], "badge": n % 3}
    return {"parcel": f"P-{n}", "grams": grams, "state": "lost" if n % 97 == 40 else ("packed", "sent")[n % 2], "keeper": keeper}
def weight(shelf):
    return lambda *_: shelf * 1.5
root = {"shelves": [{"id": str(s), "label": None if s == 17 else f"shelf {s}", "weight": weight(s), "parcels": [parcel(s * 8 + k) for k in range(8)]} for s in range(40)]}
answer = graphql_sync(schema, "{ shelves { id label weight parcels { parcel grams state keeper { name badge } } } }", root)
print(json.dumps(answer.formatted, indent=2))
"""


def graph_run(name: str, shop: Shop) -> Iterator[Item]:
    """An answer of GraphQL with data and errors; the facts are its errors, keys, kinds and odd values."""
    room = shop.room(name)
    text = shop.run([python_tools(shop), write(os.path.join(room, "graph.py"), GRAPH)], room, apart=True).text
    document = json.loads(text)
    facts = [Fact("key", (key,)) for key in keys_of(document)]
    facts += [Fact("message", (one["message"],)) for one in document["errors"]]
    facts += [Fact("message", (f'"{one}"',)) for one in ("packed", "sent", "lost", "Ada", "Bo", "Cleo")]
    lost = [
        row["parcel"] for shelf in document["data"]["shelves"] for row in shelf["parcels"] if row["state"] == "lost"
    ]
    facts += [Fact("name", (one,)) for one in lost]
    yield Item(name, ANSWER, "json", "POST /graphql", text, said_in(in_json(facts), text))


def page_run(name: str, path: str, shop: Shop) -> Iterator[Item]:
    """A page of rows as datasette answers it; the facts are its keys and the odd rows."""
    room = shop.room(name)
    rows = parcels(400)
    with contextlib.closing(sqlite3.connect(os.path.join(room, "shelves.db"))) as base:
        base.execute(f"create table parcels ({', '.join(rows[0])})")
        base.executemany("insert into parcels values (?, ?, ?, ?, ?, ?)", [tuple(row.values()) for row in rows])
        base.commit()
    text = shop.run([tool_of(shop, "datasette"), "shelves.db", "--get", path], room, apart=True).text
    document = json.loads(text)
    text = json.dumps(document, indent=2) + "\n"
    facts = [Fact("key", (key,)) for key in keys_of(document)] + row_facts(rows[:300], "parcel")
    yield Item(name, ANSWER, "json", f"datasette shelves.db --get {path}", text, said_in(in_json(facts), text))


def event_run(name: str, shop: Shop) -> Iterator[Item]:
    """Events that a server sends one after another; the facts are their kinds, what failed, and the end."""
    shop.room(name)
    lines, facts = ["retry: 3000\n"], []
    for number in range(420):
        kind = (
            "error"
            if number % 83 == 30
            else "warning"
            if number % 59 == 21
            else ("progress", "parcel", "delta")[number % 3]
        )
        data: dict[str, object] = {"turn": number, "shelf": number % 17, "share": round(number / 420, 4)}
        if kind == "error":
            data |= {"code": f"E{number}", "message": f"door {number} is jammed"}
            facts += [Fact("message", (f"door {number} is jammed",)), Fact("message", (f"E{number}",))]
        if kind == "warning":
            data |= {"message": f"shelf {number % 17} bends at turn {number}"}
            facts += [Fact("message", (f"bends at turn {number}",))]
        lines.append(
            f"id: {number}\nevent: {kind}\ndata: {json.dumps(data)}\n" + (": keep-alive\n" if number % 40 == 39 else "")
        )
    lines.append('event: done\ndata: {"turns": 420, "lost": 3}\n')
    text = "\n".join(lines)
    facts += [
        Fact("message", (f"event: {one}",)) for one in ("error", "warning", "progress", "parcel", "delta", "done")
    ]
    facts += [Fact("message", (one,)) for one in ('"turns": 420', ": keep-alive", "retry: 3000")]
    facts += [Fact("message", (f'"{key}"',)) for key in ("turn", "shelf", "share", "code", "message")]
    yield Item(name, ANSWER, "text", "GET /events", text, said_in(facts, text))


RECIPES = {
    "get-openapi": partial(openapi_run, "get-openapi"),
    "hypercorn-shelves": partial(log_run, "hypercorn-shelves"),
    "post-refused": partial(refused_run, "post-refused", "json"),
    "pydantic-refused": partial(refused_run, "pydantic-refused", "text"),
    "get-rss": partial(feed_run, "get-rss", "rss"),
    "post-soap": partial(soap_run, "post-soap"),
    "post-graphql": partial(graph_run, "post-graphql"),
    "datasette-page": partial(page_run, "datasette-page", "/shelves/parcels.json?_shape=objects&_size=300"),
    "get-events": partial(event_run, "get-events"),
}
