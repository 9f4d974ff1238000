"""The interface of language models, and the error that they raise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. `is_cut` means that the answer reached the token limit and is incomplete."""

    text: str
    is_cut: bool = False


class ChatModel(Protocol):
    """A model that answers with text. Any number of tasks in one event loop can use it."""

    @property
    def name(self) -> str:
        """The model's provider and name, such as `ollama/llama3.2`."""
        ...

    async def reply(self, system: str, text: str) -> Reply:
        """Return the answer to the text. `system` contains the instructions. Raises ModelUnavailable."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class ModelUnavailable(Exception):  # noqa: N818 - a state of a provider that its users live with
    """The model returned no valid answer, for example because its server is down or does not have the model.

    `message` describes the problem, and `hint` the next step. Neither contains the API key.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
