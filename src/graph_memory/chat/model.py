"""What every language model can do, and how it says that it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answers; `is_cut` says that it had no room for all of it."""

    text: str
    is_cut: bool = False


class ChatModel(Protocol):
    """A model that answers in words; for any number of concurrent tasks of one event loop."""

    @property
    def name(self) -> str:
        """The provider and the name of the model, as in `ollama/llama3.2`."""
        ...

    async def reply(self, system: str, text: str) -> Reply:
        """Return the answer to a text under instructions. Raises ModelUnavailable."""
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


class ModelUnavailable(Exception):  # noqa: N818 - a state of a provider that its users live with
    """There is no answer now: the provider is down, lacks the model, refuses, or gives what no answer is.

    `message` says what happened and `hint` what to do about it; neither holds a key.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
