"""Chooses the language model in the settings. Only the chosen model's modules are imported."""

from __future__ import annotations

from pydantic import SecretStr

from graph_memory.chat.model import ChatModel
from graph_memory.settings import Settings

SERVERS = {
    "ollama": ("http://localhost:11434/v1", "llama3.2"),
    "openai": ("https://api.openai.com/v1", "gpt-5-mini"),
    "anthropic": ("https://api.anthropic.com/v1", "claude-haiku-4-5"),
}
"""The default URL and the default model of each provider."""


def chat_model(settings: Settings) -> ChatModel | None:
    """Return the language model in the settings, or None if none is set."""
    if settings.model == "off":
        return None
    from graph_memory.chat.protocols import ANTHROPIC, OPENAI
    from graph_memory.chat.remote import RemoteModel
    from graph_memory.provider.client import Service

    default_url, default_model = SERVERS[settings.model]
    url = settings.model_url or default_url
    is_default_server = settings.model != "ollama" and url == default_url
    is_anthropic = settings.model == "anthropic"
    key = settings.model_api_key.get_secret_value()
    if not key and is_default_server:
        key = (settings.anthropic_api_key if is_anthropic else settings.openai_api_key).get_secret_value()
    service = Service(
        provider=settings.model,
        model=settings.model_name or default_model,
        url=url,
        key=SecretStr(key.strip()),
        needs_key=is_default_server,
        timeout=settings.model_timeout,
        login="x-api-key" if is_anthropic else "bearer",
    )
    return RemoteModel(service, ANTHROPIC if is_anthropic else OPENAI)
