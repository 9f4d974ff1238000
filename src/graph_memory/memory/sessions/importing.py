"""Imports other programs' memories.

Instructions such as CLAUDE.md become blocks, all other memories become entities.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import anyio.to_thread

from graph_memory.memory.core import Core
from graph_memory.memory.entities import importing
from graph_memory.memory.entity_graph.domain import ensure_domain
from graph_memory.memory.sessions.blocks import (
    LIMIT,
    MAX_LABEL_LENGTH,
    MAX_LIMIT,
    Edit,
    blocks_of,
    edit_block,
    fold_label,
)
from graph_memory.memory.sessions.results import Block
from graph_memory.memory.transfer.formats.memories.note_files import read_text
from graph_memory.memory.transfer.formats.memories.recognise import check_format, recognise_format
from graph_memory.memory.transfer.formats.memories.rows import Source
from graph_memory.memory.transfer.formats.memories.secrets import SecretFilter, files_of_agents
from graph_memory.memory.transfer.formats.records import InvalidRecord, InvalidSourceValue, SourcePosition
from graph_memory.memory.transfer.load.sources import raise_if_invalid, rejected_records
from graph_memory.memory.transfer.load.staged_record import Findings
from graph_memory.memory.transfer.results import BlockCounts, ImportCounts, MemoryFormat, MemoryImportResult
from graph_memory.model.errors import GraphError
from graph_memory.model.text.wording import printable
from graph_memory.model.values.arguments import invalid_argument
from graph_memory.progress import Progress

_MAX_SECTIONS = 50
"""Maximum number of blocks per file, since all blocks are read at the start of each session."""
_MAX_FOLDER_LENGTH = 24
"""Maximum number of characters of the folder name in a label. The remaining characters are for the section title."""
_HEADING = re.compile(r" {0,3}#{1,2}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r" {0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of an import. If no format is given, the content determines it."""

    form: MemoryFormat | None = None
    skip_invalid: bool = False
    dry_run: bool = False


async def import_memory(
    core: Core, domain: str, source: Source, options: Options, progress: Progress
) -> MemoryImportResult:
    """Import a memory into a domain. See `Transfer.import_memory`."""
    check_format(options.form)
    form = options.form or await anyio.to_thread.run_sync(recognise_format, source)
    if form == "instructions" and isinstance(source, Path):
        return await _import_instructions(core, domain, source, options, progress)
    entity_options = importing.ImportOptions(form=form, skip_invalid=options.skip_invalid, dry_run=options.dry_run)
    return await importing.import_memory(core, domain, source, entity_options, progress)


async def _import_instructions(
    core: Core, domain: str, file: Path, options: Options, progress: Progress
) -> MemoryImportResult:
    """Store the sections of a file as blocks. The blocks of sections that the file no longer contains become empty."""
    findings, secrets = Findings(), SecretFilter(files_of_agents(file, "instructions"))
    edits = await anyio.to_thread.run_sync(_edits_of, file, findings, secrets)
    if not options.dry_run:
        raise_if_invalid(findings, skip_invalid=options.skip_invalid)
    ontology = await core.log.ontology(domain)
    blocks = () if ontology is None else await blocks_of(core, domain)
    stored = {fold_label(block.label): block.text for block in blocks}
    if not findings.count:  # otherwise a section may be missing only because it is invalid
        edits = {**_edits_for_removed_sections(blocks, _prefix_of(file), edits), **edits}
    changed = [edit for key, edit in edits.items() if stored.get(key) != edit.text]
    session = importing.new_session(core)
    if changed and not options.dry_run:
        if ontology is None:
            await ensure_domain(core, domain)  # a session that creates its domain cannot be reverted
        writer = replace(core, origin=replace(core.origin, session=session))
        for number, edit in enumerate(changed):
            progress("Importing blocks", number / len(changed))
            await edit_block(writer, domain, edit)
    new_count = sum(fold_label(edit.label) not in stored for edit in changed)
    no_counts = ImportCounts(new=0, already_there=0)
    return MemoryImportResult(
        domain=domain,
        format="instructions",
        dry_run=options.dry_run,
        session=session if changed and not options.dry_run else None,
        entities=no_counts,
        relations=no_counts,
        observations=no_counts,
        blocks=BlockCounts(new=new_count, changed=len(changed) - new_count, already_there=len(edits) - len(changed)),
        secrets=secrets.secrets_in(text for edit in changed for text in (edit.label, edit.text)),
        refused=rejected_records(findings),
        notes=(),
    )


