"""Marks of ours never end up in files: a text that holds one is stopped before an agent writes it."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from doors_kit import Shell, ok
from hook_events import WAYS, WRITES, Json, WriteForm, at, recorded
from overspill.cli.hook import is_plain_write
from overspill.core.mark_grammar import marks_in
from overspill.redact.rules import made_up_value

RESULTS = {  # by agent, the way in which its shell tool tells of a result
    "claude-code": "claude bash", "codex": "codex bash", "gemini": "gemini shell", "copilot": "copilot bash",
    "opencode": "opencode bash", "kilo": "kilo bash", "pi": "pi bash", "cline": "cline bash", "qwen": "qwen shell",
    "cursor": "cursor mcp",
}  # fmt: skip
SESSIONS = ("session_id", "sessionId", "sessionID", "conversation_id")
LOG = "".join(
    f"{number:05} {('read', 'wrote', 'sent')[number % 3]} block {number * 7919 % 10007}\n" for number in range(4_000)
)
FOLDED = "".join(f"step {number}\n" for number in range(300)) + "waiting for the disk\n" * 900 + "done\n"
USERS = json.dumps({"users": [{"id": n, "name": f"user {n}", "mail": f"u{n}@example.org"} for n in range(2_000)]})
RECORDS = "".join(json.dumps({"id": n, "took": n * 7 % 91}) + "\n" for n in range(3_000))
MARKUP = "<list>" + "".join(f"<entry id='{n}'>entry {n}</entry>" for n in range(2_000)) + "</list>"
DIFF = "".join(
    f"diff --git a/f{n}.py b/f{n}.py\n--- a/f{n}.py\n+++ b/f{n}.py\n@@ -1,3 +1,3 @@\n a{n}\n-b{n}\n+c{n}\n d{n}\n"
    for n in range(400)
)
TOKEN = made_up_value("ghp_<A36>")
SETTINGS = (
    f"HOST=db.example.org\nDB_PASSWORD=Zk8fQ2mX1pLr\nGITHUB_TOKEN={TOKEN}\nURL=postgres://app:Zk8fQ2mX1pLr@db/app\n"
)
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEAvx7bZ\n" * 20 + "-----END RSA PRIVATE KEY-----\n"


class Desk:
    """An agent in a project, what it was shown there, and what it is told when it wants to write."""

    def __init__(self, shell: Shell, form: WriteForm) -> None:
        self.shell, self.form = shell, form
        session = recorded(f"{form.agent}/{form.sample}")
        self.session = str(next(session[name] for name in SESSIONS if name in session))

    @property
    def kept_in(self) -> tuple[str, ...]:
        """The words that name the session in which results are kept: what `spill run` keeps is in that of the root."""
        return () if self.form.agent == "vscode" else ("--session", self.session)

    def shown(self, text: str) -> str:
        """What the model is shown of a result of its shell tool; in VS Code, of a command by `spill run`."""
        if self.form.agent == "vscode":
            source = self.shell.root / "said.txt"
            source.write_text(text)
            return ok(self.shell.spill("run", "--", "cat", str(source), root=False)).out
        way = WAYS[RESULTS[self.form.agent]]
        event = way.event(text, self.shell.root)
        event[way.session] = self.session
        said = json.loads(self.shell.hooked(way.agent, json.dumps(event)))
        kept = at(said, "hookSpecificOutput", "tailToolCallRequest", "args", "id")
        if kept:
            return ok(self.shell.spill("artifacts", "export", str(kept), "-")).out
        return str(at(said, *way.seen)).removesuffix(way.ending) if said else text

    def stopped(
        self,
        text: str,
        before: str = "",
        name: str = "notes.txt",
        form: WriteForm | None = None,
        answer_of: Callable[[Shell, str, str], str] = Shell.hooked,
    ) -> str:
        """Why a text may not be written; empty if it may."""
        form = form or self.form
        event = form.event(self.shell.root, self.shell.root / name, text, before)
        answer = json.loads(answer_of(self.shell, form.agent, json.dumps(event)))
        reason = at(answer, *form.denied)
        if reason is None:
            rewritten = at(answer, "hookSpecificOutput", "updatedInput")
            assert answer == {} or (form.tool == "Bash" and rewritten), answer
            return ""
        assert at(answer, "hookSpecificOutput", "permissionDecision") in {None, "deny"}
        assert isinstance(reason, str)
        return reason


# One form of each agent; the others are tried with one way.
FIRST = (
    "claude Write",
    "codex patch",
    "gemini write_file",
    "copilot create",
    "opencode write",
    "kilo write",
    "pi write",
    "cline write",
    "qwen write_file",
    "cursor Write",
    "vscode create_file",
)
every_agent = pytest.mark.parametrize("name", FIRST)
every_form = pytest.mark.parametrize("name", WRITES)


@pytest.fixture(scope="module")
def desks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Desk, dict[str, str]]]:
    """By form, an agent that was shown views of everything."""
    made = {}
    for name in FIRST:
        desk = Desk(Shell(tmp_path_factory.mktemp(WRITES[name].agent)), WRITES[name])
        texts = {
            "log": LOG, "fold": FOLDED, "json": USERS, "records": RECORDS, "xml": MARKUP, "diff": DIFF,
            "line": "x" * 30_000, "settings": SETTINGS, "key": KEY,
        }  # fmt: skip
        made[name] = desk, {kind: desk.shown(text) for kind, text in texts.items()}
        (desk.shell.root / ".agent").mkdir()
        (desk.shell.root / ".agent" / "config.yml").write_text("preset: spec\n")
        made[name][1].update({f"spec {kind}": desk.shown(text + " ") for kind, text in texts.items()})
        (desk.shell.root / ".agent" / "config.yml").unlink()
    return made


def mark(view: str, pattern: str) -> str:
    found = re.search(pattern, view)
    assert found, f"no {pattern} in {view[:300]!r}"
    return found[0]


GAP = r"\[\.\.\. ?\d+ [a-z]+\]"
HEADER = r"\[\d+ lines?, \d+ chars; rest: [^\n]*\]"
LONG_GAP = r"\.\.\. \[\d+ lines / \d+ chars omitted\] \.\.\."

HIDDEN_TOKEN, HIDDEN_KEY = r"\[REDACTED: API_KEY\]", r"\[REDACTED: PRIVATE_KEY\]"

# Thirty ways in which a mark gets into the text of a file, from what the model was shown.
MARKED: dict[str, Callable[[dict[str, str]], str]] = {
    "the whole view": lambda seen: seen["log"],
    "only its gap": lambda seen: mark(seen["log"], GAP),
    "only its first line": lambda seen: mark(seen["log"], HEADER),
    "the gap, indented": lambda seen: f"def main():\n    {mark(seen['log'], GAP)}\n    return 1\n",
    "the gap in a comment": lambda seen: f"a = 1\n# {mark(seen['log'], GAP)}\nb = 2\n",
    "the gap behind code": lambda seen: f"a = 1  // {mark(seen['log'], GAP)}\n",
    "the gap in a list": lambda seen: f"- first\n- {mark(seen['log'], GAP)}\n- last\n",
    "the gap in a fence": lambda seen: f"# Log\n\n```\n{mark(seen['log'], GAP)}\n```\n",
    "the gap in a string": lambda seen: f'text = "{mark(seen["log"], GAP)}"\n',
    "with other line ends": lambda seen: seen["log"].replace("\n", "\r\n"),
    "without a line end": lambda seen: "a" + mark(seen["log"], GAP),
    "the first line in a comment": lambda seen: f"# {mark(seen['log'], HEADER)}\n",
    "a view of a long line": lambda seen: seen["line"],
    "a fold": lambda seen: seen["fold"],
    "JSON": lambda seen: seen["json"],
    "the gap of JSON, elsewhere": lambda seen: f"USERS = [{mark(seen['json'], GAP)!r}]\n",
    "JSON, laid out anew": lambda seen: json.dumps(json.loads(seen["json"]), indent=4),
    "records": lambda seen: seen["records"],
    "markup": lambda seen: seen["xml"],
    "a comment of markup": lambda seen: f"<a>{mark(seen['xml'], '<!-- ' + GAP + ' -->')}</a>",
    "a diff": lambda seen: seen["diff"],
    "a placeholder": lambda seen: mark(seen["settings"], r"DB_PASSWORD=\[REDACTED: \w+\]") + "\n",
    "all settings": lambda seen: seen["settings"],
    "a placeholder as a value": lambda seen: f"token: '{mark(seen['settings'], HIDDEN_TOKEN)}'\n",
    "a placeholder in an address": lambda seen: mark(seen["settings"], r"postgres://.*") + "\n",
    "a placeholder of a key": lambda seen: f"key = '''{mark(seen['key'], HIDDEN_KEY)}'''\n",
    "the specification's gap": lambda seen: f"# {mark(seen['spec log'], LONG_GAP)}\n",
    "its hint": lambda seen: mark(seen["spec log"], r"\[original .*\]"),
    "its reference": lambda seen: mark(seen["spec log"], r"\[Artifact: [^\n]*"),
    "its element of JSON": lambda seen: seen["spec json"],
}


def test_there_are_thirty_ways() -> None:
    assert len(MARKED) == len(HONEST) == 30


@every_agent
@pytest.mark.parametrize("way", MARKED)
def test_a_mark_is_stopped_on_its_way_into_a_file(
    desks: dict[str, tuple[Desk, dict[str, str]]], name: str, way: str
) -> None:
    """Issue 24: whoever shows marks keeps them out of files."""
    desk, seen = desks[name]
    text = MARKED[way](seen)
    reason = desk.stopped(text)
    assert reason.startswith("Nothing was written")
    held = [found.text for found in marks_in(text)]
    assert any(one[:50] in reason for one in held)


def by_process(shell: Shell, agent: str, sent: str) -> str:
    """What the agent is told by the command that it runs."""
    return ok(shell.spill("hook", agent, stdin=sent, root=False)).out


@every_form
def test_every_tool_that_writes_is_asked(desks: dict[str, tuple[Desk, dict[str, str]]], name: str) -> None:
    form = WRITES[name]
    desk, seen = next(one for one in desks.values() if one[0].form.agent == form.agent)
    gap, before = mark(seen["log"], GAP), "def main():\n    pass\n"
    assert gap in desk.stopped(f"def main():\n    {gap}\n", before, form=form, answer_of=by_process)
    assert desk.stopped("def main():\n    return 1\n", before, form=form, answer_of=by_process) == ""


# Thirty honest files: such text, and nobody was shown it by us.
HONEST = {
    "plain code": "a = [1, 2, 3]\n",
    "a spread": "const all = [...items, ...others]\n",
    "three dots and a number": "first = [... 3]\n",
    "somebody's own mark": "[REDACTED]\n",
    "a type of their own": "[REDACTED: EMAIL-ADDRESS]\n",
    "a test of redaction": 'assert hide("pw=x") == "pw=[REDACTED: AWS_SECRET_KEY]"\n',
    "a document about redaction": "Cards become `[REDACTED: CREDIT_CARD]`.\n",
    "lower case": "[redacted: password]\n",
    "another blank": "[REDACTED:PASSWORD]\n",
    "a gap of another size": "[... 77 lines]\n",
    "a gap in words": "[... many lines]\n",
    "somebody's omission": "[omitted 12 lines]\n",
    "a truncation of others": "... [output truncated] ...\n",
    "our documentation": "A gap is `[... 131 lines]`; the long form is `... [862 lines / 61204 chars omitted] ...`.\n",
    "our line, explained": '[902 lines, 61204 chars; rest: get_artifact(id="art_1_x", start_line=41, end_line=80)]\n',
    "our reference, explained": "[Artifact: art_1699234567890_abcdef] text/plain from bash (93.4 KB)\n",
    "our hint, explained": '[original 7 chars (~2 tokens); omitted part: get_artifact(id="art_17_x")]\n',
    "a call of ours": 'get_artifact(id="art_abcdef", start_line=1, end_line=9)\n',
    "the name of no artifact": "[art_zzzzzz]\n",
    "art": "[art_deco]\n",
    "a fold of others": "[same x3]\n",
    "a fold in the specification's words": "... [same line 5 more times / 60 chars omitted] ...\n",
    "elements": '["a", "... 5 items omitted ..."]\n',
    "a cleared result, explained": '[cleared at turn 3: make, 9 lines, 1200 chars; back: get_artifact(id="art_x")]\n',
    "statements of a view": "[12 failed tests: a, b, c]\n[by rule: E501 7]\n[3x retry]\n",
    "an address": "postgres://app:${PASSWORD}@db/app\n",
    "a stand-in in an address": "postgres://app:PASSWORD_REDACTED@db/app\n",
    "nothing": "",
    "a link": "[lines](docs/lines.md), 40 chars; rest: nothing\n",
    "quoted": "| [... 5 lines]\n",
}


@every_agent
@pytest.mark.parametrize("text", HONEST)
def test_an_honest_text_is_written(desks: dict[str, tuple[Desk, dict[str, str]]], name: str, text: str) -> None:
    """Issue 24: never a false alarm. The session has been shown marks of every kind, but none of these."""
    assert desks[name][0].stopped(HONEST[text]) == ""


@every_agent
def test_a_mark_that_the_file_held_before_is_no_alarm(desks: dict[str, tuple[Desk, dict[str, str]]], name: str) -> None:
    desk, seen = desks[name]
    path = desk.shell.root / "held.md"
    for way in ("only its gap", "only its first line", "a placeholder", "its reference", "JSON"):
        text = MARKED[way](seen)
        assert desk.stopped(f"new\n{text}", name=path.name)
        path.write_text(f"# Notes\n\n{text}\n")
        assert desk.stopped(f"new\n{text}", name=path.name) == ""
        path.unlink()


@pytest.mark.parametrize("name", [name for name, form in WRITES.items() if form.old])
def test_a_mark_in_the_replaced_text_is_no_alarm(desks: dict[str, tuple[Desk, dict[str, str]]], name: str) -> None:
    form = WRITES[name]
    desk, seen = next(one for one in desks.values() if one[0].form.agent == form.agent)
    gap = mark(seen["log"], GAP)
    assert desk.stopped(f"b\n{gap}\n", before="b\n", form=form)
    assert desk.stopped(f"b\n{gap}\n", before=f"a\n{gap}\n", form=form) == ""


@every_agent
def test_the_sentence_names_the_call_that_fetches_what_is_missing(shell: Shell, name: str) -> None:
    desk = Desk(shell, WRITES[name])
    view = desk.shown(LOG)
    gap = mark(view, GAP)
    reason = desk.stopped(f"a\nb\n{gap}\n")
    assert f"line 3 holds `{gap}`" in reason
    call = re.search(r'get_artifact\(id="(art_\w+)", start_line=(\d+), end_line=(\d+)\)', reason)
    assert call, reason
    shown = ok(
        shell.spill("artifacts", "show", call[1], "--lines", f"{call[2]}-{call[3]}", "--limit", "0", *desk.kept_in)
    ).out
    assert shown in LOG
    assert len(shown.splitlines()) == int(re.findall(r"\d+", gap)[0])


def test_a_secret_of_another_session_is_no_alarm(shell: Shell) -> None:
    """A test of redaction may be written where this session was hidden nothing of the type."""
    desk = Desk(shell, WRITES["claude Write"])
    text = "DB_PASSWORD=[REDACTED: PASSWORD]\n"
    assert desk.stopped(text) == ""
    desk.session, own = "another", desk.session
    desk.shown(SETTINGS)
    desk.session = own
    assert desk.stopped(text) == ""
    desk.shown(f"the file says:\n{text}")
    assert desk.stopped(text) == ""
    desk.shown(SETTINGS)
    assert "a secret that you were not shown" in desk.stopped(text)


def test_what_the_source_itself_spoke_of_is_not_ours(shell: Shell) -> None:
    """A result that holds a placeholder and a secret of another type."""
    desk = Desk(shell, WRITES["claude Write"])
    desk.shown(f"assert hidden == '[REDACTED: PASSWORD]'\nGITHUB_TOKEN={TOKEN}\n")
    assert desk.stopped("DB_PASSWORD=[REDACTED: PASSWORD]\n") == ""
    assert desk.stopped("x = '[REDACTED: API_KEY]'\n")


def test_the_setting_switches_it_off(shell: Shell) -> None:
    desk = Desk(shell, WRITES["claude Write"])
    view = desk.shown(LOG)
    assert desk.stopped(view)
    shell.environ["OVERSPILL_AGENTS__STOP_MARKS"] = "false"
    assert desk.stopped(view) == ""


def nested(key: str, edits: list[Json]) -> Json:
    event = recorded("claude-code/edit-before")
    event["tool_name"] = key
    event["tool_input"] = {"file_path": "/nowhere/a.txt", "edits": edits}
    return event


def claude_events(cwd: str, text: str) -> Iterator[Json]:
    """Further tools of Claude Code that write."""
    yield nested("MultiEdit", [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": text}])
    book = recorded("claude-code/write-before")
    book["tool_name"] = "NotebookEdit"
    book["tool_input"] = {"notebook_path": f"{cwd}/a.ipynb", "new_source": text, "edit_mode": "insert"}
    yield book


def test_the_other_tools_of_claude_code_are_asked(desks: dict[str, tuple[Desk, dict[str, str]]]) -> None:
    desk, seen = desks["claude Write"]
    for event in claude_events(str(desk.shell.root), seen["log"]):
        event["cwd"] = str(desk.shell.root)
        said = json.loads(desk.shell.hooked("claude-code", json.dumps(event)))
        assert "Nothing was written" in str(at(said, *WRITES["claude Write"].denied))


class Sent(NamedTuple):
    """An event, and whether it is answered without a look at it."""

    event: Json
    plain: bool


EVENTS = {
    "a file": Sent({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"content": "[1]"}}, True),
    "a mark": Sent(
        {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"content": "[... 1 ln]"}}, False
    ),
    "a command": Sent({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}, False),
    "a result": Sent({"hook_event_name": "PostToolUse", "tool_response": {"hook_event_name": "PreToolUse"}}, False),
    "a result of Copilot": Sent({"toolName": "x", "toolArgs": {}, "toolResult": {"textResultForLlm": "a"}}, False),
    "a file of Copilot": Sent({"toolName": "create", "toolArgs": {"file_text": "a"}}, True),
    "a file of Gemini": Sent({"hook_event_name": "BeforeTool", "tool_input": {"content": "a"}}, True),
    "a file of Cursor": Sent({"hook_event_name": "preToolUse", "tool_input": {"content": "a"}}, True),
    "a mark in Cursor": Sent({"hook_event_name": "preToolUse", "tool_input": {"content": "[... 1 ln]"}}, False),
    "a result of Cursor": Sent({"hook_event_name": "postToolUse", "tool_output": '"preToolUse"'}, False),
    "a file in VS Code": Sent({"hookEventName": "PreToolUse", "tool_input": {"content": "a"}}, True),
    "a result of Gemini": Sent(
        {"hook_event_name": "AfterTool", "tool_response": {"llmContent": '"BeforeTool"'}}, False
    ),
}


@pytest.mark.parametrize("sent", EVENTS.values(), ids=list(EVENTS))
def test_only_a_plain_write_is_answered_without_a_look(sent: Sent) -> None:
    """A result that speaks of such events must not pass for one."""
    assert is_plain_write(json.dumps(sent.event).encode()) is sent.plain


def test_a_write_that_cannot_be_looked_at_is_not_stopped(tmp_path: Path) -> None:
    """There is nothing to withhold before a run."""
    shell = Shell(tmp_path)
    for name in FIRST:
        form = WRITES[name]
        event = json.dumps(form.event(shell.root, shell.root / "a", "[... 5 lines]"))[:-1] + ', "x": [[['
        assert at(json.loads(ok(shell.spill("hook", form.agent, stdin=event, root=False)).out), *form.denied) is None
