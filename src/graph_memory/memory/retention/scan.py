"""Looking for a text in all that is kept: every property of every node and relationship, and the blobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from graph_memory.memory.core import Core
from graph_memory.memory.retention.results import Finding, Scanned
from graph_memory.model.values.arguments import check_query
from graph_memory.storage.queries import query
from graph_memory.storage.store import PATIENCE

MOST = 1_000
"""Findings in nodes, and in relationships, that are told."""


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A property that holds the text."""

    labels: list[str]
    domain: str | None
    id: str | None
    property: str
    is_tombstone: bool
    subject: str | None
    title: str | None
    sha256: str | None

    def finding(self, place: Literal["node", "relationship"]) -> Finding:
        """Return what is told of it; a text is found by its hash, and named by its label."""
        return Finding(
            place=place,
            label=" ".join(self.labels),
            domain=self.domain,
            id=self.id or self.sha256,
            property=self.property,
            subject=self.subject,
            of=self.title,
        )


@dataclass(frozen=True, slots=True)
class OwnerRow:
    """A node or connection that has, or had, a content."""

    sha256: str
    subject: str
    title: str | None


OWNERS = query("retention/content_owners", OwnerRow)
NODES = query("retention/scan_nodes", FoundRow)
RELATIONSHIPS = query("retention/scan_relationships", FoundRow)


async def scan(core: Core, text: str) -> Scanned:
    """Look for a text in the whole database and among the blobs. `History.scan` tells the rest."""
    check_query(text)
    arguments = {"texts": sorted({text, text.casefold()}), "limit": MOST + 1}
    nodes = await core.store.read_within(PATIENCE, NODES, **arguments)
    relationships = await core.store.read_within(PATIENCE, RELATIONSHIPS, **arguments)
    findings = [row.finding("node") for row in nodes if not row.is_tombstone]
    tied = [row.finding("relationship") for row in relationships]
    blobs, looked_at = await _blobs(core, text)
    return Scanned(
        findings=tuple(await _with_owners(core, [*findings[:MOST], *tied[:MOST], *blobs])),
        more=max(len(findings), len(tied)) > MOST or None,
        tombstones=sum(row.is_tombstone for row in nodes),
        blobs=looked_at,
    )


async def _blobs(core: Core, text: str) -> tuple[list[Finding], int]:
    """Return the blobs that hold a text, also those that a crash left behind, and how many there are."""
    place, needle, looked_at = core.contents.blobs, text.encode(), 0
    findings: list[Finding] = []
    for domain in await place.domains():
        for blob in await place.garbage(domain, frozenset(), datetime.max.replace(tzinfo=UTC)):
            looked_at += 1
            if text in blob.name or await place.holds(domain, blob.name, needle):
                findings.append(Finding(place="blob", label=blob.name, domain=domain))
    return findings, looked_at


async def _with_owners(core: Core, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with whose they are; texts and blobs are looked up by their hashes, a domain at a time."""
    hashes: dict[str, set[str]] = {}
    for finding in findings:
        if finding.domain is not None and (sha256 := _hash(finding)) is not None:
            hashes.setdefault(finding.domain, set()).add(sha256)
    owners: dict[tuple[str, str], OwnerRow] = {}
    for domain, wanted in hashes.items():
        rows = await core.store.read_within(PATIENCE, OWNERS, domain=domain, hashes=sorted(wanted))
        owners |= {(domain, row.sha256): row for row in rows}
    pairs = ((finding, owners.get((finding.domain or "", _hash(finding) or ""))) for finding in findings)
    return [
        finding if owner is None else finding.model_copy(update={"subject": owner.subject, "of": owner.title})
        for finding, owner in pairs
    ]


def _hash(finding: Finding) -> str | None:
    if finding.place == "blob":
        return finding.label
    return finding.id if finding.label == "_Content" else None
