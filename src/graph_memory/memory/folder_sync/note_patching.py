"""Changes a note's text so that it describes its entity's new state. All other lines are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from graph_memory.memory.branches.diff3 import merge_texts
from graph_memory.memory.folder_sync.entity_notes import EntityNote
from graph_memory.memory.folder_sync.note_rendering import OBSERVATIONS, RELATIONS, Renderer
from graph_memory.model.errors import GraphError


def patch(renderer: Renderer, text: str, path: PurePosixPath, name: str, after: EntityNote) -> str:
    """Return a note's text after its entity has changed. `name` is the entity's name according to the old text.

    Lines that the change does not affect are kept. If the result would not be parsed as the entity, returns a newly
    rendered note instead. Raises INVALID_ARGUMENT if a note cannot represent the entity.
    """
    rendered = renderer.render(after, path)
    line_end = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    before = renderer.read(plain, path, name)
    for candidate in _candidates(renderer, plain, path, before, after, rendered):
        changed = candidate.replace("\n", line_end)
        if renderer.read(changed, path, name).key == after.key:
            return changed
    return rendered


def _candidates(
    renderer: Renderer, text: str, path: PurePosixPath, before: EntityNote, after: EntityNote, rendered: str
) -> Iterator[str]:
    merges = [merge_texts(f"{before.text}\n", text, f"{after.text}\n")]
    with suppress(GraphError):  # a note may have values that can be read, but not written
        merges.append(merge_texts(renderer.render(before, path), text, rendered))
    yield from (merged.text for merged in merges if merged is not None and merged.text is not None)
    lines = rendered.split("\n")
    new_items = {f"- {item}" for item in after.observations if item not in before.observations}
    old_items = {f"- {item}" for item in before.observations if item not in after.observations}
    links = {line for line in _section(lines, RELATIONS) if line not in set(text.split("\n"))}
    kept = [line for line in text.split("\n") if line not in old_items]
    kept = _insert(kept, OBSERVATIONS, (line for line in _section(lines, OBSERVATIONS) if line in new_items))
    if set(after.relations) - set(before.relations):
        kept = _insert(kept, RELATIONS, (line for line in _section(lines, RELATIONS) if line in links))
    (front, body), (new_front, new_body) = _split("\n".join(kept)), _split(rendered)
    with suppress(GraphError):
        if front:
            front = _patch_front(front, _split(renderer.render(before, path))[0], new_front)
    yield front + body
    yield front + new_body.removeprefix("" if front else "\n")
    yield new_front + ("" if body.startswith("\n") else "\n") + body


def _patch_front(front: str, before: str, after: str) -> str:
    """Apply the changes between two rendered front matters to a front matter. Lines of other keys are kept."""
    old, new = dict(_blocks(before)), dict(_blocks(after))
    blocks = _blocks(front)
    lines = [lines if old.get(key) == new.get(key) else new.get(key, "") for key, lines in blocks]
    lines += [lines for key, lines in new.items() if key not in old and key not in dict(blocks)]
    return f"---\n{''.join(lines)}---\n"


def _blocks(front: str) -> list[tuple[str, str]]:
    """Split front matter into pairs of a key and its lines. A comment or empty line is a separate pair."""
    blocks: list[tuple[str, str]] = []
    for line in front.removeprefix("---\n").removesuffix("---\n").splitlines(keepends=True):
        if blocks and line.startswith((" ", "\t", "- ", "-\n")):
            blocks[-1] = (blocks[-1][0], blocks[-1][1] + line)
        else:
            key, colon, _ = line.partition(":")
            blocks.append((key if colon and not line.startswith("#") else line, line))
    return blocks


def _split(text: str) -> tuple[str, str]:
    """Return a note's front matter with its delimiters, and the remaining text."""
    if not text.startswith("---\n"):
        return "", text
    end = text.find("\n---\n", 3) + len("\n---\n")
    return (text[:end], text[end:]) if end >= len("---\n---\n") else ("", text)


def _section(lines: list[str], heading: str) -> list[str]:
    """Return the lines of the last section with this heading, up to the next empty line."""
    if heading not in lines:
        return []
    start = len(lines) - lines[::-1].index(heading)
    end = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    return lines[start:end]


def _insert(lines: list[str], heading: str, items: Iterable[str]) -> list[str]:
    """Insert items at the end of a section, and return the lines. A missing section is added at the end of the note."""
    new = list(items)
    if not new:
        return lines
    if heading not in lines:
        while lines and not lines[-1].strip():
            lines = lines[:-1]
        return [*lines, "", heading, *new, ""]
    end = len(lines) - lines[::-1].index(heading)
    while end < len(lines) and lines[end].startswith(("- ", "  ")):
        end += 1
    return [*lines[:end], *new, *lines[end:]]
