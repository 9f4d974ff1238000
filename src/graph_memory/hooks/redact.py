"""Replaces secrets in text, using the rules of detect-secrets and the general rules in this module."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_RULES = Path(__file__).with_name("secret_rules.json")
"""Rules of detect-secrets (Apache-2.0), made by `tools/secret_rules.py`."""
_NAMES = (
    r"(?:pass(?:word|wd|phrase)?|pwd|secret|token|credentials?"
    r"|(?:api|auth|access|account|private|service|client|db)[ _.-]?key)"
)
_QUOTED = (
    rf"""(?i:{_NAMES}[\w-]{{0,40}}[\\"'\]]{{0,4}}\s{{0,5}}(?::=|=>|={{1,3}}|:|\()\s{{0,5}}@?)"""
    r"""(?P<quote>\\?["'`])(?P<secret>(?:(?!(?P=quote))(?:\\[^\r\n]|[^\\\r\n])){4,400})(?P=quote)"""
)
"""A value in quotes, which may contain escaped and other quotes. The quotes may be escaped, as in JSON in a command."""
_BARE = (
    rf"""(?i:{_NAMES}[\w-]{{0,40}}["'\]]{{0,3}}\s{{0,5}}(?::=|=|:|\bis\b|\bwas\b)\s{{0,5}})"""
    r"""(?P<secret>(?=[^a-zA-Z\s"'`]{0,400}[a-zA-Z])(?=[^\d!@#$%^&*\s"'`]{0,400}[\d!@#$%^&*])[^\s"'`,;()]{6,400})"""
)
"""A value without quotes is a secret if it has letters, and digits or signs."""
_VARIABLE = (
    r"(?:PASS(?:WORD|WD|PHRASE)?|_PWD|SECRET|TOKEN|(?:API|AUTH|ACCESS|ACCOUNT|PRIVATE|SERVICE|CLIENT|DB)_?KEY)="
    r"""(?P<secret>[^\s"'`$(<][^\s"'`;&|)]{3,400})"""
)
"""A variable of the environment, whose value may have letters alone."""
_OPTION = rf"""(?i:--?{_NAMES}[= ]["']?)(?P<secret>[^\s"'-][^\s"']{{3,400}})"""
_COMMANDS = (
    r"""(?:\bcurl\s(?:[^;|]{0,300}?\s)?(?:-[a-zA-Z]{0,5}[uU]|--user|--proxy-user)[ =]{0,3}["']?[^\s:"']{1,100}:"""
    r"""|\b(?:mysql|mariadb)[\w-]{0,20}\s(?:[^;|]{0,300}?\s)?-p["']?|\bsshpass\s{1,5}-p\s{0,5}["']?)"""
    r"""(?P<secret>[^\s"']{1,400})"""
)
_AUTHORIZATION = (
    r"""(?i:\b(?:bearer|basic|authorization["']?\s{0,5}[:=]\s{0,5}["']?[\w-]{0,20})\s{1,5})"""
    r"(?P<secret>[\w.~+/=-]{12,4000})"
)
_COOKIE = r"""(?i:\bcookie["']?\s{0,5}:\s{0,5}["']?)(?P<secret>[^\s"'=;]{1,100}=[^\r\n"']{1,4000})"""
_KEY_NAME = r"[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_PRIVATE_KEY = rf"-----BEGIN {_KEY_NAME}.*?(?:-----END {_KEY_NAME}|\Z)"
_PREFIXES = (
    "sk-",
    "_pat_",
    "glpat-",
    "hf_",
    "dop_v1_",
    "shpat_",
    "ya29.",
    "aiza",
    "xapp-",
    "gsk_",
    "pk_live_",
    "whsec_",
)
_TOKENS = (
    r"\b(?:sk-(?:ant-|proj-)?|github_pat_|glpat-|hf_|dop_v1_|shpat_|ya29\.|AIza|xapp-|gsk_|pk_live_|whsec_)"
    r"[\w-]{16,400}"
)
_WORDS = ("pass", "pwd", "secret", "token", "credential", "key")
_OWN: Sequence[tuple[str, Sequence[str], str]] = (
    ("private key", ("private key",), _PRIVATE_KEY),
    ("password in a URL", ("://",), r"\w{1,30}://[^\s/:@\"']{0,200}:(?P<secret>[^\s/@\"']{1,200})@"),
    ("authorization", ("bearer", "basic", "authorization"), _AUTHORIZATION),
    ("cookie", ("cookie",), _COOKIE),
    ("token", _PREFIXES, _TOKENS),
    ("password", _WORDS, _QUOTED),
    ("password", _WORDS, _BARE),
    ("password", _WORDS, _VARIABLE),
    ("password", ("curl", "mysql", "mariadb", "sshpass"), _COMMANDS),
    ("password", ("--",), _OPTION),
)
"""Rules that detect-secrets lacks or has only for files: name, keywords of which a text must have one, and pattern."""
_REST_OF_TOKEN = re.compile(r"[\w+/=-]*")


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of secret. The pattern is tried only if the text in lower case contains one of the keywords."""

    name: str
    keywords: Sequence[str]
    pattern: str

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each secret in the text.

        If the pattern matches part of a token, the whole token counts as the secret.
        """
        for match in _compile(self.pattern).finditer(text):
            start, end = match.span("secret" if "secret" in match.re.groupindex else 0)
            rest = _REST_OF_TOKEN.match(text, end)
            yield start, rest.end() if rest else end


def redact(text: str, length: int | None = None) -> tuple[str, int]:
    """Return the text with each secret replaced by a marker, and the number of secrets.

    If `length` is given, only the first `length` characters are returned. A secret that begins within them is replaced
    even if it ends after them.
    """
    length = len(text) if length is None else length
    lower = text.lower()
    spans = [
        (start, end, rule.name)
        for rule in rules()
        if any(keyword in lower for keyword in rule.keywords)
        for start, end in rule.spans(text)
    ]
    parts: list[str] = []
    position = count = 0
    for start, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if end <= position or start >= length:
            continue
        if start >= position:
            parts += [text[position:start], f"[secret: {name}]"]
            count += 1
        position = end
    return "".join([*parts, text[position:length]]), count


@cache
def rules() -> Sequence[Rule]:
    """Return all rules, the general ones first."""
    own = [Rule(name, keywords, pattern) for name, keywords, pattern in _OWN]
    return [*own, *(Rule(**fields) for fields in json.loads(_RULES.read_text(encoding="utf-8"))["rules"])]


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)
