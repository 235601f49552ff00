"""Records sessions of real agents for the tests of `spill replay`: `python -m e2e.recording`.

A scripted model runs commands without us and takes names from what they say into its next steps. What the agents wrote
down goes to tests/samples/transcripts, with paths of nobody in particular, and without the agents' own instructions.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from e2e.installing import cache, installed
from e2e.running import Setting, place_in, ran
from e2e.wiring import AGENTS, Agent, Place

SAMPLES = Path(__file__).parent.parent / "samples" / "transcripts"
SURVEY = """import sys
word, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    print(f"{word}_{number:04} took {number * 37 % 1009 + 2000} ms in src/{word}/{number:04}.py")
    if number == count // 2:
        print(f"FAILED tests/test_{word}.py::test_rounding - expected 48213, and it was 48214")
"""
LONGEST_TEXT = 200  # of what is neither a call nor a result

# Of each agent: below which directory of its home it writes, and which of its lines hold calls and results.
WRITTEN: dict[str, tuple[str, Callable[[dict[str, Any]], bool]]] = {
    "claude-code": (".claude/projects", lambda line: line.get("type") in {"user", "assistant"}),
    "codex": (
        ".codex/sessions",
        lambda line: (
            line.get("payload", {}).get("role", "assistant") == "assistant"
            and line.get("type") in {"response_item", "event_msg"}
        ),
    ),
}


def main() -> int:
    """Record each agent that is there."""
    for name in sys.argv[1:] or WRITTEN:
        agent = AGENTS[name]
        setting = Setting(installed([name]), os.path.join(cache(), "runs"), with_us=False, proxied=False)
        with place_in(setting.runs, name) as place:
            place.write("./survey.py", SURVEY)
            steps = [
                agent.shell("python3 survey.py unit 200"),
                agent.shell("python3 survey.py unit 200 | grep unit_0150"),  # stands where a view leaves lines out
                agent.shell("cat tests/test_unit.py"),  # stands in the line that failed
                agent.shell("python3 survey.py part 900; exit 3"),
                agent.shell("wc -l src/part/0003.py"),
            ]
            ran(agent, setting, [*steps, "It is 48213, as src/unit/0150.py says; see test_rounding."], place)
            print(f"{name}: {keep_transcripts(agent, place)}")
    return 0


def keep_transcripts(agent: Agent, place: Place) -> str:
    """Put what the agent wrote down among the samples."""
    below, is_told = WRITTEN[agent.name]
    (written,) = (
        path for path in Path(place.home, below).rglob("*.jsonl") if "survey.py" in path.read_text(encoding="utf-8")
    )
    SAMPLES.mkdir(parents=True, exist_ok=True)
    target = SAMPLES / f"{agent.name}.jsonl"
    lines = []
    for text in written.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        lines.append(json.dumps(line if is_told(line) else shortened(line), ensure_ascii=False))
    target.write_text(nobodys("\n".join(lines) + "\n", place), encoding="utf-8")
    saved = written.with_suffix("") / "tool-results"
    shutil.rmtree(SAMPLES / agent.name, ignore_errors=True)
    for file in sorted(saved.glob("*")) if saved.is_dir() else ():
        copy = SAMPLES / agent.name / "tool-results" / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(nobodys(file.read_text(encoding="utf-8"), place), encoding="utf-8")
    return str(target)


def shortened(value: Any) -> Any:  # noqa: ANN401  # JSON
    """A line without the long texts in it, which are the agent's own."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else ""
    if isinstance(value, list):
        return [shortened(member) for member in value[:5]]
    if isinstance(value, dict):
        return {name: shortened(member) for name, member in value.items()}
    return value


def nobodys(text: str, place: Place) -> str:
    """A text with the paths of somebody's home."""
    for path, name in ((place.project, "/home/me/project"), (place.home, "/home/me")):
        text = text.replace(path, name).replace(
            path.replace("/", "-").replace("_", "-").replace(".", "-"), "-home-me-project"
        )
    return text


if __name__ == "__main__":
    sys.exit(main())
