"""A server of a language model is asked in its protocol, waited for in bounds, and believed only what can be."""

from __future__ import annotations

import logging
import socket
import time
import traceback
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

import pytest
from pydantic import SecretStr, ValidationError

from graph_memory import Settings
from graph_memory.chat import ModelUnavailable, Reply, chat_model
from graph_memory.chat.protocols import ANTHROPIC, OPENAI
from graph_memory.chat.remote import RemoteModel
from graph_memory.provider.client import RetryDelays, Service
from model_server import Fault, ModelServer, model_server

pytestmark = pytest.mark.anyio

KEY = "sk-very-secret"
QUICK = RetryDelays(pauses=(0.01, 0.01), max_delay=2.0)
DIALECTS = {"openai": OPENAI, "ollama": OPENAI, "anthropic": ANTHROPIC}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@asynccontextmanager
async def client(
    url: str, *, provider: str = "openai", key: str = KEY, needs_key: bool = False, seconds: float = 60
) -> AsyncGenerator[RemoteModel]:
    service = Service(
        provider=provider,
        model="m",
        url=url,
        key=SecretStr(key),
        needs_key=needs_key,
        timeout=seconds,
        login="x-api-key" if provider == "anthropic" else "bearer",
    )
    opened = RemoteModel(service, DIALECTS[provider], patience=QUICK)
    try:
        yield opened
    finally:
        await opened.aclose()


async def test_openais_protocol_is_spoken_to_openai_and_ollama(server: ModelServer):
    server.says = lambda text: f" You said {text}. "
    async with client(server.url) as model:
        assert await model.reply("Be kind.", "hello") == Reply("You said hello.")
        assert model.name == "openai/m"
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hello"}]
    assert server.requests == [{"path": "/v1/chat/completions", "model": "m", "messages": messages, "stream": False}]
    assert server.keys == [f"Bearer {KEY}"]


async def test_anthropics_protocol_is_spoken_to_anthropic(server: ModelServer):
    server.says = lambda text: f"You said {text}."
    async with client(server.url, provider="anthropic") as model:
        assert await model.reply("Be kind.", "hello") == Reply("You said hello.")
    [results] = server.requests
    assert results == {
        "path": "/v1/messages",
        "model": "m",
        "max_tokens": 4_096,
        "system": "Be kind.",
        "messages": [{"role": "user", "content": "hello"}],
    }
    assert server.keys == [None]
    assert server.logins == [{"x-api-key": KEY, "anthropic-version": "2023-06-01"}]


async def test_the_same_question_is_asked_once(server: ModelServer):
    async with client(server.url) as model:
        first = await model.reply("s", "t")
        assert await model.reply("s", "t") == first
        await model.reply("s", "u")
    assert len(server.requests) == 2


CUT = {
    "openai": b'{"choices": [{"message": {"content": "It is"}, "finish_reason": "length"}]}',
    "anthropic": b'{"content": [{"type": "text", "text": "It is"}], "stop_reason": "max_tokens"}',
}


@pytest.mark.parametrize("provider", CUT)
async def test_an_answer_that_has_no_room_says_so(server: ModelServer, provider: str):
    server.faults.append(Fault(body=CUT[provider]))
    async with client(server.url, provider=provider) as model:
        assert await model.reply("s", "t") == Reply("It is", is_cut=True)


async def test_what_a_model_thinks_is_no_answer(server: ModelServer):
    body = b'{"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes."}]}'
    server.faults.append(Fault(body=body))
    async with client(server.url, provider="anthropic") as model:
        assert await model.reply("s", "t") == Reply("Yes.")


