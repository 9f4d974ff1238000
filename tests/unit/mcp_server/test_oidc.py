"""Only tokens that the issuer has signed for this server are accepted, and their scopes are their rights."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from graph_memory import Code, GraphError, Settings
from graph_memory.mcp_server.access import IssuerUnavailable
from graph_memory.mcp_server.transport import oidc
from graph_memory.mcp_server.transport.oidc import LEEWAY_SECONDS, OidcVerifier, TokenRules, grants_of
from graph_memory.model.rights import Grant, Right
from issuer import Key, TestIssuer, running_issuer
from tables import for_rows

pytestmark = pytest.mark.anyio
RESOURCE = "http://127.0.0.1:8848/mcp"
NOW = int(time.time())


@contextmanager
def capture_log() -> Iterator[list[str]]:
    """Give the messages that the module logs in the block."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())
    logging.getLogger(oidc.__name__).addHandler(handler)
    try:
        yield messages
    finally:
        logging.getLogger(oidc.__name__).removeHandler(handler)


@pytest.fixture
def issuer() -> Iterator[TestIssuer]:
    with running_issuer() as issuer:
        yield issuer


def verifier_of(issuer: TestIssuer, **settings: Any) -> OidcVerifier:
    return OidcVerifier(TokenRules.of(Settings(oidc_issuer=issuer.url, **settings), RESOURCE))


async def test_a_token_has_the_rights_of_its_scopes(issuer: TestIssuer) -> None:
    issuer.keys.append(Key("two", "ES256"))
    verifier = verifier_of(issuer)
    token = issuer.token(RESOURCE, "openid memory:read memory:team-*:write memory:x y:admin memory:shop:owner")
    accepted = await verifier.verify_token(token)
    assert accepted is not None
    assert (accepted.principal.name, accepted.client_id) == ("ann", "ann")
    assert accepted.principal.grants == (Grant("*", Right.READ), Grant("team-*", Right.WRITE))
    assert await verifier.verify_hash(accepted.hash) is accepted
    for claims in ({"scope": ["memory:admin"]}, {"scope": None, "scp": ["memory:admin"]}):
        accepted = await verifier.verify_token(issuer.token(RESOURCE, key=issuer.keys[1], **claims))
        assert accepted is not None
        assert accepted.principal.grants == (Grant("*", Right.ADMIN),)
    assert issuer.paths == ["/.well-known/openid-configuration", "/keys"]


async def test_values_of_a_claim_have_the_rights_of_the_settings(issuer: TestIssuer) -> None:
    verifier = verifier_of(issuer, oidc_claim="roles", oidc_rights={"engineer": "team-*=write, recipes"})
    accepted = await verifier.verify_token(issuer.token(RESOURCE, None, roles=["engineer", "cook"]))
    assert accepted is not None
    assert accepted.principal.grants == (Grant("team-*", Right.WRITE), Grant("recipes", Right.READ))


Forge = Callable[[TestIssuer], str]
FORGED: dict[str, Forge] = {
    "expired": lambda issuer: issuer.token(RESOURCE, exp=NOW - 60),
    "not valid yet": lambda issuer: issuer.token(RESOURCE, nbf=NOW + 86_400),
    "another audience": lambda issuer: issuer.token("https://other.example.org"),
    "no audience": lambda issuer: issuer.token(RESOURCE, aud=None),
    "another issuer": lambda issuer: issuer.token(RESOURCE, iss="https://other.example.org"),
    "no expiry": lambda issuer: issuer.token(RESOURCE, exp=None),
    "no subject": lambda issuer: issuer.token(RESOURCE, sub=None),
    "an empty subject": lambda issuer: issuer.token(RESOURCE, sub=""),
    "a subject with control characters": lambda issuer: issuer.token(RESOURCE, sub="ann\nadmin"),
    "a subject that runs from right to left": lambda issuer: issuer.token(RESOURCE, sub="ann\u202enimda"),
    "a subject with an invisible letter": lambda issuer: issuer.token(RESOURCE, sub="ann\u3164"),
    "a subject with a space at its end": lambda issuer: issuer.token(RESOURCE, sub="ann "),
    "a subject with half a character": lambda issuer: issuer.token(RESOURCE, sub="ann\ud800"),
    "a long subject": lambda issuer: issuer.token(RESOURCE, sub="a" * 300),
    "a subject that is a number": lambda issuer: issuer.token(RESOURCE, sub=7),
    "a key of somebody else": lambda issuer: issuer.token(RESOURCE, key=Key("one")),
    "an unknown key": lambda issuer: issuer.token(RESOURCE, key=Key("three")),
    "a symmetric key": lambda issuer: issuer.token(RESOURCE, kid="secret"),
    "too long": lambda issuer: issuer.token(RESOURCE, extra="x" * 20_000),
    "not signed": lambda issuer: jwt.encode(_claims(issuer), None, "none", {"kid": "one"}),
    "signed with the public key": lambda issuer: _hmac_token(issuer, issuer.keys[0].public_pem()),
    "changed": lambda issuer: issuer.token(RESOURCE)[:-8] + "AAAAAAAA",
    "without a signature": lambda issuer: issuer.token(RESOURCE).rpartition(".")[0] + ".",
    "issued in the future": lambda issuer: issuer.token(RESOURCE, iat=NOW + 600),
    "an endless life": lambda issuer: issuer.token(RESOURCE, exp=float("inf")),
    "a nested header": lambda _: _with_header(b"[" * 9_000),
    "several algorithms": lambda _: _with_header(b'{"alg": ["RS256"], "kid": "one"}'),
    "an unknown extension": lambda issuer: jwt.encode(
        _claims(issuer), issuer.keys[0].private, "RS256", {"kid": "one", "crit": ["x"], "x": 1}
    ),
    "no token": lambda _: "gm_" + "x" * 43,
    "empty": lambda _: "",
    "not ASCII": lambda _: "é.é.é",
    "dots": lambda _: "..",
}


