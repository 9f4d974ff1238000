"""A small server on loopback that speaks OpenAI's protocols and Anthropic's, with the faults that a test orders."""

from __future__ import annotations

import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from local_http import answering

DIMENSIONS = 8

Item = dict[str, Any]


def vector_of(text: str) -> list[float]:
    """Return some vector that is always the same for a text."""
    return [byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:DIMENSIONS]]


@dataclass(frozen=True)
class Fault:
    """A fault of one request: another status, other items, other bytes, a wait, or a cut connection."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    items: Callable[[list[Item]], object] = lambda items: items
    wait: float = 0.0
    cut_after: int | None = None


@dataclass
class ModelServer:
    """The requests of the server, and its next faults. Without faults it answers correctly."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    faults: deque[Fault] = field(default_factory=deque)
    always: Fault | None = None
    logins: list[dict[str, str | None]] = field(default_factory=list)
    says: Callable[[str], str] = lambda _: "It is so [a]."
    """The answer of a language model to a text."""

    def next_fault(self) -> Fault:
        return self.always or (self.faults.popleft() if self.faults else Fault())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: ClassVar[ModelServer]

    def do_POST(self) -> None:
        result = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.served.requests.append({"path": self.path, **result})
        self.served.keys.append(self.headers["Authorization"])
        self.served.logins.append({name: self.headers[name] for name in ("x-api-key", "anthropic-version")})
        fault = self.served.next_fault()
        time.sleep(fault.wait)
        reply = self._reply(result, fault)
        body = json.dumps(reply).encode() if fault.body is None else fault.body
        self.send_response(fault.status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **fault.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: fault.cut_after])
        self.close_connection = fault.cut_after is not None

    def _reply(self, request: dict[str, Any], fault: Fault) -> object:
        match self.path:
            case "/v1/chat/completions":
                text = self.served.says(request["messages"][-1]["content"])
                return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
            case "/v1/messages":
                text = self.served.says(request["messages"][-1]["content"])
                return {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
            case _:
                items = [
                    {"object": "embedding", "index": index, "embedding": vector_of(text)}
                    for index, text in enumerate(request["input"])
                ]
                return {"object": "list", "model": request["model"], "data": fault.items(items)}

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet."""


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Give a server that runs as long as the block."""
    served = ModelServer()
    handler = type("Handler", (_Handler,), {"served": served})
    with answering(handler) as url:
        served.url = f"{url}/v1"
        yield served
