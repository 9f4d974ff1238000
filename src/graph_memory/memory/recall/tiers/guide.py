"""What an agent is told where nothing is remembered: how it works with a memory. Nothing is stored for it. Pure."""

from __future__ import annotations

WAYS = """\
- Write what is worth knowing next time: decisions and why, how things are set up, what people prefer, what is open. \
Leave out what the code or the files say themselves.
- remember takes facts about one thing, by its name: short sentences, one fact each. Say what changes, such as a \
status or a city, as properties. Name in replaces what is no longer true. Answer its questions with decide.
- create_relations says how things are related, in verbs such as uses, works_on, depends_on.
- edit_block keeps short texts that you read at the start of each session: persona (who you are), human (whom you work \
with), project (what it is about).
- recall and search_nodes find what is known: look before you write, and before you answer from memory.
- session_end keeps a summary: what was done, what was decided, what is open.

Use those of these tools that you have."""
"""How an agent works with a memory."""
GUIDE = f"""\
This memory is empty. It lasts beyond this conversation: what you write now, you and others can read later.

{WAYS} Nothing has been stored yet."""
"""What an agent is told where nothing is remembered."""
IN_SHORT = "This memory is empty: write what is worth knowing with remember, and look with recall before you answer."
"""The same where there is no room for it: in fewer tokens than a recall can be given."""
