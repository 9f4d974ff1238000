"""A server of OpenAI's embeddings protocol is asked in batches, and believed only what can be."""

from __future__ import annotations

import gzip
import logging
import math
import socket
import time
import traceback
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr

from graph_memory.embedding import EmbeddingUnavailable, remote
from graph_memory.embedding.remote import BATCH_TEXTS, RemoteEmbedder, RetryDelays, Service
from graph_memory.embedding.texts import normalise
from model_server import DIMENSIONS, Fault, Item, ModelServer, model_server, vector_of

pytestmark = pytest.mark.anyio

KEY = "sk-very-secret"
QUICK = RetryDelays(pauses=(0.01, 0.01, 0.01), max_delay=2.0)
ONCE = RetryDelays(pauses=(0.01,), max_delay=0.5)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@asynccontextmanager
async def client(
    url: str,
    *,
    provider: str = "openai",
    model: str = "m",
    key: str = KEY,
    needs_key: bool = False,
    seconds: float = 60,
) -> AsyncGenerator[RemoteEmbedder]:
    service = Service(provider=provider, model=model, url=url, key=SecretStr(key), needs_key=needs_key, timeout=seconds)
    opened = RemoteEmbedder(service, for_passages=QUICK, for_queries=ONCE)
    try:
        yield opened
    finally:
        await opened.aclose()


async def test_vectors_come_in_the_order_of_the_texts_with_the_length_1(server: ModelServer):
    texts = ["one", "a longer one", "", "two", "🙂", "one"]
    async with client(server.url) as model:
        assert model.dimensions is None
        results = await model.passages(texts)
        assert await model.query("two") == results[3]
        assert (model.model, model.dimensions) == ("openai/m", DIMENSIONS)
        assert await model.passages([]) == []
    assert results == [normalise(vector_of(text or " ")) for text in texts]
    assert len(server.requests) == 2
    assert server.requests[1] == {"path": "/v1/embeddings", "model": "m", "input": ["two"], "encoding_format": "float"}
    assert server.keys == [f"Bearer {KEY}"] * 2


async def test_many_texts_go_in_bounded_batches(server: ModelServer):
    texts = [f"{number} " + "x" * (number % 7) for number in range(150)] + ["long " * 5_000] * 40
    async with client(server.url) as model:
        results = await model.passages(texts)
    assert results[:150] == [normalise(vector_of(text)) for text in texts[:150]]
    assert max(len(request["input"]) for request in server.requests) <= BATCH_TEXTS
    assert max(sum(map(len, request["input"])) for request in server.requests) <= remote.BATCH_BYTES
    assert sum(len(request["input"]) for request in server.requests) == 190


async def test_a_reply_in_another_order_is_put_right_by_its_index(server: ModelServer):
    server.faults.append(Fault(items=lambda items: items[::-1]))
    async with client(server.url) as model:
        assert await model.passages(["aa", "bb", "cc"]) == [normalise(vector_of(text)) for text in ("aa", "bb", "cc")]


@pytest.mark.parametrize(
    ("model", "prefixed"), [("nomic-embed-text", True), ("nomic-embed-text:v1.5", True), ("m", False)]
)
async def test_a_model_reads_the_prefixes_that_it_was_trained_with(server: ModelServer, model: str, prefixed: bool):
    async with client(server.url, provider="ollama", model=model, key="") as embedder:
        await embedder.passages(["text"])
        await embedder.query("text")
    sent = [request["input"] for request in server.requests]
    assert sent == ([["search_document: text"], ["search_query: text"]] if prefixed else [["text"], ["text"]])
    assert server.keys == [None, None]


# What passes


