"""The guide to using the memory, which a recall of an empty memory returns. It is not stored.

A server omits the parts about tools that it does not offer.
"""

from __future__ import annotations

from typing import Any

from graph_memory.model.errors import Hint

WAYS = Hint(
    "- Write facts that help next time: decisions with reasons, how things are set up, preferences, open questions. "
    "Leave out facts that are in the code or the files.",
    "\n- {remember} takes facts about one entity, by its name: short sentences, one fact each. Pass values that "
    "change, such as a status or a city, as properties. Put outdated facts into replaces. If it asks "
    "a question, answer with {decide}.",
    "\n- {create_relations} connects entities. Name relations with verbs, such as uses, works_on, depends_on.",
    "\n- {create_ontology} declares types of nodes and connections. {create_node} and {create_connection} write them.",
    "\n- {forget} ends facts that are no longer true.",
    "\n- {edit_block} keeps short texts that you read at the start of each session: persona (who you are), human (whom "
    "you work with), project (what the project is about).",
    "\n- Search before you write, and before you answer from memory.",
    " {recall} returns what is stored about a question or an entity.",
    " {search_memories} lists the best results.",
    " {search_nodes} finds entities that contain a text.",
    "\n- {session_end} stores a summary: completed work, decisions, open questions.",
)
"""The part of the guide that explains how an agent works with a memory."""
GUIDE = Hint(
    "This memory is empty. It lasts beyond this conversation: what you write now, you and others can read later.",
    "\n\n{ways}",
    "\n\nNothing has been stored yet.",
    ways=WAYS,
)
"""The reply to a recall of an empty memory."""
IN_SHORT = Hint(
    "This memory is empty.",
    " Store useful facts with {remember}.",
    " Search with {recall} before you answer from memory.",
)
"""The short form of the guide, which fits the smallest budget of a recall."""
GUIDES = (GUIDE, IN_SHORT)
"""The forms of the guide, longest first."""


def split_guide(content: str | dict[str, Any]) -> tuple[str | dict[str, Any], str]:
    """Return the content without the guide, and the guide, which is empty if the content has none."""
    if isinstance(content, dict):
        other_values = {key: value for key, value in content.items() if key != "guide"}
        return (other_values, str(content["guide"])) if content.get("guide") in GUIDES else (content, "")
    guide = next(filter(content.endswith, GUIDES), "")
    return (content.removesuffix(guide).removesuffix("\n"), guide) if guide else (content, "")
