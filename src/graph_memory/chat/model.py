"""The interface of language models, and its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a model. `is_cut` means that it reached the maximum number of tokens."""

    text: str
    is_cut: bool = False


class ChatModel(Protocol):
    """A model that answers in text. Any number of tasks of one event loop may use it."""

    @property
    def name(self) -> str:
        """The provider and the name of the model, as in `ollama/llama3.2`."""
        ...

    async def reply(self, system: str, text: str) -> Reply:
        """Return the answer to a text under the instructions `system`. Raises ModelUnavailable."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class ModelUnavailable(Exception):  # noqa: N818 - a state of a provider that its users live with
    """No answer is available: the provider is down, lacks the model, rejects the request, or sends an invalid reply.

    `message` is the problem and `hint` the next step. Neither contains a key.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
