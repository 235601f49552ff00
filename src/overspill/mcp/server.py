"""An MCP server for what is kept: three tools and the artifacts as resources, in both eras of the protocol.

Until 2025-11-25 a session begins with a handshake; from 2026-07-28 on every request carries the
version in its `_meta`, and results say what they are. The methods are the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from overspill._lite import TYPE_CHECKING
from overspill.errors import OverspillError
from overspill.mcp import (
    HANDSHAKE,
    MODERN,
    Json,
    Oversize,
    Toolbox,
    decode_message,
    encode_message,
    error_response,
    for_protocol_era,
    request_version,
    result_response,
)
from overspill.retrieve.tools import NOT_FOUND, Tool, get_artifact
from overspill.version import __version__

if TYPE_CHECKING:
    from overspill.api import Overspill
    from overspill.core.report import Artifact

SERVER_KEY = "io.modelcontextprotocol/serverInfo"

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMETERS, FAILURE = -32700, -32600, -32601, -32602, -32603
NO_RESOURCE, OTHER_VERSION = -32002, -32022

CAPABILITIES: dict[str, dict[str, bool]] = {"tools": {}, "resources": {}}
IDENTITY = {"name": "overspill", "title": "Overspill", "version": __version__}
INSTRUCTIONS = (
    "Tool results that were too long for the context were shortened, and the whole text is kept here. Where a result "
    "says `[... N lines]`, or `... [N lines / M chars omitted] ...`, and names an id (art_...), call get_artifact with "
    "the range it names, or search_artifacts to find something in it, instead of running the command again."
)
SCHEME = "artifact://"
RESOURCES_A_PAGE = 50
CURSOR = re.compile(r"[0-9]{1,18}")

Method = Callable[["Server", Json], Json]


class BadRequest(Exception):
    """A request that cannot be answered, and the code that says why."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


