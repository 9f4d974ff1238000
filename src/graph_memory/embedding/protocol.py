"""OpenAI's embeddings protocol: what a reply must be. It is pure."""

from __future__ import annotations

from pydantic import BaseModel, FiniteFloat, ValidationError

from graph_memory.embedding.texts import unit
from graph_memory.provider.faults import Refused, misread


class _Item(BaseModel):
    index: int
    embedding: list[FiniteFloat]


class _Reply(BaseModel):
    data: list[_Item]


def read_reply(body: bytes, count: int) -> list[list[float]]:
    """Return the vectors of a reply in the order of the texts, with the length 1. Raises Refused for others."""
    try:
        items = _Reply.model_validate_json(body, strict=True).data
    except ValidationError as error:
        raise misread(error) from None
    vectors = {item.index: item.embedding for item in items}
    if len(items) != count or vectors.keys() != set(range(count)):
        raise Refused(f"sent {len(items)} vectors for {count} texts, or under other numbers")
    if len({len(vector) for vector in vectors.values()}) != 1:
        raise Refused("sent vectors of several lengths at once")
    try:
        return [unit(vectors[index]) for index in range(count)]
    except ValueError as error:
        raise Refused(f"sent a vector that {error}") from None
