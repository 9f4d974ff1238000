"""An OAuth 2.1 issuer on the loopback interface, with keys that can be changed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from local_http import answering

PRIVATE = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
PUBLIC = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


@dataclass
class Key:
    """A pair of keys."""

    id: str
    algorithm: str = "RS256"
    private: Any = field(default=None)

    def __post_init__(self) -> None:
        if self.private is None:
            self.private = (
                ec.generate_private_key(ec.SECP256R1())
                if self.algorithm == "ES256"
                else rsa.generate_private_key(public_exponent=65537, key_size=2048)
            )

    def jwk(self) -> dict[str, Any]:
        """Return the public key as the issuer publishes it."""
        library = jwt.get_algorithm_by_name(self.algorithm)
        return {**json.loads(library.to_jwk(self.private.public_key())), "kid": self.id, "use": "sig"}  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

    def public_pem(self) -> bytes:
        """Return the public key as text."""
        return self.private.public_key().public_bytes(*PUBLIC)


@dataclass
class TestIssuer:
    """The issuer's keys, and the paths that were requested."""

    __test__ = False
    url: str = ""
    keys: list[Key] = field(default_factory=lambda: [Key("one")])
    paths: list[str] = field(default_factory=list)
    discovery: str = "/.well-known/openid-configuration"
    is_down: bool = False
    bodies: dict[str, bytes | None] = field(default_factory=dict[str, bytes | None])
    """Answers of other content, by path. None: bytes that arrive one by one, without end."""

    def token(self, audience: str, scope: str | None = "memory:read", key: Key | None = None, **claims: Any) -> str:
        """Return a signed token. A claim that is None is left out, and `alg` and `kid` are of the header."""
        signer = key or self.keys[0]
        now = int(time.time())
        header = {"kid": claims.pop("kid", signer.id)}
        own = {"iss": self.url, "aud": audience, "sub": "ann", "exp": now + 600, "iat": now, "scope": scope, **claims}
        payload = {name: value for name, value in own.items() if value is not None}
        return jwt.encode(payload, signer.private, algorithm=signer.algorithm, headers=header)


class _Handler(BaseHTTPRequestHandler):
    served: ClassVar[TestIssuer]

    def do_GET(self) -> None:
        issuer = self.served
        issuer.paths.append(self.path)
        documents: dict[str, Any] = {
            issuer.discovery: {
                "issuer": issuer.url,
                "jwks_uri": f"{issuer.url}/keys",
                "authorization_endpoint": f"{issuer.url}/authorize",
                "token_endpoint": f"{issuer.url}/token",
            },
            "/keys": {"keys": [key.jwk() for key in issuer.keys] + [{"kty": "oct", "kid": "secret", "k": "AAAA"}]},
        }
        document = documents.get(self.path)
        body = issuer.bodies.get(self.path, json.dumps(document).encode())
        is_known = document or self.path in issuer.bodies
        self.send_response(503 if issuer.is_down else 200 if is_known else 404)
        if body is None:
            self.end_headers()
            self._drip()
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def _drip(self) -> None:
        with suppress(OSError):
            for _ in range(100):
                self.wfile.write(b" ")
                time.sleep(0.05)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Keep quiet."""


@contextmanager
def running_issuer() -> Iterator[TestIssuer]:
    """Give an issuer that answers as long as the block."""
    issuer = TestIssuer()
    handler = type("Handler", (_Handler,), {"served": issuer})
    with answering(handler) as issuer.url:
        yield issuer