PASSING = {
    "too many requests": Fault(429, {"Retry-After": "0"}, b'{"error": {"message": "slow down"}}'),
    "a fault of the server": Fault(500, body=b"oops"),
    "starting up": Fault(503, body=b""),
    "a connection that is cut": Fault(cut_after=20),
    "a connection that is cut before an answer": Fault(cut_after=0),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
async def test_what_may_pass_is_tried_again(server: ModelServer, fault: Fault):
    server.faults.extend([fault, fault])
    async with client(server.url) as model:
        assert await model.passages(["a"]) == [normalise(vector_of("a"))]
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
async def test_what_does_not_pass_is_given_up(server: ModelServer, fault: Fault):
    server.always = fault
    async with client(server.url) as model:
        with pytest.raises(EmbeddingUnavailable, match=server.url):
            await model.passages(["a"])
        assert len(server.requests) == 1 + len(QUICK.pauses)


async def test_a_server_is_tried_again_no_earlier_than_it_asks(server: ModelServer):
    server.faults.append(Fault(429, {"Retry-After": "1"}))
    async with client(server.url) as model:
        begun = time.monotonic()
        await model.passages(["a"])
        assert time.monotonic() - begun >= 1


@pytest.mark.parametrize("after", ["3600", "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_a_server_that_asks_for_a_long_wait_is_given_up(server: ModelServer, after: str):
    server.always = Fault(429, {"Retry-After": after})
    async with client(server.url) as model:
        with pytest.raises(EmbeddingUnavailable, match="429"):
            await model.passages(["a"])
    assert len(server.requests) == 1


@pytest.mark.parametrize("after", ["soon", "", "nan", "inf", "-5", "Fri, 31 Dec 1999 23:59:59 GMT", "Fri, 31 Dec 1999"])
async def test_a_wait_that_is_none_is_no_obstacle(server: ModelServer, after: str):
    server.faults.append(Fault(503, {"Retry-After": after}))
    async with client(server.url) as model:
        assert await model.passages(["a"])


async def test_a_slow_server_is_given_up_in_time(server: ModelServer):
    server.always = Fault(wait=60.0)
    async with client(server.url, seconds=0.5) as model:
        begun = time.monotonic()
        with pytest.raises(EmbeddingUnavailable, match=r"within 0\.5 s"):
            await model.query("a")
        assert 1.0 <= time.monotonic() - begun < 30  # twice


async def test_nobody_at_the_address_is_said_with_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for provider, hint in (("ollama", "Start Ollama"), ("openai", "Check that")):
        async with client(f"http://127.0.0.1:{port}/v1", provider=provider) as model:
            with pytest.raises(EmbeddingUnavailable, match="cannot be reached") as failure:
                await model.passages(["a"])
        assert hint in failure.value.hint


async def test_no_proxy_is_asked_for_a_server_on_this_machine(server: ModelServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    async with client(server.url) as model:
        assert await model.query("a") == normalise(vector_of("a"))


async def test_queries_do_not_wait_each_for_a_server_that_is_silent(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
):
    server.always = Fault(503)
    async with client(server.url) as model:
        for _ in range(3):
            with pytest.raises(EmbeddingUnavailable, match="503"):
                await model.query("a")
        assert len(server.requests) == 2
        server.always = None
        await model.passages(["a"])  # which are patient, so they find that it is back
        assert await model.query("a")
        server.always = Fault(503)
        monkeypatch.setattr(remote, "PAUSE_SECONDS", 0.05)
        with pytest.raises(EmbeddingUnavailable):
            await model.query("b")
        server.always = None
        time.sleep(0.06)  # noqa: ASYNC251 - nothing else runs
        assert await model.query("b")


# What is refused


def with_last_vector(change: dict[str, object]) -> Fault:
    """Return a reply whose last vector is otherwise than it should be."""
    return Fault(items=lambda items: [*items[:-1], {**items[-1], **change}])


def without_index(items: list[Item]) -> object:
    return [{"embedding": item["embedding"]} for item in items]


RUBBISH = {
    "JSON that stops": Fault(body=b'{"data": [{"index": 0, "embed'),
    "no JSON": Fault(body=b"<html>hello</html>"),
    "nothing": Fault(body=b""),
    "JSON of something else": Fault(body=b'{"embeddings": [[1, 2]]}'),
    "a list": Fault(body=b"[]"),
    "bytes that are no gzip": Fault(headers={"Content-Encoding": "gzip"}, body=b"not gzip"),
    "too few vectors": Fault(items=lambda items: items[1:]),
    "too many vectors": Fault(items=lambda items: [*items, {**items[0], "index": 3}]),
    "no vectors": Fault(items=lambda _: []),
    "one index twice": with_last_vector({"index": 0}),
    "an index too high": with_last_vector({"index": 7}),
    "no index": Fault(items=without_index),
    "other dimensions": with_last_vector({"embedding": [1.0, 2.0]}),
    "no dimensions": Fault(items=lambda items: [{**item, "embedding": []} for item in items]),
    "NaN": with_last_vector({"embedding": [math.nan] * DIMENSIONS}),
    "infinity": with_last_vector({"embedding": [math.inf] * DIMENSIONS}),
    "zeros": with_last_vector({"embedding": [0] * DIMENSIONS}),
    "text": with_last_vector({"embedding": ["1"] * DIMENSIONS}),
    "null": with_last_vector({"embedding": None}),
    "another place": Fault(307, {"Location": "http://127.0.0.1:1/"}),
}


@pytest.mark.parametrize("fault", RUBBISH.values(), ids=RUBBISH)
async def test_rubbish_is_refused_at_once_and_changes_nothing(server: ModelServer, fault: Fault):
    server.faults.append(fault)
    async with client(server.url) as model:
        with pytest.raises(EmbeddingUnavailable, match="openai/m at http") as failure:
            await model.passages(["a", "b", "c"])
        assert "GRAPH_MEMORY_EMBEDDING_URL" in failure.value.hint
        assert len(server.requests) == 1
        assert await model.query("d")  # the server is believed again at once


async def test_a_model_that_changes_its_dimensions_is_refused(server: ModelServer):
    async with client(server.url) as model:
        await model.query("a")
        server.faults.append(Fault(items=lambda items: [{**item, "embedding": [1.0, 2.0]} for item in items]))
        with pytest.raises(EmbeddingUnavailable, match="2 dimensions instead of 8"):
            await model.passages(["a"])
        assert model.dimensions == DIMENSIONS


async def test_a_compressed_reply_is_read(server: ModelServer):
    body = gzip.compress(b'{"data": [{"index": 0, "embedding": [3, 4]}]}')
    server.faults.append(Fault(headers={"Content-Encoding": "gzip"}, body=body))
    async with client(server.url) as model:
        assert await model.query("a") == [0.6, 0.8]


@pytest.mark.parametrize(
    ("status", "text", "provider", "hint"),
    [
        (401, '{"error": {"message": "Incorrect API key"}}', "openai", "GRAPH_MEMORY_EMBEDDING_API_KEY"),
        (403, '{"error": "no"}', "ollama", "GRAPH_MEMORY_EMBEDDING_API_KEY"),
        (404, '{"error": {"message": "model not found"}}', "ollama", "ollama pull m"),
        (404, '{"error": {"message": "no such model"}}', "openai", "GRAPH_MEMORY_EMBEDDING_MODEL"),
        (400, '{"error": {"code": 1}}', "openai", "GRAPH_MEMORY_EMBEDDING_MODEL"),
        (405, "<html>", "openai", "GRAPH_MEMORY_EMBEDDING_URL"),
    ],
)
async def test_a_refusal_says_what_to_do(server: ModelServer, status: int, text: str, provider: str, hint: str):
    server.faults.append(Fault(status, body=text.encode()))
    async with client(server.url, provider=provider) as model:
        with pytest.raises(EmbeddingUnavailable, match=str(status)) as failure:
            await model.passages(["a"])
    assert hint in failure.value.hint
    assert len(server.requests) == 1


async def test_openai_is_not_asked_without_a_key(server: ModelServer):
    async with client(server.url, key="", needs_key=True) as model:
        with pytest.raises(EmbeddingUnavailable, match="needs an API key") as failure:
            await model.query("a")
    assert "OPENAI_API_KEY" in failure.value.hint
    assert server.requests == []


# The key


@pytest.mark.parametrize("key", [KEY, "sk-broken\nin two", "sk-ünïcode", "sk-\x00"])
async def test_the_key_is_in_no_message_log_or_trace(server: ModelServer, key: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    data = f'{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}'.encode()
    server.faults.extend([Fault(500, body=data), Fault(401, body=data)])
    async with client(server.url, key=key) as model:
        with pytest.raises(EmbeddingUnavailable) as failure:
            await model.query("a")
        shown = [repr(model), repr(model._service), failure.value.message, failure.value.hint, caplog.text]
    for text in (*shown, "".join(traceback.format_exception(failure.value))):
        assert key not in text
        assert ascii(key)[1:-1] not in text
    assert server.keys == ([f"Bearer {KEY}"] * 2 if key == KEY else [])


async def test_what_a_server_says_is_shown_briefly(server: ModelServer):
    server.faults.append(Fault(400, body=b'{"error": {"message": "' + b"long \\n " * 5_000 + b'"}}'))
    async with client(server.url) as model:
        with pytest.raises(EmbeddingUnavailable) as failure:
            await model.query("a")
    assert len(failure.value.message) < 300
    assert "\n" not in failure.value.message
