"""Keys in the database: how their rights are shown, and their end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from graph_memory import Code, GraphError, Memory
from graph_memory.memory.keys.access_keys import create_key, rotate_key
from graph_memory.model.rights import Grant, Principal, Right

pytestmark = pytest.mark.anyio


async def test_the_highest_right_of_a_pattern_is_shown(memory: Memory, domain: str) -> None:
    key = await memory.keys.create(domain, domains=["team-*=write", "team-*=read"])
    assert key.rights == {"team-*": "write"}
    await memory.keys.revoke(domain)


async def test_an_expired_key_cannot_be_replaced(memory: Memory, domain: str) -> None:
    await memory.keys.create(domain, domains=["*"], expires="in 1 hours")
    later = datetime.now(UTC) + timedelta(hours=2)
    with pytest.raises(GraphError, match="has expired") as refused:
        await rotate_key(memory._core.store, domain, later, later + timedelta(hours=1))
    assert refused.value.code is Code.INVALID_ARGUMENT
    with pytest.raises(GraphError, match=r"already exists.*key revoke.*create it again"):
        await create_key(memory._core.store, Principal(domain, (Grant("*", Right.READ),)), later)
    [left] = (await memory.keys.revoke(domain)).revoked
    assert left.name == domain


async def test_the_hint_of_a_time_that_is_over_can_be_followed(memory: Memory, domain: str) -> None:
    with pytest.raises(GraphError, match="is in the past") as refused:
        await memory.keys.create(domain, domains=["*"], expires="yesterday")
    assert '"in 90 days"' in str(refused.value.hint)
    key = await memory.keys.create(domain, domains=["*"], expires="in 90 days")
    assert key.expires is not None
    await memory.keys.revoke(domain)
