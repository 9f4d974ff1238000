"""What other nodes say of a forgotten entity."""

from __future__ import annotations

from typing import Any, cast

import pytest

from graph_memory.memory.core import Core
from graph_memory.memory.entities import other_mentions
from graph_memory.memory.entities.results import Forgotten
from graph_memory.model.errors import Code, GraphError

pytestmark = pytest.mark.anyio

DONE = Forgotten(forgotten=(), entities=1, observations=2, relations=0, erased=True, domains=("home",))


async def test_a_search_that_fails_leaves_the_receipt_of_an_erasure_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise GraphError(Code.TIMEOUT, "The query took longer than 30 seconds", {})

    monkeypatch.setattr(other_mentions, "scope_of", fail)
    told = await other_mentions.with_mentions(cast("Core", None), "home", DONE, ["Ann"], set())
    assert told.model_copy(update={"warnings": None}) == DONE
    assert "took longer than 30 seconds" in str(told.warnings)
    assert "scan" in str(told.warnings)