def _edits_for_removed_sections(blocks: Sequence[Block], prefix: str, edits: Mapping[str, Edit]) -> Mapping[str, Edit]:
    """Return the edits that empty the blocks of removed sections, keyed by folded label."""
    return {
        fold_label(block.label): Edit(label=block.label, text="", mode="replace")
        for block in blocks
        if (block.label == prefix or block.label.startswith(f"{prefix}: "))
        and block.text
        and fold_label(block.label) not in edits
    }


def _prefix_of(file: Path) -> str:
    """Return the prefix of a file's labels: folder and file name, since many projects have a file with that name."""
    path = file.absolute()
    return " ".join(f"{path.parent.name[-_MAX_FOLDER_LENGTH:]}/{path.name}".split())


def _edits_of(file: Path, findings: Findings, secrets: SecretFilter) -> Mapping[str, Edit]:
    """Return the edits for a file's sections, keyed by folded label. Secrets are removed.

    Invalid sections are reported with their lines.
    """
    edits: dict[str, Edit] = {}
    for line_number, title, body in _split_sections(secrets.clean(_read(file, findings))):
        label = _label_of(_prefix_of(file), title, edits.keys())
        limit = min(max(LIMIT, len(body)), MAX_LIMIT)
        try:
            edit = Edit(label=label, text=body, mode="replace", limit=limit, source=str(file.absolute()))
            edit.apply(None)  # raises an error if the text is too long
            edits[fold_label(label)] = edit
        except GraphError as error:
            findings.reject(InvalidRecord.of(SourcePosition(file.name, line_number), error))
        if len(edits) > _MAX_SECTIONS:
            hint = "Use fewer headings of the first two levels, or import the file with --format markdown."
            raise invalid_argument("source", f"The file contains more than {_MAX_SECTIONS} sections", hint)
    return edits


def _read(file: Path, findings: Findings) -> str:
    """Return the text of a file, or "" if it is rejected. Raises INVALID_ARGUMENT if the file cannot be opened."""
    try:
        return read_text(file.resolve())  # AGENTS.md is often a link to CLAUDE.md
    except InvalidSourceValue as error:
        findings.reject(error.at(SourcePosition(file.name)))
    except OSError as error:
        reason = f"Cannot read {printable(file)}: {error.strerror or error}"
        raise invalid_argument("source", reason, "Pass a readable file.") from error
    return ""


def _label_of(prefix: str, title: str, used_labels: Collection[str]) -> str:
    """Return the label of a section, with a number if an earlier section has the same label."""
    for number in count(1):
        suffix = f" ({number})" if number > 1 else ""
        label = " ".join((f"{prefix}: {title}" if title else prefix).split())
        max_length = MAX_LABEL_LENGTH - len(suffix)
        label = (label if len(label) <= max_length else f"{label[: max_length - 1].rstrip()}…") + suffix
        if fold_label(label) not in used_labels:
            return label
    raise AssertionError("unreachable")


def _split_sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line number, title and text of each section with a heading of level 1 or 2. Skips empty sections."""
    sections: list[tuple[int, str, list[str]]] = [(1, "", [])]
    fence = ""
    for line_number, line in enumerate(text.splitlines(), 1):
        if mark := _FENCE.match(line):
            fence = mark[1] if not fence else "" if mark[1].startswith(fence) else fence
        if not fence and (heading := _HEADING.fullmatch(line)):
            sections.append((line_number, heading["title"], []))
        else:
            sections[-1][2].append(line)
    for line_number, title, lines in sections:
        if body := "\n".join(lines).strip():
            yield line_number, title, body
