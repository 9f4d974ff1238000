"""Profiles of users in a domain of their own, and corrections that a recall tells first."""

from __future__ import annotations

from collections.abc import Awaitable
from uuid import uuid4

import pytest

from graph_memory import Code, GraphError, Memory, Settings, ontology_from, open_memory_sync
from graph_memory.memory.recall.guide import GUIDE
from graph_memory.memory.search.token_budget import tokens_of_text
from integration.agent.own_domains import memory, own
from support import agrees

__all__ = ["memory", "own"]
pytestmark = pytest.mark.anyio
NPM = {"original": "npm install", "corrected": "pnpm install", "context": "installing packages"}
REMINDER = 'The user corrected this before ({}): not "npm install", but "pnpm install". Context: "installing packages".'


def users_of(memory: Memory, own: Settings) -> Memory:
    return memory.in_domain(own.users_domain)


async def code_of(call: Awaitable[object]) -> Code:
    with pytest.raises(GraphError) as caught:
        await call
    return caught.value.code


async def test_a_profile_has_what_was_given_last_and_all_corrections_and_feedback(memory: Memory, own: Settings):
    user = memory.agent.user
    assert (await user.get()).warnings == ('No profile of "user" is stored yet',)
    await user.update(communication_style="concise", preferred_tools=["uv", "ruff"], correction=NPM)
    await user.update(
        "ann", feedback="too long", source="review", time="2026-01-02T03:04:05Z", custom_instructions=["Use metres"]
    )
    profile = await user.update(expertise_level="expert", preferred_tools=["uv"], feedback="well done")
    assert (profile.communication_style, profile.expertise_level) == ("concise", "expert")
    assert (profile.preferred_tools, profile.custom_instructions) == (("uv",), None)
    [correction] = profile.corrections or ()
    assert (correction.original, correction.corrected, correction.source) == ("npm install", "pnpm install", "user")
    assert [feedback.text for feedback in profile.feedback or ()] == ["well done"]
    [feedback] = (await user.get("ann")).feedback or ()
    assert (feedback.text, feedback.source, feedback.to_dict()["time"]) == (
        "too long",
        "review",
        "2026-01-02T03:04:05Z",
    )
    assert (await user.get("ann")).custom_instructions == ("Use metres",)
    await user.update(correction={**NPM, "original": "yarn"})
    cut = await user.get(limit=1)
    assert (len(cut.corrections or ()), cut.left_out) == (1, 1)
    await agrees(users_of(memory, own))


async def test_sessions_are_counted_in_the_log_of_the_project_and_stored_ones_added(memory: Memory, own: Settings):
    for session, actor in (("s1", "ann"), ("s2", "bob"), ("s2", "bob")):
        await memory.acting_as(actor, session).entities.remember("Apollo uses Rust.", name=f"Apollo {session}")
    updated = await memory.agent.user.update("ann", feedback="good")
    assert (updated.total_sessions, updated.first_seen, updated.last_seen) == (None, None, None)
    ann = await memory.agent.user.get("ann")
    everyone = await memory.agent.user.get()
    assert (ann.total_sessions, everyone.total_sessions) == (1, 2)
    await users_of(memory, own).entities.upsert(
        "ann", properties={"total_sessions": 40, "first_seen": "2020-01-01T00:00:00Z"}
    )
    ann = await memory.agent.user.get("ann")
    assert (ann.total_sessions, ann.to_dict()["first_seen"]) == (41, "2020-01-01T00:00:00Z")
    assert ann.last_seen is not None


async def test_bad_input_is_refused_and_creates_no_domain(memory: Memory, own: Settings):
    user, users = memory.agent.user, users_of(memory, own)
    calls: list[tuple[Awaitable[object], Code]] = [
        (user.update(), Code.INVALID_ARGUMENT),
        (user.update(communication_style="short"), Code.INVALID_ARGUMENT),  # type: ignore[arg-type]
        (user.update(expertise_level=float("nan")), Code.INVALID_ARGUMENT),  # type: ignore[arg-type]
        (user.update(correction={"original": "", "corrected": "x"}), Code.INVALID_ARGUMENT),
        (user.update(feedback="x" * 8_000_000), Code.CONTENT_TOO_LARGE),
        (user.update(feedback="x", time="soon"), Code.INVALID_ARGUMENT),
        (user.update("", feedback="x"), Code.INVALID_ARGUMENT),
        (user.get(limit=0), Code.INVALID_ARGUMENT),
        (users.get_ontology(), Code.ONTOLOGY_NOT_FOUND),
    ]
    assert [await code_of(call) for call, _ in calls] == [code for _, code in calls]
    await user.update(feedback="good", communication_style="detailed")
    await users.entities.create_entities([{"name": "Bob", "type": "customer"}])
    before = (await users.history.log(limit=1)).entries[0].seq
    assert await code_of(user.update("Bob", feedback="x")) is Code.INVALID_ARGUMENT
    assert await code_of(user.update(correction=NPM, communication_style="short")) is Code.INVALID_ARGUMENT  # type: ignore[arg-type]
    assert (await users.history.log(limit=1)).entries[0].seq == before


