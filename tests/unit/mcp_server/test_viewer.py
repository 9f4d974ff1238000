"""The API of the viewer, its logins and its files, on a memory that is not there."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import httpx2
import pytest
from jsonschema import Draft202012Validator
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request

from graph_memory.audit import AuditLog
from graph_memory.mcp_server.access import KeyToken
from graph_memory.mcp_server.control import CallControl, record_rejected_calls
from graph_memory.mcp_server.presets import Auth
from graph_memory.mcp_server.rate_limits import RateLimits
from graph_memory.mcp_server.transport.authentication import Authentication
from graph_memory.mcp_server.transport.http_app import Bodies, Guard
from graph_memory.mcp_server.viewer import change_events, front_end, logins
from graph_memory.mcp_server.viewer.change_events import ChangeEvents
from graph_memory.mcp_server.viewer.gate import VIEW, ViewerGate, cookie_name
from graph_memory.mcp_server.viewer.http_api import HttpApi
from graph_memory.mcp_server.viewer.logins import COOKIE, Logins
from graph_memory.mcp_server.viewer.openapi import describe_api
from graph_memory.mcp_server.viewer.statuses import STATUS
from graph_memory.memory.entities.results import Entity, KnowledgeGraph, ObservationDetail
from graph_memory.model.errors import Code, GraphError
from graph_memory.model.rights import Grant, Principal, Right
from graph_memory.operations.table import OPERATIONS, TOOLSETS
from graph_memory.settings import Settings
from tables import for_rows
from unit.mcp_server.mcp_fakes import MOMENT, RecordingMemory

pytestmark = pytest.mark.anyio

BASE = "http://127.0.0.1:8848"
PAGE = {"X-Graph-Memory": "viewer", "Content-Type": "application/json"}
"""The headers that the viewer's page sends."""
NAME = f"{COOKIE}_8848"
"""The cookie of a server on this port."""
NODE = {"node_id": "mem_1"}


class Keys:
    """A verifier that knows some keys, by the right that they have in the domain `mine`."""

    def __init__(self) -> None:
        self.tokens = {str(right): _token(right) for right in Right}
        self.tokens["narrow"] = _token(Right.ADMIN, ("recall",))

    async def verify_token(self, token: str) -> KeyToken | None:
        return self.tokens.get(token)

    verify_hash = verify_token


def _token(right: Right, toolsets: tuple[str, ...] | None = None) -> KeyToken:
    name = "narrow" if toolsets else str(right)
    principal = Principal(name, (Grant("mine", right),), toolsets)
    return KeyToken(token="", client_id=name, scopes=[], principal=principal, hash=name)


class Viewer:
    """The application of a server, without MCP, and a browser."""

    def __init__(self, auth: Auth = Auth.NONE, control: CallControl | None = None, **answers: Any) -> None:
        self.memory: Any = RecordingMemory(**answers)
        self.keys = Keys()
        verifier: Any = None if auth is Auth.NONE else self.keys
        self.logins = Logins(auth)
        settings = Settings(home=Path("/nowhere"), cache=Path("/nowhere"), mcp_content_bytes=1_000, domain="mine")
        self.api = HttpApi(settings, self.logins, verifier, control)
        self.api.attach(startup_of(self.memory))
        bodies = Bodies(Starlette(routes=self.api.routes()), 10_000, 5)
        gate = ViewerGate(bodies, _other, self.logins, verifier)
        transport = httpx2.ASGITransport(Guard(gate, 8848), raise_app_exceptions=False)
        self.browser = httpx2.AsyncClient(transport=transport, base_url=BASE)

    async def log_in(self, token: str | None = None, **headers: str) -> httpx2.Response:
        return await self.browser.post(
            "/api/v1/login", json={"token": self.logins.new_token() if token is None else token}, headers=headers
        )

    async def call(self, operation: str, arguments: Any = NODE, **headers: str) -> httpx2.Response:
        body = arguments if isinstance(arguments, bytes) else json.dumps(arguments)
        return await self.browser.post(f"/api/v1/{operation}", content=body, headers={**PAGE, **headers})


def startup_of(memory: Any) -> Any:
    async def open_memory(_tell: object) -> Any:
        return memory

    return SimpleNamespace(memory=open_memory, present_memory=lambda: memory)


