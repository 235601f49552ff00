"""What the tests of lists share: tasks like those of a real project, and envelopes that follow their schemas."""

import json
import random
import shlex
from collections.abc import Iterator

import jsonschema

from doors_kit import Said, Shell, mapping, ok, records
from overspill.cli.output import schema

MOST_PAGES = 40
VERBS = ("Add", "Fix", "Remove", "Rename", "Document", "Measure", "Speed up", "Split", "Test", "Review")
THINGS = (
    "login with a passkey", "the token refresh", "paging of search results", "the upload queue", "retries on timeouts",
    "error messages of the parser", "the nightly export", "audit entries", "the settings page", "cache eviction",
)  # fmt: skip
WHY = (
    "Users on slow connections see the spinner for more than ten seconds, and then nothing. "
    "The queue is drained by one worker only, so a stuck job holds up everything behind it. "
)


def realistic(count: int, seed: int = 7) -> Iterator[dict[str, object]]:
    """Tasks as people write them: 800 to 2,000 bytes each."""
    chance = random.Random(seed)
    for number in range(1, count + 1):
        task: dict[str, object] = {
            "title": f"{chance.choice(VERBS)} {chance.choice(THINGS)}",
            "priority": chance.choice(("critical", "high", "medium", "low")),
            "description": WHY * chance.randint(2, 4),
            "notes": [f"Seen again on day {day}: the trace is in the run of that night." for day in range(3)],
            "acceptance": ["it fails without the change", "no other test gets slower"],
            "files": [f"src/part_{number % 9}/module_{number}.py", f"tests/test_module_{number}.py"],
            "verification": "The new test ran a hundred times in a row.",
        }
        if chance.random() < 0.6:
            task["labels"] = chance.sample(["auth", "api", "ui", "speed"], 1)
        if number > 10 and chance.random() < 0.2:
            task["depends"] = [f"T{chance.randint(1, number - 1)}"]
        yield task


VALIDATORS = {name: jsonschema.Draft202012Validator(schema(name)) for name in ("output", "error")}


def checked(said: Said) -> dict[str, object]:
    """The envelope that has to be all of standard output, if its schema agrees."""
    envelope = mapping(json.loads(said.out))
    VALIDATORS["output" if envelope["success"] else "error"].validate(envelope)
    assert str(envelope["$schema"]).endswith("output.schema.json" if envelope["success"] else "error.schema.json")
    if not envelope["success"]:
        assert said.status == mapping(envelope["error"])["exitCode"] != 0
    return envelope


def error_of(said: Said) -> dict[str, object]:
    """The error in an envelope, which names a way out."""
    error = mapping(checked(said)["error"])
    assert str(error["fix"]).partition(" ")[0] in {"spill", "pip", "sqlite3", "mv"}
    return error


def followed(shell: Shell, line: str, key: str) -> Iterator[list[dict[str, object]]]:
    """The pages that the printed commands lead to, the first one first; they come to an end."""
    for _ in range(MOST_PAGES):
        if not line:
            return
        envelope = checked(ok(shell.line(line)))
        yield records(envelope[key])
        line = str(envelope.get("next", ""))
    raise AssertionError(f"more than {MOST_PAGES} pages")


def command(*words: str) -> str:
    return shlex.join(["spill", *words])
