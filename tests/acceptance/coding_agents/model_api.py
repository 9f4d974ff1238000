"""A stand-in for the APIs of Anthropic, OpenAI and Gemini. It streams the replies of a script."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from http.server import BaseHTTPRequestHandler
from itertools import count
from typing import Any, ClassVar

from local_http import answering

Object = Mapping[str, Any]
Step = Callable[[Object], Sequence[Object]]
"""Returns the blocks of the reply to a request, as the Messages API writes them."""


def says(text: str) -> Step:
    """Return a step that ends the turn with the text."""
    return lambda _: [{"type": "text", "text": text}]


def calls(tool: str, **arguments: Any) -> Step:
    """Return a step that calls the tool."""
    return lambda _: [{"type": "tool_use", "name": tool, "input": arguments}]


@dataclass
class ModelApi:
    """The requests of the main conversation, and the next replies to it."""

    url: str = ""
    requests: list[Object] = field(default_factory=list[Object])
    script: deque[Step] = field(default_factory=deque[Step])
    ids: Iterator[int] = field(default_factory=count)

    def reply(self, request: Object) -> Sequence[Object]:
        """Return the next blocks of the script. Requests without tools, as for a title, are not part of it."""
        if not request.get("tools"):
            return says("Opening hours")(request)
        self.requests.append(request)
        step = self.script.popleft() if self.script else says("The script has ended.")
        return step(request)


def text_of(request: Object) -> str:
    """Return all texts and results of tools in the messages of a request. Gemini CLI escapes what hooks add."""
    return unescape(
        "\n".join(_texts([item for key in ("messages", "input", "contents") for item in request.get(key, ())]))
    )


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            keys = ("text", "content", "output", "parts", "functionResponse", "response")
            yield from _texts([value[key] for key in keys if key in value])
        case _:
            pass


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: ClassVar[ModelApi]

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        streams = {"messages": _message_events, "responses": _response_events, "streamGenerateContent": _content_chunks}
        if (stream := streams.get(re.split("[/:]", self.path.partition("?")[0])[-1])) is None:
            self.do_GET()
            return
        events = stream(self.served.reply(request), self.served.ids)
        self._send(200, "text/event-stream", "".join(map(_server_sent, events)).encode())

    def do_GET(self) -> None:
        self._send(404, "application/json", b"{}")

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet."""


def _server_sent(event: Object) -> str:
    """Return the event as a server-sent event. The events of Gemini have no type."""
    head = f"event: {event['type']}\n" if "type" in event else ""
    return f"{head}data: {json.dumps(event)}\n\n"


def _message_events(blocks: Sequence[Object], ids: Iterator[int]) -> Iterator[Object]:
    """Yield the events of a streamed message of Anthropic."""
    usage = {"input_tokens": 10, "output_tokens": 10}
    message = {"id": f"msg_{next(ids)}", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    yield {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}}
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "id": f"toolu_{next(ids)}", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    yield {"type": "message_stop"}


def _response_events(blocks: Sequence[Object], ids: Iterator[int]) -> Iterator[Object]:
    """Yield the events of a streamed response of OpenAI."""
    response = {"id": f"resp_{next(ids)}"}
    yield {"type": "response.created", "response": response}
    for block in blocks:
        if block["type"] == "text":
            content = [{"type": "output_text", "text": block["text"]}]
            item: Object = {"type": "message", "role": "assistant", "id": f"msg_{next(ids)}", "content": content}
        else:
            namespace, _, name = block["name"].rpartition("/")
            item = {"type": "function_call", "call_id": f"call_{next(ids)}", "name": name}
            item |= {"arguments": json.dumps(block["input"]), **({"namespace": namespace} if namespace else {})}
        yield {"type": "response.output_item.done", "item": item}
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20}
    details = {"input_tokens_details": None, "output_tokens_details": None}
    yield {"type": "response.completed", "response": {**response, "usage": {**usage, **details}}}


def _content_chunks(blocks: Sequence[Object], _: Iterator[int]) -> Iterator[Object]:
    """Yield the only chunk of a streamed content of Gemini."""
    parts = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"functionCall": {"name": block["name"], "args": block["input"]}}
        for block in blocks
    ]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
    yield {"candidates": [candidate], "usageMetadata": usage}


@contextmanager
def model_api() -> Iterator[ModelApi]:
    """Yield a server that runs as long as the block."""
    served = ModelApi()
    with answering(type("Handler", (_Handler,), {"served": served})) as served.url:
        yield served
