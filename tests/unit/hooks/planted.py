"""Secrets of the kinds that the rules know, made from a seed and never real."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits

SENTENCES = (
    "The password is {0}.",
    "my password: {0}",
    "the wifi password for the office is {0}",
    "Log in as admin with {0}",
    "user: deploy, pass: {0}",
    "use {0} as the password",
    "{0} is the password for staging",
    "Password for the staging database changed to {0}",
    "the passphrase of my key is '{0}'",
    "creds are admin / {0}",
    "sudo needs {0}",
    "I set the root pw to {0}",
    "PIN and password: 4711 and {0}",
    "ssh in with deploy@host, password {0}",
    "our shared secret is still {0}",
    "type {0} when it asks for a password",
    "the old password {0} no longer works",
    "DB_PASSWORD was {0} until yesterday",
    'the login is ann and the password "{0}"',
    "just try {0}, it is the default password",
)
"""Free forms in which people tell a password. They were written before the rules for them."""
PASSWORDS = (
    "hunter2",
    "Summer2026!",
    "correct horse battery staple",
    "qwerty",
    "Tr0ub4dor&3",
    "letmein",
    "p@ssw0rd",
    "8fJ2kLq9Zx",
    "Geheim-1234",
    "blue-whale-77",
)
"""Of these, three have letters alone, which no rule can know."""


class Maker(random.Random):
    """Random text of an alphabet."""

    def of(self, alphabet: str, length: int) -> str:
        return "".join(self.choices(alphabet, k=length))

    def mix(self, length: int) -> str:
        """Return text with letters and digits in any case."""
        return f"x7{self.of(LETTERS, length - 2)}"


KINDS: Mapping[str, Callable[[Maker], tuple[str, str]]] = {
    "aws key id": lambda m: ("export AWS_ACCESS_KEY_ID={}", "AKIA" + m.of(UPPER, 16)),
    "aws secret": lambda m: ("aws_secret_key = '{}'", m.of(LETTERS, 40)),
    "azure": lambda m: ("AccountKey={}", m.of(LETTERS, 86) + "=="),
    "github": lambda m: ("git remote add x {}", "ghp_" + m.of(LETTERS, 36)),
    "github fine": lambda m: ("use {} here", "github_pat_" + m.of(LETTERS, 50)),
    "gitlab": lambda m: ("curl -H 'PRIVATE-TOKEN: {}' https://git", "glpat-" + m.of(LETTERS, 20)),
    "openai": lambda m: ("set {}", f"sk-{m.of(LETTERS, 20)}T3BlbkFJ{m.of(LETTERS, 20)}"),
    "openai project": lambda m: ("set {}", "sk-proj-" + m.of(LETTERS, 60)),
    "anthropic": lambda m: ("key {}", "sk-ant-api03-" + m.of(LETTERS, 80)),
    "google": lambda m: ("maps {}", "AIza" + m.of(LETTERS, 35)),
    "slack": lambda m: ("bot {}", f"xoxb-{m.of(string.digits, 12)}-{m.of(LETTERS.lower(), 24)}"),
    "slack hook": lambda m: (
        "curl {}",
        f"https://hooks.slack.com/services/T{m.of(UPPER, 8)}/B{m.of(UPPER, 8)}/{m.of(LETTERS, 24)}",
    ),
    "stripe": lambda m: ("charge with {}", "sk_live_" + m.of(LETTERS, 24)),
    "sendgrid": lambda m: ("mail {}", f"SG.{m.of(LETTERS, 22)}.{m.of(LETTERS, 43)}"),
    "twilio": lambda m: ("sid {}", "AC" + m.of(HEX, 32)),
    "telegram": lambda m: ("bot {}", f"{m.of(string.digits, 9)}:{m.of(LETTERS, 35)}"),
    "discord": lambda m: ("bot {}", f"M{m.of(LETTERS, 23)}.{m.of(LETTERS, 6)}.{m.of(LETTERS, 27)}"),
    "pypi": lambda m: ("twine {}", "pypi-AgEIcHlwaS5vcmc" + m.of(LETTERS, 80)),
    "npm": lambda m: ("//registry.npmjs.org/:_authToken={}", "npm_" + m.of(LETTERS, 36)),
    "square": lambda m: ("pay {}", "sq0csp-" + m.of(LETTERS, 43)),
    "mailchimp": lambda m: ("list {}", m.of(HEX, 32) + "-us12"),
    "jwt": lambda m: ("cookie {}", f"eyJ{m.of(LETTERS, 30)}.{m.of(LETTERS, 60)}.{m.of(LETTERS, 43)}"),
    "bearer": lambda m: ("-H 'Authorization: Bearer {}'", m.of(LETTERS, 40)),
    "url": lambda m: ("postgres://app:{}@db.internal:5432/app", m.mix(14)),
    "quoted password": lambda m: ('password = "{}"', m.mix(12)),
    "json password": lambda m: ('{{"db_password": "{}"}}', m.mix(12)),
    "env password": lambda m: ("DB_PASSWORD={}", m.mix(12)),
    "yaml token": lambda m: ("token: {}", m.mix(24)),
    "option": lambda m: ("deploy --password {} --now", m.mix(10)),
    "private key": lambda m: (
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
        m.of(LETTERS, 64),
    ),
    "ibm": lambda m: ("ibm_api_key: '{}'", m.of(LETTERS, 44)),
    "softlayer": lambda m: ("softlayer_api_key = {}", m.of(HEX, 64)),
    "artifactory": lambda m: ("jfrog {} ", "AKC" + m.of(LETTERS, 20)),
}


def plant_secrets(number: int) -> list[tuple[str, str, str]]:
    """Return kinds, texts and the secrets in them, each kind in turn."""
    maker, kinds = Maker(7), [*KINDS.items()]
    planted: list[tuple[str, str, str]] = []
    for index in range(number):
        kind, make = kinds[index % len(kinds)]
        form, secret = make(maker)
        planted.append((kind, form.format(secret), secret))
    return planted