class Server:
    """Answers messages. It knows nothing of where they come from."""

    def __init__(self, spill: Overspill, more: Sequence[Tool] = ()) -> None:
        self.spill = spill
        self.toolbox = Toolbox(spill, more)

    def answer_frame(self, frame: bytes | Oversize) -> bytes | None:
        """The answer to a frame; None where there is nothing to say."""
        if isinstance(frame, Oversize):
            return encode_message(
                error_response(None, INVALID_REQUEST, f"a message of {frame.size} bytes is longer than is read")
            )
        try:
            message = decode_message(frame)
        except ValueError:
            return encode_message(error_response(None, PARSE_ERROR, "this is no JSON"))
        if isinstance(message, list):
            answers = [said for said in map(self.message, message) if said is not None]
            return encode_message(answers) if answers else None
        said = self.message(message)
        return None if said is None else encode_message(said)

    def message(self, message: object) -> Json | None:
        """The answer to a message."""
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            is_response = isinstance(message, dict) and ("result" in message or "error" in message)
            return None if is_response else error_response(None, INVALID_REQUEST, "this is no request")
        if "id" not in message:
            return None
        request = message["id"]
        try:
            return result_response(request, self._method_result(message["method"], message.get("params")))
        except BadRequest as error:
            return error_response(request, error.code, str(error), error.data)
        except OverspillError as error:
            return error_response(request, FAILURE, self.spill.workspace.redacted_text(str(error)))
        except Exception as error:  # noqa: BLE001  # one bad request must not end the session of the others
            return error_response(request, FAILURE, f"{type(error).__name__}: this is our fault")

    def _method_result(self, method: str, given: object) -> Json:
        parameters = given if isinstance(given, dict) else {}
        version = request_version(parameters)
        if version is not None and version not in MODERN:
            data = {"supported": [*MODERN, *HANDSHAKE], "requested": version}
            raise BadRequest(OTHER_VERSION, f"no such version of the protocol here: {str(version)[:40]}", data)
        self.toolbox.note_client(parameters)
        work = METHODS.get(method)
        if work is None:
            raise BadRequest(NO_METHOD, f"no such method here: {method[:100]}")
        return for_protocol_era(work(self, parameters), parameters, cached=method in CACHED)

    def initialize(self, parameters: Json) -> Json:
        """Agree on a version: the client's, if we know it."""
        wanted = parameters.get("protocolVersion")
        version = wanted if wanted in HANDSHAKE else HANDSHAKE[-1]
        about = {"capabilities": CAPABILITIES, "serverInfo": IDENTITY, "instructions": INSTRUCTIONS}
        return {"protocolVersion": version, **about}

    def discover(self, _parameters: Json) -> Json:
        """What the newer era asks instead."""
        about = {"capabilities": CAPABILITIES, "instructions": INSTRUCTIONS, "_meta": {SERVER_KEY: IDENTITY}}
        return {"supportedVersions": [*MODERN, *HANDSHAKE], **about}

    def ping(self, _parameters: Json) -> Json:
        """Still here."""
        return {}

    def list_tools(self, _parameters: Json) -> Json:
        """The tools, all on one page."""
        described = self.toolbox.descriptions()
        self.toolbox.tell_cost(described, INSTRUCTIONS)
        return {"tools": described}

    def call_tool(self, parameters: Json) -> Json:
        """Call one of them."""
        name = str(parameters.get("name", ""))
        if not self.toolbox.has(name):
            raise BadRequest(INVALID_PARAMETERS, f"no such tool here: {name[:100]}")
        return self.toolbox.call(name, parameters)

    def list_resources(self, parameters: Json) -> Json:
        """The artifacts, newest first, a page at a time."""
        cursor = parameters.get("cursor", "0")
        if not (isinstance(cursor, str) and CURSOR.fullmatch(cursor)):
            raise BadRequest(INVALID_PARAMETERS, "no such cursor; begin without one")
        at = int(cursor)
        artifacts, total = self.spill.store.page(RESOURCES_A_PAGE, at)[:2]
        result: Json = {"resources": [_resource(artifact) for artifact in artifacts]}
        return {**result, "nextCursor": str(at + RESOURCES_A_PAGE)} if at + RESOURCES_A_PAGE < total else result

    def list_templates(self, _parameters: Json) -> Json:
        """How an artifact is addressed."""
        about = "The text of an artifact, as far as one page of it goes; get_artifact fetches any part of it."
        return {"resourceTemplates": [{"uriTemplate": f"{SCHEME}{{id}}", "name": "artifact", "description": about}]}

    def read_resource(self, parameters: Json) -> Json:
        """The first page of an artifact."""
        uri = parameters.get("uri")
        if not isinstance(uri, str) or not uri.startswith(SCHEME):
            raise BadRequest(INVALID_PARAMETERS, "an address like artifact://art_... is needed")
        found = get_artifact(self.spill, {"id": uri.removeprefix(SCHEME)})
        if found.is_error:
            code = NO_RESOURCE if found.status == NOT_FOUND else INVALID_PARAMETERS
            raise BadRequest(code, found.content, {"uri": uri[:200]})
        said = [words for words in (found.content, found.note if found.next else "") if words]
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": words} for words in said]}


METHODS: dict[str, Method] = {
    "initialize": Server.initialize,
    "server/discover": Server.discover,
    "ping": Server.ping,
    "tools/list": Server.list_tools,
    "tools/call": Server.call_tool,
    "resources/list": Server.list_resources,
    "resources/templates/list": Server.list_templates,
    "resources/read": Server.read_resource,
}
CACHED = {"server/discover", "tools/list", "resources/list", "resources/templates/list", "resources/read"}


def _resource(artifact: Artifact) -> Json:
    name = artifact.source or artifact.source_tool or artifact.id
    return {
        "uri": SCHEME + artifact.id,
        "name": name,
        "mimeType": artifact.content_type or "text/plain",
        "size": artifact.size.bytes,
    }