async def _other(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
async def viewer() -> AsyncIterator[Viewer]:
    """A server without authentication, and a browser that is logged in."""
    viewer = Viewer()
    assert (await viewer.log_in()).status_code == 204
    yield viewer
    await viewer.browser.aclose()


def code_of(response: httpx2.Response) -> tuple[int, str]:
    body = response.json()
    assert body.keys() == {"code", "message", "details"}
    assert response.headers["cache-control"] == "no-store"
    return response.status_code, body["code"]


async def test_an_operation_answers_with_its_result(viewer: Viewer):
    response = await viewer.call("get_node")
    assert (response.status_code, response.json()["id"]) == (200, "mem_1")
    assert response.headers["cache-control"] == "no-store"
    assert (await viewer.call("list_domains", b"")).json() == {"domains": []}
    assert (await viewer.call("get_node", {**NODE, "domain": "other"})).status_code == 200
    assert viewer.memory.calls[-1][2]["domain"] == "other"


async def test_an_operation_of_the_official_server_answers_with_all_fields():
    details = (ObservationDetail(id="mem_2", text="sings", ts=MOMENT),)
    fields: dict[str, Any] = {"id": "mem_1", "entityType": "person", "observation_details": details}
    viewer = Viewer(open_nodes=KnowledgeGraph(entities=(Entity(name="Ann", observations=("sings",), **fields),)))
    await viewer.log_in()
    [entity] = (await viewer.call("open_nodes", {"names": ["Ann"], "detail": True})).json()["entities"]
    assert (entity["id"], entity["observation_details"][0]["id"]) == ("mem_1", "mem_2")


def test_every_code_has_a_status():
    assert set(STATUS) == set(Code)
    assert [code for code, status in STATUS.items() if status == 500] == [Code.INTERNAL]


@for_rows(
    ("code", "details", "status", "retry"),
    [
        (Code.NODE_NOT_FOUND, {}, 404, None),
        (Code.PROTECTED, {}, 409, None),
        (Code.INVALID_PROPERTY, {}, 409, None),
        (Code.CONTENT_TOO_LARGE, {}, 413, None),
        (Code.STARTING, {}, 503, "1"),
        (Code.OVERLOADED, {"retry_after": 7}, 503, "7"),
    ],
)
async def test_an_error_has_the_status_of_its_code(
    viewer: Viewer, code: Code, details: dict[str, Any], status: int, retry: str | None
):
    viewer.memory.answers["get_node"] = GraphError(code, "no", details)
    response = await viewer.call("get_node")
    assert (*code_of(response), response.headers.get("retry-after")) == (status, code, retry)


@for_rows(
    ("operation", "body", "expected"),
    [
        ("get_node", {}, (400, "INVALID_ARGUMENT")),
        ("get_node", {"node_id": "mem_1", "x": 1}, (400, "INVALID_ARGUMENT")),
        ("get_node", [], (400, "INVALID_ARGUMENT")),
        ("get_node", b"{", (400, "INVALID_ARGUMENT")),
        ("get_node", b"[" * 5_000, (400, "INVALID_ARGUMENT")),
        ("get_node", b"\xff", (400, "INVALID_ARGUMENT")),
        ("create_node", {"type": "a", "content": "x" * 1_001}, (413, "CONTENT_TOO_LARGE")),
        ("create_node", {"type": "a", "content": "x" * 20_000}, (413, "CONTENT_TOO_LARGE")),
        ("get_environment", {}, (404, "INVALID_ARGUMENT")),
        ("select_domain", {"name": "mine"}, (404, "INVALID_ARGUMENT")),
        ("no_such", {}, (404, "INVALID_ARGUMENT")),
    ],
)
async def test_an_invalid_request_is_refused(viewer: Viewer, operation: str, body: Any, expected: tuple[int, str]):
    assert code_of(await viewer.call(operation, body)) == expected
    assert viewer.memory.calls == []


async def test_an_unexpected_error_is_masked(viewer: Viewer, caplog: pytest.LogCaptureFixture):
    viewer.memory.answers["get_node"] = RuntimeError("password hunter2")
    response = await viewer.call("get_node")
    assert code_of(response) == (500, "INTERNAL")
    assert "hunter2" not in response.text
    assert response.json()["details"]["id"] in caplog.text


async def test_a_one_time_token_logs_in_once_and_within_five_minutes(monkeypatch: pytest.MonkeyPatch):
    now = 1_000.0
    monkeypatch.setattr(logins, "monotonic", lambda: now)
    viewer = Viewer()
    first, second = viewer.logins.new_token(), viewer.logins.new_token()
    assert len(first) >= 43
    for token in ("", "x", "\0", first + "x"):
        assert (await viewer.log_in(token)).status_code in (400, 401), token
    assert (await viewer.log_in(first)).status_code == 204
    assert code_of(await viewer.log_in(first)) == (401, "INSUFFICIENT_RIGHTS")
    now += 300
    assert (await viewer.log_in(second)).status_code == 401


async def test_only_the_newest_tokens_are_kept():
    viewer = Viewer()
    tokens = [viewer.logins.new_token() for _ in range(logins.MAX_TOKENS + 1)]
    assert [(await viewer.log_in(token)).status_code for token in (tokens[0], tokens[1])] == [401, 204]


async def test_a_cookie_is_for_the_browser_alone():
    response = await Viewer().log_in(Origin=BASE)
    [cookie] = response.headers.get_list("set-cookie")
    name_and_value, *attributes = cookie.lower().split("; ")
    assert name_and_value.startswith(f"{NAME}=")
    assert set(attributes) == {"httponly", "samesite=strict", "path=/"}


@for_rows(
    ("host", "name"),
    [("127.0.0.1:8848", NAME), ("[::1]:8848", NAME), ("localhost:80", f"{COOKIE}_80"), ("[::1]", COOKIE), ("", COOKIE)],
)
def test_the_name_of_a_cookie_has_the_port(host: str, name: str):
    assert cookie_name(Headers({"host": host})) == name


async def test_the_session_has_the_name_under_which_changes_are_logged(viewer: Viewer):
    assert (await viewer.browser.get("/api/v1/session")).json()["name"] == "viewer"
    viewer.api._settings = viewer.api._settings.model_copy(update={"actor": "alice"})
    assert (await viewer.browser.get("/api/v1/session")).json()["name"] == "alice"


async def test_a_cookie_of_a_page_over_https_is_sent_over_https_only():
    viewer = Viewer()
    request = Request(
        {"type": "http", "method": "POST", "path": "/", "headers": [(b"origin", b"https://memory.example")]}
    )
    assert viewer.api._is_secure(request)


async def test_a_login_must_be_json(viewer: Viewer):
    token = viewer.logins.new_token()
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        response = await viewer.browser.post(
            "/api/v1/login", content=json.dumps({"token": token}), headers={"Content-Type": kind}
        )
        assert response.status_code == 400, kind
    assert (await viewer.log_in(token)).status_code == 204


async def test_a_large_body_without_a_login_is_refused_before_it_is_read():
    viewer = Viewer(Auth.KEYS)
    assert (await viewer.log_in("x" * 20_000)).status_code == 413
    for path in ("/", "/view/", "/api/v1/login", "/api/v1/session", "/api/v1/openapi.json", "/api/v1/logout"):
        for body in (b"x" * 20_001, _in_parts()):
            assert (await viewer.browser.request("GET", path, content=body)).status_code == 413, path


async def test_a_length_does_not_hide_a_large_body_in_parts():
    headers = {"Content-Length": "1", "Transfer-Encoding": "chunked"}
    response = await Viewer(Auth.KEYS).browser.post("/api/v1/login", content=_in_parts(), headers=headers)
    assert response.status_code == 413


async def test_a_health_check_has_no_large_body():
    checker: Any = Keys()
    transport = httpx2.ASGITransport(Authentication(_other, checker))
    async with httpx2.AsyncClient(transport=transport, base_url=BASE) as client:
        for path in ("/health", "/.well-known/oauth-protected-resource"):
            for body, status in ((b"", 418), (b"x" * 20_001, 413), (_in_parts(), 413)):
                assert (await client.request("GET", path, content=body)).status_code == status, path


async def _in_parts() -> AsyncIterator[bytes]:
    """Yield a body whose length the request does not tell."""
    yield b"x"


async def test_without_a_login_only_the_files_the_login_and_the_description_are_served():
    viewer = Viewer()
    for operation in ("list_domains", "get_node", "no_such", "events"):
        assert code_of(await viewer.call(operation)) == (401, "INSUFFICIENT_RIGHTS")
    for headers in ({"Cookie": f"{NAME}=x"}, {"Authorization": "Bearer x"}, {"Authorization": "Basic eDp5"}):
        assert (await viewer.call("get_node", **headers)).status_code == 401, headers
    assert (await viewer.browser.get("/api/v1/events")).status_code == 401
    assert (await viewer.browser.get("/api/v1/session")).json() == {"authenticated": False, "kind": "none"}
    assert (await viewer.browser.get("/api/v1/openapi.json")).status_code == 200
    assert (await viewer.browser.post("/mcp")).status_code == 418
    assert viewer.memory.calls == []


async def test_a_login_ends_with_its_logout_or_after_twelve_unused_hours(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
):
    now = logins.monotonic()
    monkeypatch.setattr(logins, "monotonic", lambda: now)
    for hours, status in ((11, 200), (11, 200), (13, 401)):
        now += hours * 3_600
        assert (await viewer.call("get_node")).status_code == status, hours
    await viewer.log_in()
    cookie = viewer.browser.cookies[NAME]
    assert (await viewer.browser.post("/api/v1/logout", headers=PAGE)).status_code == 204
    assert NAME not in viewer.browser.cookies
    assert (await viewer.call("get_node", Cookie=f"{NAME}={cookie}")).status_code == 401


@for_rows(
    "headers",
    [
        {"X-Graph-Memory": ""},
        {"X-Graph-Memory": "x"},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
    ],
)
async def test_a_page_of_another_site_cannot_call_with_the_cookie(viewer: Viewer, headers: dict[str, str]):
    for path in ("get_node", "logout"):
        assert (await viewer.call(path, **headers)).status_code == 403
    assert viewer.memory.calls == []
    assert (await viewer.call("get_node")).status_code == 200
    viewer.memory.calls.clear()


async def test_a_foreign_host_is_refused(viewer: Viewer):
    for path in ("/view/", "/", "/api/v1/session"):
        assert (await viewer.browser.get(path, headers={"Host": "evil.example"})).status_code == 421


def test_logins_are_limited_and_the_caller_with_most_of_them_loses_its_oldest(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(logins, "MAX_LOGINS", 3)
    store = Logins(Auth.KEYS)
    ann = store.begin(_token(Right.READ))
    bob = [store.begin(_token(Right.WRITE)) for _ in range(4)]
    assert store.find(ann) is not None
    assert [store.find(cookie) is not None for cookie in bob] == [False, False, True, True]
    kept = json.dumps([*store._logins])
    assert not any(cookie in kept for cookie in (ann, *bob))


async def test_a_key_logs_in_and_a_revoked_key_ends_its_logins():
    viewer = Viewer(Auth.KEYS)
    assert (await viewer.log_in("invented")).status_code == 401
    assert (await viewer.log_in(viewer.logins.new_token())).status_code == 401  # one-time tokens replace no key
    assert (await viewer.log_in("write")).status_code == 204
    assert (await viewer.call("delete_node")).status_code == 200
    session = (await viewer.browser.get("/api/v1/session")).json()
    assert (session["kind"], session["name"], session["rights"]) == ("keys", "write", {"mine": "write"})
    assert "delete_domain" not in session["operations"]
    revoked = viewer.keys.tokens.pop("write")
    response = await viewer.call("get_node")
    assert code_of(response) == (401, "INSUFFICIENT_RIGHTS")
    assert response.headers["www-authenticate"].startswith("Bearer ")
    viewer.keys.tokens["write"] = revoked
    assert (await viewer.call("get_node")).status_code == 401


@for_rows(
    ("key", "operation", "status"),
    [
        ("read", "get_node", 200),
        ("read", "delete_node", 403),
        ("write", "delete_node", 200),
        ("write", "query_cypher", 403),
        ("narrow", "get_node", 403),
    ],
)
async def test_a_program_calls_with_a_key_in_a_header_within_its_rights(key: str, operation: str, status: int):
    viewer = Viewer(Auth.KEYS)
    arguments = {"statement": "RETURN 1"} if operation == "query_cypher" else NODE
    response = await viewer.browser.post(
        f"/api/v1/{operation}", json=arguments, headers={"Authorization": f"Bearer {key}"}
    )
    assert response.status_code == status
    listed = (await viewer.browser.get("/api/v1/session", headers={"Authorization": f"Bearer {key}"})).json()
    assert (operation in listed["operations"]) is (status == 200)


async def test_refusals_are_recorded_and_calls_of_a_key_are_limited(caplog: pytest.LogCaptureFixture):
    control = CallControl(rates=RateLimits(2))
    control.observers.append(record_rejected_calls(AuditLog()))
    viewer = Viewer(Auth.KEYS, control)
    await viewer.log_in("read")
    with caplog.at_level(logging.INFO):
        assert (await viewer.call("delete_node")).status_code == 403
    [line] = [json.loads(record.message) for record in caplog.records if record.name == "graph_memory.audit"]
    assert (line["act"], line["outcome"], line["key"]) == ("delete_node", "INSUFFICIENT_RIGHTS", "read")
    assert (await viewer.call("get_node")).status_code == 200
    response = await viewer.call("get_node")
    assert code_of(response) == (429, "RATE_LIMITED")
    assert int(response.headers["retry-after"]) > 0


async def test_subscribers_of_the_server_learn_of_changes():
    control = CallControl()
    changes: list[Any] = []

    async def listen(_ctx: Any, domains: Any) -> None:
        changes.append({*domains})

    control.change_listeners.append(listen)
    viewer = Viewer(control=control)
    await viewer.log_in()
    await viewer.call("get_node")
    assert changes == []
    await viewer.call("delete_node")
    assert changes == [set()]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "viewer"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<title>Viewer</title>")
    (folder / "assets/main-abc.js").write_text("1")
    (tmp_path / "secret").write_text("secret")
    monkeypatch.setattr(front_end, "FOLDER", folder)
    return folder


@for_rows(
    ("path", "status", "text", "cache"),
    [
        ("/view/", 200, "Viewer", "no-cache"),
        ("/view/index.html", 200, "Viewer", "no-cache"),
        ("/view/nodes/mem_1", 200, "Viewer", "no-cache"),
        ("/view/assets/main-abc.js", 200, "1", "public, max-age=31536000, immutable"),
        ("/view/assets/missing.js", 404, "Not found", None),
        ("/view/..%2fsecret", 200, "Viewer", "no-cache"),
        ("/view/%2e%2e/secret", 200, "Viewer", "no-cache"),
        ("/view//etc/passwd", 200, "Viewer", "no-cache"),
        ("/view/%00", 200, "Viewer", "no-cache"),
    ],
)
async def test_the_files_of_the_viewer_are_served_with_a_strict_policy(
    files: Path, path: str, status: int, text: str, cache: str | None
):
    response = await Viewer().browser.get(path)
    assert (response.status_code, response.headers.get("cache-control")) == (status, cache)
    assert text in response.text
    policy = response.headers["content-security-policy"]
    assert {"default-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "form-action 'self'"} <= {
        *policy.split("; ")
    }
    assert "unsafe" not in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "no-referrer"


async def test_a_viewer_that_is_not_built_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(front_end, "FOLDER", tmp_path / "none")
    viewer = Viewer()
    response = await viewer.browser.get(VIEW)
    assert (response.status_code, "make web" in response.text) == (404, True)
    for path in ("/", "/view"):
        assert (await viewer.browser.get(path)).headers["location"] == VIEW


async def test_the_description_is_valid_and_complete():
    document = (await Viewer().browser.get("/api/v1/openapi.json")).json()
    operations = {name: operation for name, operation in OPERATIONS.items() if not operation.in_session}
    paths = {path.removeprefix("/api/v1/"): entry for path, entry in document["paths"].items()}
    assert operations.keys() - paths.keys() == {"get_environment"}
    assert paths.keys() - operations.keys() == {"login", "logout", "session", "events"}
    for name in operations.keys() & paths.keys():
        post = paths[name]["post"]
        schemas = [post["requestBody"], post["responses"]["200"]]
        for part in schemas:
            Draft202012Validator.check_schema(part["content"]["application/json"]["schema"])
        assert (post["operationId"], {*post["tags"]} <= {*TOOLSETS}) == (name, True)
        assert {"401", "403", "404", "409", "500", "503"} <= post["responses"].keys()
    references = {part["$ref"] for part in _objects(document) if "$ref" in part}
    for reference in references:
        target: Any = document
        for step in reference.removeprefix("#/").split("/"):
            target = target[step]
    assert document["openapi"].startswith("3.1")
    assert describe_api([], "1", COOKIE) is not None


def _objects(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [part for item in value for part in _objects(item)]
    if not isinstance(value, dict):
        return []
    return [value, *(part for item in value.values() for part in _objects(item))]


class Logs:
    """A memory whose logs have positions."""

    def __init__(self) -> None:
        self.positions_by_domain = {"mine": 5}
        self.reads = 0

    @property
    def history(self) -> Logs:
        return self

    async def positions(self, domains: Any) -> dict[str, int]:
        self.reads += 1
        return {name: position for name, position in self.positions_by_domain.items() if name in domains}


@asynccontextmanager
async def stream_of(viewer: Viewer, logs: Any, **headers: str) -> AsyncIterator[Callable[[], Coroutine[Any, Any, str]]]:
    """Give a function that returns the next part of a stream of events, or an empty text at its end."""
    events: ChangeEvents = viewer.api._events
    token = viewer.keys.tokens.get(headers.pop("key", ""))
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"domain=mine",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "user": SimpleNamespace(access_token=token, display_name="x"),
    }
    request = Request(scope)
    async with anyio.create_task_group() as tasks:
        startup: Any = startup_of(logs)
        startup.start_task = tasks.start_soon
        context: Any = SimpleNamespace(
            request=request, request_id="1", lifespan_context=startup, protocol_version="2026-07-28"
        )
        response: Any = await events.respond(context, request)
        parts = aiter(response.body_iterator)

        async def next_part() -> str:
            with anyio.fail_after(5):
                return await anext(parts, "")

        assert await next_part() == f"retry: 2000\nid: {logs.positions_by_domain['mine']}\n\n"
        yield next_part
        await parts.aclose()
        tasks.cancel_scope.cancel()
    assert events._watches == set()


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_events, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(change_events, "CHECK_SECONDS", 0.02)


@pytest.mark.usefixtures("_quick")
async def test_a_stream_tells_of_growth_once_and_otherwise_that_it_is_alive(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(change_events, "HEARTBEAT_SECONDS", 0.1)
    logs = Logs()
    async with stream_of(Viewer(), logs) as next_part:
        assert await next_part() == ": alive\n\n"
        logs.positions_by_domain["mine"] = 7
        assert await next_part() == 'event: change\nid: 7\ndata: {"domain": "mine", "position": 7}\n\n'
        assert await next_part() == ": alive\n\n"
    async with stream_of(Viewer(), logs, **{"Last-Event-ID": "6"}) as next_part:
        assert "id: 7\n" in await next_part()


@pytest.mark.usefixtures("_quick")
async def test_a_stream_ends_with_its_login_and_with_its_key():
    viewer = Viewer(Auth.KEYS)
    cookie = viewer.logins.begin(viewer.keys.tokens["read"])
    async with stream_of(viewer, Logs(), key="read", Cookie=f"{COOKIE}={cookie}") as next_part:
        viewer.logins.end(cookie)
        assert await next_part() == ""
    async with stream_of(viewer, Logs(), key="read") as next_part:
        viewer.keys.tokens["read"] = KeyToken.model_validate(
            {**dict(viewer.keys.tokens["read"]), "principal": Principal("read", (Grant("other", Right.READ),))}
        )
        assert await next_part() == ""


@pytest.mark.usefixtures("_quick")
async def test_a_stream_needs_a_domain_that_exists_and_may_be_read():
    viewer = Viewer(Auth.KEYS)
    logs = Logs()
    logs.positions_by_domain.clear()
    with pytest.raises(GraphError) as missing:
        await viewer.api._events.respond(*_asking(viewer, logs, "mine"))
    assert missing.value.code is Code.ONTOLOGY_NOT_FOUND
    with pytest.raises(GraphError) as hidden:
        await viewer.api._events.respond(*_asking(viewer, logs, "theirs"))
    assert hidden.value.code is Code.INSUFFICIENT_RIGHTS
    assert logs.reads == 1


def _asking(viewer: Viewer, logs: Logs, domain: str) -> tuple[Any, Request]:
    user = SimpleNamespace(access_token=viewer.keys.tokens["read"], display_name="read")
    query = f"domain={domain}".encode()
    request = Request(
        {"type": "http", "method": "GET", "path": "/", "query_string": query, "headers": [], "user": user}
    )
    return SimpleNamespace(request=request, request_id="1", lifespan_context=startup_of(logs)), request


async def test_a_key_sent_to_a_server_without_keys_is_logged_once(caplog: pytest.LogCaptureFixture):
    viewer = Viewer()
    for _ in range(2):
        await viewer.call("get_node", Authorization="Bearer gm_x")
    assert caplog.text.count("this server ignores keys") == 1