PASSING = {
    "too many requests": Fault(429, {"Retry-After": "0"}, b'{"error": {"message": "slow down"}}'),
    "a fault of the server": Fault(500, body=b"oops"),
    "overloaded": Fault(529, body=b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'),
    "a connection that is cut": Fault(cut_after=5),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
async def test_what_may_pass_is_tried_again_and_given_up_in_the_end(server: ModelServer, fault: Fault):
    server.faults.extend([fault, fault])
    async with client(server.url) as model:
        assert (await model.reply("s", "t")).text
        assert len(server.requests) == 3
        server.always = fault
        with pytest.raises(ModelUnavailable, match="openai/m at http") as failure:
            await model.reply("s", "u")
    assert len(server.requests) == 6
    assert "GRAPH_MEMORY_MODEL_URL" in failure.value.hint


async def test_a_server_that_asks_for_a_long_wait_is_given_up(server: ModelServer):
    server.always = Fault(429, {"Retry-After": "3600"})
    async with client(server.url) as model:
        with pytest.raises(ModelUnavailable, match="429"):
            await model.reply("s", "t")
    assert len(server.requests) == 1


async def test_all_tries_together_have_the_time_of_one_answer(server: ModelServer):
    server.always = Fault(wait=60.0)
    async with client(server.url, seconds=0.5) as model:
        begun = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"within 0\.5 s") as failure:
            await model.reply("s", "t")
        assert 0.5 <= time.monotonic() - begun < 20
    assert len(server.requests) == 1
    assert "GRAPH_MEMORY_MODEL_TIMEOUT" in failure.value.hint


async def test_nobody_at_the_address_is_said_with_what_to_do():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    async with client(f"http://127.0.0.1:{port}/v1", provider="ollama") as model:
        with pytest.raises(ModelUnavailable, match="cannot be reached") as failure:
            await model.reply("s", "t")
    assert "Start Ollama" in failure.value.hint


RUBBISH = {
    "JSON that stops": b'{"choices": [{"mess',
    "no JSON": b"<html>hello</html>",
    "nothing": b"",
    "JSON of something else": b'{"data": []}',
    "no choice": b'{"choices": [], "content": []}',
    "no words": b'{"choices": [{"message": {"content": null}}], "content": [{"type": "text", "text": " "}]}',
    "a number": b'{"choices": [{"message": {"content": 7}}], "content": 7}',
}


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("body", RUBBISH.values(), ids=RUBBISH)
async def test_rubbish_is_refused_at_once_and_not_remembered(server: ModelServer, body: bytes, provider: str):
    server.faults.append(Fault(body=body))
    async with client(server.url, provider=provider) as model:
        with pytest.raises(ModelUnavailable, match="sent") as failure:
            await model.reply("s", "t")
        assert "GRAPH_MEMORY_MODEL_NAME" in failure.value.hint
        assert len(server.requests) == 1
        assert (await model.reply("s", "t")).text


@pytest.mark.parametrize(
    ("status", "provider", "needs_key", "hint"),
    [
        (401, "openai", True, "GRAPH_MEMORY_MODEL_API_KEY or OPENAI_API_KEY"),
        (403, "anthropic", True, "GRAPH_MEMORY_MODEL_API_KEY or ANTHROPIC_API_KEY"),
        (401, "openai", False, "GRAPH_MEMORY_MODEL_API_KEY to a key"),
        (404, "ollama", False, "ollama pull m"),
        (404, "openai", False, "GRAPH_MEMORY_MODEL_NAME"),
    ],
)
async def test_a_refusal_says_what_to_do(server: ModelServer, status: int, provider: str, needs_key: bool, hint: str):
    server.faults.append(Fault(status, body=b'{"error": {"message": "no"}}'))
    async with client(server.url, provider=provider, needs_key=needs_key) as model:
        with pytest.raises(ModelUnavailable, match=f"{status}: no") as failure:
            await model.reply("s", "t")
    assert hint in failure.value.hint
    assert len(server.requests) == 1


async def test_nobody_is_asked_without_the_key_that_is_needed(server: ModelServer):
    async with client(server.url, provider="anthropic", key="", needs_key=True) as model:
        with pytest.raises(ModelUnavailable, match="needs an API key"):
            await model.reply("s", "t")
    assert server.requests == []


async def test_the_key_is_in_no_message_log_or_trace(server: ModelServer, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    data = f'{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}'.encode()
    server.faults.extend([Fault(500, body=data), Fault(401, body=data)])
    async with client(server.url, provider="anthropic") as model:
        with pytest.raises(ModelUnavailable) as failure:
            await model.reply("s", "t")
        shown = [repr(model), repr(model._service), failure.value.message, failure.value.hint, caplog.text]
    for text in (*shown, "".join(traceback.format_exception(failure.value))):
        assert KEY not in text


# The settings


def service(**arguments: str) -> Service:
    model = chat_model(Settings.model_validate(arguments))
    assert isinstance(model, RemoteModel)
    return model._service


def test_without_a_setting_there_is_no_model():
    assert chat_model(Settings()) is None


def test_a_provider_has_its_usual_address_and_model():
    services = [service(model=text) for text in ("ollama", "openai", "anthropic")]
    assert [(service.url, service.model, service.login) for service in services] == [
        ("http://localhost:11434/v1", "llama3.2", "bearer"),
        ("https://api.openai.com/v1", "gpt-5-mini", "bearer"),
        ("https://api.anthropic.com/v1", "claude-haiku-4-5", "x-api-key"),
    ]
    other = service(model="openai", model_url="https://host/v1/", model_name="own")
    assert (other.url, other.model, other.needs_key) == ("https://host/v1", "own", False)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"model": "openai"}, "theirs"),
        ({"model": "anthropic"}, "claude"),
        ({"model": "openai", "model_api_key": "own\n"}, "own"),
        ({"model": "openai", "model_url": "https://elsewhere/v1"}, ""),
        ({"model": "anthropic", "model_url": "http://api.anthropic.com/v1"}, ""),
        ({"model": "ollama"}, ""),
        ({"model": "ollama", "model_url": "https://api.openai.com/v1"}, ""),
    ],
)
def test_the_key_of_a_provider_goes_to_it_alone(arguments: dict[str, str], key: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "claude")
    assert service(**arguments).key.get_secret_value() == key


@pytest.mark.parametrize(
    ("setting", "value"),
    [("model", "cloud"), ("model_name", "m"), ("model_url", "ftp://host"), ("model_timeout", "0")],
)
def test_a_setting_that_cannot_be_is_refused_by_its_name(setting: str, value: str):
    with pytest.raises(ValidationError, match=setting):
        Settings.model_validate({setting: value})
