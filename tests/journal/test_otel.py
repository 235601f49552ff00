"""OpenTelemetry with its real SDK: attributes on the running span, and metrics sent to a receiver in this process."""

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from doors_kit import Shell
from overspill import MemoryStore, Overspill
from overspill.journal.otel import otel_journal

LONG = "a line of some length, as logs have them\n" * 1_000
SECRET = "ghp_" + "B0oAe6Du3jLp5HyC8nRz1VbT7wXm2QsZf9Kf"
WORDS = "customers of Berlin"


class Receiver:
    """What an OTLP collector gets."""

    def __init__(self) -> None:
        self.bodies: dict[str, list[bytes]] = {}
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.bodies.setdefault(self.path, []).append(body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # as http.server spells it
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def spans(self) -> dict[str, dict[str, object]]:
        """The attributes of each span, by its name."""
        found: dict[str, dict[str, object]] = {}
        for body in self.bodies.get("/v1/traces", []):
            request = ExportTraceServiceRequest.FromString(body)
            for resource in request.resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        found[span.name] = {
                            one.key: one.value.string_value or one.value.int_value for one in span.attributes
                        }
        return found

    def points(self) -> dict[str, list[tuple[dict[str, str], float]]]:
        """Labels and value of every point, by the name of its metric; of a histogram the sum."""
        found: dict[str, list[tuple[dict[str, str], float]]] = {}
        for body in self.bodies.get("/v1/metrics", []):
            request = ExportMetricsServiceRequest.FromString(body)
            for resource in request.resource_metrics:
                for scope in resource.scope_metrics:
                    assert scope.scope.name == "overspill"
                    for metric in scope.metrics:
                        for point in [*metric.sum.data_points, *metric.histogram.data_points]:
                            labels = {one.key: one.value.string_value for one in point.attributes}
                            value = point.sum if metric.HasField("histogram") else point.as_int
                            found.setdefault(metric.name, []).append((labels, value))
        return found


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


def tracer_of(receiver: Receiver) -> TracerProvider:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{receiver.url}/v1/traces")))
    return provider


def test_the_span_of_a_tool_says_what_became_of_its_result(receiver: Receiver) -> None:
    """By its attribute or by its name; other spans are left alone, and none is opened."""
    tracer = tracer_of(receiver).get_tracer("an agent")
    spill = Overspill({}, MemoryStore(), preset="agent", on_event=otel_journal(MeterProvider()))
    with tracer.start_as_current_span("chat"):
        spill.fit(LONG, tool="bash")
        with tracer.start_as_current_span("execute_tool bash"):
            view = spill.fit(f"{LONG}GITHUB_TOKEN={SECRET}\n", tool="bash", call_id="call_1")
        with tracer.start_as_current_span("a tool", attributes={"gen_ai.operation.name": "execute_tool"}):
            asyncio.run(spill.afit("short", tool="bash"))
    spans = receiver.spans()
    assert set(spans) == {"chat", "execute_tool bash", "a tool"}
    assert spans["chat"] == {}
    told = spans["execute_tool bash"]
    assert (told["overspill.outcome"], told["overspill.artifact.id"]) == ("truncate", view.artifact_id)
    assert (told["overspill.shown.chars"], told["gen_ai.tool.call.id"]) == (len(view.text), "call_1")
    assert told["overspill.redactions"] == 1
    assert spans["a tool"]["overspill.outcome"] == "pass"


def test_metrics_arrive_at_a_collector(receiver: Receiver) -> None:
    """By the names of the conventions: operation, tool, and the type of an error."""
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(f"{receiver.url}/v1/metrics"), 3_600_000)
    provider = MeterProvider([reader])
    spill = Overspill({}, MemoryStore(), preset="agent", on_event=otel_journal(provider))
    view = spill.fit(f"{LONG}GITHUB_TOKEN={SECRET}\n", tool="bash", is_error=True)
    spill.fit("short", tool="read")
    spill.get(str(view.artifact_id), lines=(1, 10))
    provider.force_flush()
    points = receiver.points()
    labels = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "execute_command",
        "error.type": "tool_error",
    }
    assert ({**labels, "overspill.outcome": "truncate"}, 1) in points["overspill.tool_results"]
    stages = {
        one["overspill.stage"]: tokens
        for one, tokens in points["overspill.tool_result.tokens"]
        if one["gen_ai.tool.name"] == "execute_command"
    }
    assert stages == {"original": float(-(-(len(LONG) + 55) // 4)), "shown": float(-(-len(view.text) // 4))}
    assert ({"overspill.action": "created"}, 1) in points["overspill.artifacts"]
    assert points["overspill.fetched.tokens"] == [({}, 103)]
    assert sum(count for _, count in points["overspill.redactions"]) == 1
    assert all(seconds > 0 for _, seconds in points["overspill.fit.duration"])
    provider.shutdown()


def test_content_is_never_told(receiver: Receiver) -> None:
    """Neither the text, nor a secret in it, nor the command that brought it."""
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(f"{receiver.url}/v1/metrics"), 3_600_000)
    provider = MeterProvider([reader])
    tracer = tracer_of(receiver).get_tracer("an agent")
    spill = Overspill({}, MemoryStore(), preset="agent", on_event=otel_journal(provider))
    with tracer.start_as_current_span("execute_tool bash"):
        spill.fit(f"{WORDS} {SECRET}\n" * 900, tool="bash", source=f"psql -c '{WORDS}'")
    provider.force_flush()
    sent = b"".join(body for bodies in receiver.bodies.values() for body in bodies)
    assert len(receiver.bodies) == 2
    assert WORDS.encode() not in sent
    assert SECRET.encode() not in sent
    provider.shutdown()


INSTRUMENTED = """
import sys
from opentelemetry import metrics
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

metrics.set_meter_provider(MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter(), 3_600_000)]))
from overspill.cli.main import entry

sys.argv = ["spill", *sys.argv[1:]]
entry()
"""
FETCH = (
    '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"get_artifact","arguments":{{"id":"{}"}}}}}}\n'
)


def test_a_server_tells_the_telemetry_that_its_process_set_up(receiver: Receiver, tmp_path: Path) -> None:
    """As `opentelemetry-instrument spill mcp serve` does it; at its end the last figures are sent."""
    shell = Shell(tmp_path)
    kept = shell.put(f"{WORDS}\n" * 100)
    words = [sys.executable, "-c", INSTRUMENTED, "mcp", "serve", "--root", str(shell.root)]
    environ = {**shell.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url}
    done = subprocess.run(
        words, input=FETCH.format(kept), env=environ, capture_output=True, text=True, timeout=60, check=True
    )
    assert WORDS in done.stdout
    points = receiver.points()
    assert points["overspill.artifacts"] == [({"overspill.action": "retrieved"}, 1)]
    assert points["overspill.fetched.tokens"] == [({}, 500)]
    assert WORDS.encode() not in b"".join(receiver.bodies["/v1/metrics"])


@pytest.mark.parametrize("words", [["mcp", "serve"], ["hook", "codex"]])
def test_a_process_that_set_up_nothing_sends_nothing(receiver: Receiver, tmp_path: Path, words: list[str]) -> None:
    """Variables that were meant for the agent are inherited by all it starts: they alone send nothing."""
    shell = Shell(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_METRICS_EXPORTER="otlp")
    event = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": str(shell.root), "tool_response": LONG}
    sent = FETCH.format("art_none") if words[0] == "mcp" else json.dumps(event)
    assert shell.spill(*words, stdin=sent, root=False).status == 0
    assert receiver.bodies == {}


def test_without_an_sdk_nothing_happens() -> None:
    """The interface alone records nothing, and no socket is opened."""
    code = (
        "import sys\n"
        "def watch(event, _):\n"
        "    if event == 'socket.connect': raise SystemExit('a connection')\n"
        "sys.addaudithook(watch)\n"
        "from overspill import MemoryStore, Overspill\n"
        "from overspill.journal.otel import otel_journal\n"
        "print(len(Overspill({}, MemoryStore(), on_event=otel_journal()).fit('x ' * 99_999).text) < 99_999)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"


def test_the_missing_extra_is_named() -> None:
    code = (
        "import sys\n"
        "sys.modules['opentelemetry'] = None\n"
        "from overspill.errors import MissingExtra\n"
        "try:\n"
        "    import overspill.journal.otel\n"
        "except MissingExtra as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "telemetry needs an optional package: pip install 'overspill[otel]'\n"
