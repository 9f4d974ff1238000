"""Write `src/graph_memory/hooks/secret_rules.json` from the rules of an installed detect-secrets.

Run it with the package at hand: `uv run --with detect-secrets==1.5.0 tools/secret_rules.py`.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/graph_memory/hooks/secret_rules.json"
PLUGINS = {
    "artifactory.ArtifactoryDetector": ["akc", "ap"],
    "aws.AWSKeyDetector": ["a3t", "abia", "acca", "akia", "asia", "aws"],
    "azure_storage_key.AzureStorageKeyDetector": ["accountkey="],
    "cloudant.CloudantDetector": ["cl"],
    "discord.DiscordBotTokenDetector": ["."],
    "github_token.GitHubTokenDetector": ["gh"],
    "gitlab_token.GitLabTokenDetector": ["gl", "gr1348941"],
    "ibm_cloud_iam.IbmCloudIamDetector": ["ibm", "iam", "cloud", "api", "key"],
    "ibm_cos_hmac.IbmCosHmacDetector": ["cos", "ibm", "secret", "access"],
    "jwt.JwtTokenDetector": ["eyj"],
    "mailchimp.MailchimpDetector": ["-us"],
    "npm.NpmDetector": ["_authtoken"],
    "openai.OpenAIDetector": ["sk-"],
    "private_key.PrivateKeyDetector": ["putty-user-key-file-2"],
    "pypi_token.PypiTokenDetector": ["pypi-"],
    "sendgrid.SendGridDetector": ["sg."],
    "slack.SlackDetector": ["xox", "hooks.slack.com"],
    "softlayer.SoftlayerDetector": ["sl", "softlayer"],
    "square_oauth.SquareOAuthDetector": ["sq0csp-"],
    "stripe.StripeDetector": ["k_live_"],
    "telegram_token.TelegramBotTokenDetector": [":"],
    "twilio.TwilioKeyDetector": ["ac", "sk"],
}
"""The detectors, each with the lower-case keywords of which a text with such a secret has one.

Detectors of high entropy and addresses match too much, and the module `redact` has rules of its own.
"""
BOUNDED = {
    "(?: *)(?:=|:|:=|=>| +|::)(?: *)": "[ ]{0,20}(?:=|:|:=|=>|::|[ ])[ ]{0,20}",
    "[A-Za-z0-9-_]*[A-Za-z0-9]{20}": "[A-Za-z0-9-_]{0,200}[A-Za-z0-9]{20}",
    "eyJ[A-Za-z0-9-_=]+": "eyJ[A-Za-z0-9-_=]{1,4000}",
    "\\/\\/.+\\/": "\\/\\/[^\\n]{1,200}\\/",
    "=\\s*((npm_.+)": "=\\s{0,5}((npm_[^\\n]{1,400})",
    ")).*": "))",
}
"""Parts of patterns that take quadratic or cubic time on some texts, each with a part that takes linear time."""


def main() -> None:
    """Write the file."""
    rules = [
        {"name": detector.secret_type.lower(), "keywords": keywords, "pattern": inline(pattern)}
        for path, keywords in PLUGINS.items()
        for module, name in [path.split(".")]
        for detector in [getattr(import_module(f"detect_secrets.plugins.{module}"), name)]
        for pattern in detector.denylist
        if not pattern.pattern.startswith("BEGIN ")  # `redact` finds whole private keys
    ]
    source = f"detect-secrets {version('detect-secrets')}, Copyright Yelp, Apache License 2.0"
    TARGET.write_text(json.dumps({"source": source, "rules": rules}, indent=1) + "\n", encoding="utf-8")


def inline(pattern: re.Pattern[str]) -> str:
    """Return the text of a pattern, with its flags and with bounded repetitions."""
    text = pattern.pattern
    for unbounded, bounded in BOUNDED.items():
        text = text.replace(unbounded, bounded)
    return f"(?i:{text})" if pattern.flags & re.IGNORECASE else text


if __name__ == "__main__":
    main()