async def test_a_correction_that_fits_comes_first_in_every_recall_within_the_budget(
    memory: Memory, own: Settings, domain: str
):
    await memory.entities.remember("Apollo installs its packages with npm.", name="Apollo")
    query = "How do I install packages?"
    assert "corrected" not in str((await memory.recall.recall(query)).content)
    made = await memory.agent.user.update(correction=NPM)
    line = REMINDER.format(f"{(made.corrections or ())[0].time:%-d %B %Y}")
    for budget in (150, 500, 2_000):
        result = await memory.recall.recall(query, max_tokens=budget)
        assert str(result.content).splitlines()[0] == line
        assert result.tokens_used == tokens_of_text(str(result.content)) <= budget
    assert "Apollo" in str(result.content)
    smallest = await memory.recall.recall(query, max_tokens=50)
    assert ("corrected" in str(smallest.content), smallest.left_out) == (False, 1)
    shaped = (await memory.recall.recall(query, as_="structured")).content
    assert isinstance(shaped, dict)
    assert (next(iter(shaped)), shaped["user"]) == ("user", [line])
    answer = await memory.recall.memory_query(query)
    both = await memory.recall.recall(query, domains=[domain, own.users_domain])
    assert [str(item.content).splitlines()[0] for item in (answer, both)] == [line, line]
    results = await memory.agent.query_memory(query)
    assert [(correction.original, correction.corrected) for correction in results.corrections] == [
        ("npm install", "pnpm install")
    ]
    assert "corrected" not in str((await memory.recall.recall("Where does Ann live?")).content)
    assert "corrected" not in str((await memory.recall.recall(query, as_of=1)).content)
    await memory.agent.user.update("ann", correction={"original": "lodash", "corrected": "es-toolkit"})
    assert str((await memory.recall.recall("lodash")).content).startswith("ann corrected this before")


async def test_a_primer_begins_with_corrections_also_where_nothing_else_is_known(memory: Memory, own: Settings):
    await memory.agent.user.update(correction=NPM)
    empty = await memory.entities.session_start()
    assert (empty.text.splitlines()[0], empty.text.endswith(GUIDE)) == ("## The user", True)
    assert empty.tokens == tokens_of_text(empty.text) <= 1_500
    new = await memory.recall.recall("install packages")
    assert [str(new.content).startswith("The user corrected"), str(new.content).endswith(GUIDE)] == [True, True]
    await memory.entities.edit_block("persona", "A careful agent")
    started = await memory.entities.session_start()
    assert started.text.startswith("## The user\n- The user corrected this before")
    assert "A careful agent" in started.text
    about = await memory.entities.session_start(project="Zephyr")
    assert "The user corrected this before" in about.text


@pytest.mark.long
async def test_a_correction_is_reverted_forgotten_exported_and_read_as_it_was(memory: Memory, own: Settings):
    users = users_of(memory, own)
    await memory.agent.user.update(feedback="good")
    before = (await users.history.log(limit=1)).entries[0].seq
    await memory.agent.user.update(correction=NPM)
    with_it = (await users.history.log(limit=1)).entries[0].seq
    assert len(await memory.agent.user.find_corrections("npm install")) == 1
    await users.history.branch(f"{own.users_domain}-b")
    await users.history.revert(since=before + 1, dry_run=False)
    assert (await memory.agent.user.get()).corrections is None
    assert "corrected" not in str((await memory.recall.recall("npm install")).content)
    [then] = (await (await users.history.as_of(with_it)).open_nodes(["user"])).entities
    assert any("pnpm" in text for text in then.observations)
    [branched] = (await memory.in_domain(f"{own.users_domain}-b").entities.open_nodes(["user"])).entities
    assert branched.observations == then.observations
    again = (await memory.agent.user.update(correction={**NPM, "context": "setup"})).corrections or ()
    await users.entities.forget(ids=[again[0].id])
    assert (await memory.agent.user.get()).corrections is None
    assert await memory.agent.user.find_corrections("npm install") == ()
    await agrees(users)


async def test_another_type_of_that_name_stays_and_protection_holds(memory: Memory, own: Settings):
    users = users_of(memory, own)
    await users.create_ontology(ontology_from({"node_types": ["UserProfile"], "connection_types": []}))
    await memory.agent.user.update(correction=NPM)
    assert (await users.query_nodes(type="AgentUserProfile")).node_ids
    assert not (await users.query_nodes(type="UserProfile")).node_ids
    assert len(await memory.agent.user.find_corrections("npm install")) == 1
    await users.protect(domain=own.users_domain)
    assert await code_of(memory.agent.user.update(feedback="x")) is Code.PROTECTED


def test_the_memory_without_async_has_users_and_capabilities(own: Settings, domain: str):
    with open_memory_sync(own) as memory:
        agent = memory.in_domain(domain).agent
        assert (agent.user.update(correction=NPM).corrections or ())[0].corrected == "pnpm install"
        assert agent.meta.set_capability("Writes tests", "strength").strengths == ("Writes tests",)


async def test_a_deleted_user_has_no_profile_in_any_state_and_no_key(memory: Memory, own: Settings):
    name = f"ann-{uuid4().hex[:8]}"
    for key in (name, f"{name}-2"):
        await memory.keys.create(key, domains=["*"])
    await memory.agent.user.update(name, feedback="Answers are too long.")
    entity = await memory.agent.user._find_entity(name)
    assert entity is not None
    deleted = await memory.agent.user.delete(name)
    assert ([key.name for key in deleted.revoked], len(deleted.erased)) == ([name], 1)
    assert [key.name for key in (await memory.keys.list()).keys if name in key.name] == [f"{name}-2"]
    await memory.keys.revoke(f"{name}-2")
    assert not (await memory.agent.user.get(name)).feedback
    entries = (await users_of(memory, own).history.log(subject=entity.id)).entries
    assert "too long" not in repr(entries)
    assert await code_of(memory.agent.user.delete(name)) is Code.INVALID_ARGUMENT
    await agrees(users_of(memory, own))