def _claims(issuer: TestIssuer) -> dict[str, Any]:
    return {"iss": issuer.url, "aud": RESOURCE, "sub": "ann", "exp": NOW + 86_400, "scope": "memory:admin"}


def _with_header(header: bytes) -> str:
    return f"{base64.urlsafe_b64encode(header).rstrip(b'=').decode()}.e30."


def _hmac_token(issuer: TestIssuer, secret: bytes) -> str:
    """Return a token signed by HMAC. The library refuses a public key as the secret, so this signs by hand."""

    def encode(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    header = {"alg": "HS256", "typ": "JWT", "kid": "one"}
    text = f"{encode(json.dumps(header).encode())}.{encode(json.dumps(_claims(issuer)).encode())}"
    return f"{text}.{encode(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


@for_rows("name", FORGED)
async def test_a_forged_token_is_rejected(issuer: TestIssuer, name: str) -> None:
    assert await verifier_of(issuer).verify_token(FORGED[name](issuer)) is None


async def test_the_log_says_why_a_token_is_rejected(issuer: TestIssuer, caplog: pytest.LogCaptureFixture) -> None:
    verifier = verifier_of(issuer)
    for forged, reason in (
        ({"aud": "https://other.example.org"}, "Audience doesn't match"),
        ({"kid": "other"}, "the issuer has no key"),
        ({"sub": "ann\n"}, "its subject is not"),
    ):
        assert await verifier.verify_token(issuer.token(RESOURCE, **forged)) is None
        assert caplog.messages[-1].startswith(f"Rejected a token: {reason}")
        assert "\n" not in caplog.messages[-1]


async def test_a_weak_key_of_the_issuer_is_not_used(issuer: TestIssuer) -> None:
    issuer.keys.append(Key("weak", private=rsa.generate_private_key(public_exponent=65537, key_size=1024)))
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        weak = issuer.token(RESOURCE, key=issuer.keys[1])
    assert await verifier_of(issuer).verify_token(weak) is None


async def test_a_clock_may_be_behind_also_at_the_end_of_a_token(issuer: TestIssuer) -> None:
    verifier = verifier_of(issuer)
    accepted = await verifier.verify_token(issuer.token(RESOURCE, exp=int(time.time()) - 5))
    assert accepted is not None
    assert accepted.expires_at is not None
    assert time.time() < accepted.expires_at <= time.time() + LEEWAY_SECONDS
    assert await verifier.verify_hash(accepted.hash) is accepted


@for_rows(
    "scope", ["memory", "memory:", "memory::admin", "memory::", "memory:a:b:read", "memory:[a]:read", "memory:READ"]
)
def test_other_scopes_give_no_right(scope: str) -> None:
    rules = TokenRules("https://issuer.example.org", RESOURCE)
    for claim in ("scope", "scp"):
        assert [*grants_of({claim: scope}, rules)] == [*grants_of({claim: [scope]}, rules)] == []
    assert [*grants_of({"scope": {"memory:admin": 1}, "scp": [["memory:admin"], None], "groups": 1}, rules)] == []


async def test_rotated_keys_are_found_and_invented_ones_cause_few_requests(
    issuer: TestIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    verifier = verifier_of(issuer)
    assert await verifier.verify_token(issuer.token(RESOURCE)) is not None
    for number in range(20):
        assert await verifier.verify_token(issuer.token(RESOURCE, kid=f"invented{number}")) is None
    assert issuer.paths.count("/keys") == 1
    monkeypatch.setattr(oidc, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(verifier._issuer, "_next_try", 0.0)
    issuer.keys = [Key("new")]
    assert await verifier.verify_token(issuer.token(RESOURCE)) is not None
    assert await verifier.verify_token(issuer.token(RESOURCE, key=Key("one"))) is None


async def test_an_issuer_that_is_down_is_told_apart_from_a_wrong_token(
    issuer: TestIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oidc, "PAUSE_SECONDS", 0.0)
    issuer.is_down = True
    verifier = verifier_of(issuer)
    with pytest.raises(IssuerUnavailable):
        await verifier.verify_token(issuer.token(RESOURCE))
    issuer.is_down = False
    assert await verifier.verify_token(issuer.token(RESOURCE)) is not None
    issuer.is_down = True
    assert await verifier.verify_token(issuer.token(RESOURCE, sub="ben")) is not None
    with pytest.raises(IssuerUnavailable):
        await verifier.verify_token(issuer.token(RESOURCE, kid="new"))


@for_rows(
    ("path", "body", "reason"),
    [
        ("/.well-known/openid-configuration", b"<html>", "no metadata"),
        ("/.well-known/openid-configuration", b"[]", "no metadata"),
        ("/.well-known/openid-configuration", b"[" * 100_000, "no metadata"),
        (
            "/.well-known/openid-configuration",
            b'{"issuer": "https://a.b", "jwks_uri": "https://a.b/keys"}',
            "no metadata",
        ),
        ("/keys", b'{"keys": 1}', "not iterable"),
        ("/keys", b" " * 1_100_000, "more than 1,048,576 bytes"),
        ("/keys", None, "TimeoutError"),
    ],
)
async def test_the_log_says_why_an_issuer_cannot_be_used(path: str, body: bytes | None, reason: str) -> None:
    with (
        running_issuer() as issuer,
        pytest.MonkeyPatch.context() as patch,
        capture_log() as messages,
    ):
        patch.setattr(oidc, "FETCH_SECONDS", 2.0)
        issuer.bodies[path] = body
        verifier = verifier_of(issuer)
        with pytest.raises(IssuerUnavailable):
            await verifier.verify_token(issuer.token(RESOURCE))
    assert reason in messages[-1]


async def test_keys_are_fetched_only_over_https_or_from_this_machine(issuer: TestIssuer) -> None:
    for url in ("http://192.0.2.1/keys", "file:///etc/passwd", "ftp://127.0.0.1/keys", "/keys"):
        issuer.bodies["/.well-known/openid-configuration"] = json.dumps(
            {"issuer": issuer.url, "jwks_uri": url}
        ).encode()
        with pytest.raises(IssuerUnavailable):
            await verifier_of(issuer).verify_token(issuer.token(RESOURCE))
    assert {*issuer.paths} == {"/.well-known/openid-configuration"}


async def test_an_issuer_with_metadata_of_oauth_alone_is_found(issuer: TestIssuer) -> None:
    issuer.discovery = "/.well-known/oauth-authorization-server"
    assert await verifier_of(issuer).verify_token(issuer.token(RESOURCE)) is not None


async def test_a_token_is_forgotten_when_it_expires(issuer: TestIssuer, monkeypatch: pytest.MonkeyPatch) -> None:
    verifier = verifier_of(issuer)
    accepted = await verifier.verify_token(issuer.token(RESOURCE))
    assert accepted is not None
    monkeypatch.setattr(oidc, "time", lambda: time.time() + 700.0)
    assert await verifier.verify_hash(accepted.hash) is None


@for_rows(
    "settings",
    [
        {},
        {"oidc_issuer": "http://issuer.example.org"},
        {"oidc_issuer": "https://a.b", "oidc_rights": {"x": "team=owner"}},
    ],
)
def test_wrong_settings_are_told_before_the_server_starts(settings: dict[str, Any]) -> None:
    with pytest.raises(GraphError) as caught:
        TokenRules.of(Settings(**settings), RESOURCE)
    assert caught.value.code is Code.INVALID_ARGUMENT
