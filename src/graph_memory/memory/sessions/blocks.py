"""Blocks: short labelled texts that an agent reads at the start of each session, such as its role and its users.

A block is a node, so the log, reverts and branches include it. It is not an entity.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from graph_memory.memory.core import Core
from graph_memory.memory.sessions.notes import DesiredNote, Note, NoteKind, notes_of, write_note
from graph_memory.memory.sessions.results import Block, BlockEditResult, Blocks
from graph_memory.model.errors import Code, GraphError, Hint
from graph_memory.model.subjects.subjects import BLOCK as BLOCK_TYPE
from graph_memory.model.text.visible import check_visible
from graph_memory.model.text.wording import join_names, nearest, quote
from graph_memory.model.values.arguments import invalid_argument, is_encodable

BLOCK = NoteKind(BLOCK_TYPE, "label", "A short text that an agent reads at the start of each session")
STANDARD = ("persona", "human", "project")
"""The labels that every domain has, even if their texts are empty: the agent, its users and its project."""
LIMIT = 2_000
"""Default maximum number of characters of a block."""
MAX_LIMIT = 20_000
MAX_LABEL_LENGTH = 64
Mode = Literal["append", "replace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """An edit of a block. Raises INVALID_ARGUMENT if a field is invalid."""

    label: str
    text: str
    mode: str = "append"
    old: str | None = None
    limit: int | None = None
    expected_version: int | None = None
    source: str = ""
    """The file from which the text was imported, or an empty string for other edits."""

    def __post_init__(self) -> None:
        check_label(self.label)
        if not isinstance(self.text, str) or not is_encodable(self.text):  # pyright: ignore[reportUnnecessaryIsInstance] - callers without types
            raise invalid_argument("text", "text is not a string, or contains a lone surrogate", "Pass Unicode text.")
        if self.mode not in ("append", "replace"):
            raise invalid_argument("mode", f"{quote(self.mode)} is not a valid mode", "Use append or replace.")
        if self.old is not None and (self.mode != "replace" or not self.old):
            raise invalid_argument(
                "old", "old is empty, or mode is not replace", "With mode replace, pass the part to replace."
            )
        if self.mode == "append" and not self.text and self.limit is None:
            raise invalid_argument("text", "text is empty", "Pass the text to append.")
        if self.limit is not None and (type(self.limit) is not int or not 1 <= self.limit <= MAX_LIMIT):
            raise invalid_argument(
                "limit", f"limit cannot be {self.limit!r}", f"Use a whole number of characters from 1 to {MAX_LIMIT:,}."
            )
        object.__setattr__(self, "text", _normalize(self.text))
        object.__setattr__(self, "old", None if self.old is None else _normalize(self.old))

    def apply(self, before: Note | None) -> DesiredNote:
        """Return the block after the edit.

        Raises CONTENT_TOO_LARGE if the block would exceed its limit, and INVALID_ARGUMENT if the block does not contain
        `old` exactly once.
        """
        text = self._edited_text(_normalize(before.text) if before else "")
        limit = self.limit or (limit_of(before) if before else LIMIT)
        if len(text) > limit:
            hint = "Shorten it, move details into observations, or set a larger limit."
            message = f"Block {self.label} would have {len(text):,} characters, over its limit of {limit:,}"
            raise GraphError(Code.CONTENT_TOO_LARGE, message, {"size": len(text), "limit": limit, "hint": hint})
        properties = {BLOCK.key: self.label, "limit": limit, **({"source": self.source} if self.source else {})}
        return DesiredNote(text, f"Block {self.label}", properties, self.expected_version)

    def _edited_text(self, before: str) -> str:
        if self.mode == "append":
            separator = "\n" if before and self.text and not before.endswith("\n") else ""
            return before + separator + self.text
        if self.old is None:
            return self.text
        count = before.count(self.old)
        if count != 1:
            part = ", or use a part that occurs once, exactly as {get_block|session_start} shows it"
            hint = Hint("Omit old to replace the whole text", part, ".")
            raise invalid_argument("old", f"The block contains {quote(self.old)} {count} times", hint)
        return before.replace(self.old, self.text)


def _normalize(text: str) -> str:
    """Return a text in NFC with uniform line endings, so that substrings match however they were typed."""
    return unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))


def check_label(label: object) -> str:
    """Validate and return the label of a block.

    Raises INVALID_ARGUMENT if the label is empty, too long, or has invisible characters or extra spaces.
    """
    if isinstance(label, str) and is_encodable(label):
        check_visible("Label", label)
    is_label = isinstance(label, str) and is_encodable(label) and label == " ".join(label.split())
    if not is_label or not 1 <= len(str(label)) <= MAX_LABEL_LENGTH:
        hint = f"Use one or a few words of 1 to {MAX_LABEL_LENGTH} characters, such as {', '.join(STANDARD)}."
        raise invalid_argument("label", f"{quote(label)} is not a valid label", hint)
    return str(label)


def limit_of(note: Note) -> int:
    """Return the maximum number of characters of a block."""
    limit = note.properties.get("limit")
    return limit if isinstance(limit, int) else LIMIT


async def get_blocks(core: Core, domain: str, label: str | None) -> Blocks:
    """Return the block with the given label, or all blocks. See `Entities.get_block`."""
    unreadable: list[GraphError] = []
    blocks = await blocks_of(core, domain, unreadable)
    errors = [
        error for error in unreadable if label is None or fold_label(str(error.details[BLOCK.key])) == fold_label(label)
    ]
    if label is not None and errors and not any(fold_label(block.label) == fold_label(label) for block in blocks):
        raise errors[0]
    warnings = tuple(f"{error.message}. It is omitted." for error in errors)
    return blocks_with(blocks, label).model_copy(update={"warnings": warnings or None})


def blocks_with(stored: Sequence[Block], label: str | None) -> Blocks:
    """Return the block with the given label, or all blocks, including standard blocks.

    Raises INVALID_ARGUMENT if the label is unknown.
    """
    blocks = {
        **{standard: Block(label=standard, text="", characters=0, limit=LIMIT) for standard in STANDARD},
        **{block.label: block for block in stored},
    }
    if label is None:
        return Blocks(blocks=tuple(blocks.values()))
    label = _known_label(check_label(label), blocks)
    if label not in blocks:
        nearest_label = nearest(label, list(blocks))
        names = join_names(list(blocks))
        hint = Hint("Use one of {labels}.", " To create another block, call {edit_block}.", labels=names)
        suggestion = (
            Hint("Did you mean {near}? {hint}", near=quote(nearest_label), hint=hint) if nearest_label else hint
        )
        raise invalid_argument("label", f"No block has the label {quote(label)}", suggestion)
    return Blocks(blocks=(blocks[label],))


async def blocks_of(core: Core, domain: str, unreadable: list[GraphError] | None = None) -> Sequence[Block]:
    """Return the stored blocks: standard blocks first, then all other blocks, sorted by label. See `notes_of`."""
    notes = await notes_of(core, core.store, domain, BLOCK, unreadable=unreadable)
    order = {label: place for place, label in enumerate(STANDARD)}
    blocks = [block_of(note) for note in notes if note.properties.get(BLOCK.key)]
    return sorted(blocks, key=lambda block: (order.get(block.label, len(order)), block.label))


def _known_label(label: str, known_labels: Collection[str]) -> str:
    """Return the known label that equals a label except for case and accent encoding, or the label itself."""
    if label in known_labels:
        return label
    return next((known for known in known_labels if fold_label(known) == fold_label(label)), label)


def fold_label(label: str) -> str:
    """Return a label in a form for comparison, which ignores case and the encoding of accents."""
    return unicodedata.normalize("NFC", label).casefold()


def block_of(note: Note) -> Block:
    """Return the block that a note stores."""
    return Block(
        label=str(note.properties[BLOCK.key]),
        text=note.text,
        characters=len(note.text),
        limit=limit_of(note),
        id=note.node.id,
        version=note.node.version,
    )


async def edit_block(core: Core, domain: str, edit: Edit) -> BlockEditResult:
    """Edit a block. See `Entities.edit_block`."""
    unreadable: list[GraphError] = []
    labels = [*STANDARD, *(block.label for block in await blocks_of(core, domain, unreadable))]
    labels += [str(error.details[BLOCK.key]) for error in unreadable]
    edit = replace(edit, label=_known_label(edit.label, labels))
    written = await write_note(core, domain, "edit_block", BLOCK, edit.label, edit.apply)
    return BlockEditResult(
        label=edit.label,
        text=written.wanted.text,
        characters=len(written.wanted.text),
        limit=int(written.wanted.properties["limit"]),
        id=written.id,
        version=written.version,
        changed=written.changed,
    )
