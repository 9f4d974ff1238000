"""Searches all stored data for a text: every property of every node and relationship, and the blobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from graph_memory.memory.core import Core
from graph_memory.memory.retention.results import Finding, Scanned
from graph_memory.model.values.arguments import check_query
from graph_memory.storage.queries import query
from graph_memory.storage.store import LONG_READ_SECONDS

MAX_FINDINGS = 1_000
"""Maximum number of findings in nodes, and in relationships, in a result."""


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A property that contains the text."""

    labels: list[str]
    domain: str | None
    id: str | None
    property: str
    is_tombstone: bool
    subject: str | None
    title: str | None
    sha256: str | None

    def finding(self, place: Literal["node", "relationship"]) -> Finding:
        """Return the finding. The id of a text node is its hash."""
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
NODES = query("retention/scan_nodes", MatchRow)
RELATIONSHIPS = query("retention/scan_relationships", MatchRow)


async def scan(core: Core, text: str) -> Scanned:
    """Search the whole database and the blobs for a text. See `History.scan`."""
    check_query(text)
    params = {"texts": sorted({text, text.casefold()}), "limit": MAX_FINDINGS + 1}
    nodes = await core.store.read_within(LONG_READ_SECONDS, NODES, **params)
    relationships = await core.store.read_within(LONG_READ_SECONDS, RELATIONSHIPS, **params)
    findings = [row.finding("node") for row in nodes if not row.is_tombstone]
    in_relationships = [row.finding("relationship") for row in relationships]
    blobs, scanned = await _scan_blobs(core, text)
    return Scanned(
        findings=tuple(await _with_owners(core, [*findings[:MAX_FINDINGS], *in_relationships[:MAX_FINDINGS], *blobs])),
        more=max(len(findings), len(in_relationships)) > MAX_FINDINGS or None,
        tombstones=sum(row.is_tombstone for row in nodes),
        blobs=scanned,
    )


async def _scan_blobs(core: Core, text: str) -> tuple[list[Finding], int]:
    """Return the findings in all blobs, and the number of blobs. Blobs without references are included."""
    place, needle, scanned = core.contents.blobs, text.encode(), 0
    findings: list[Finding] = []
    for domain in await place.domains():
        for blob in await place.garbage(domain, frozenset(), datetime.max.replace(tzinfo=UTC)):
            scanned += 1
            if text in blob.name or await place.holds(domain, blob.name, needle):
                findings.append(Finding(place="blob", label=blob.name, domain=domain))
    return findings, scanned


async def _with_owners(core: Core, findings: Sequence[Finding]) -> list[Finding]:
    """Add the owners to the findings. Owners of texts and blobs are looked up by hash in each domain."""
    hashes: dict[str, set[str]] = {}
    for finding in findings:
        if finding.domain is not None and (sha256 := _hash(finding)) is not None:
            hashes.setdefault(finding.domain, set()).add(sha256)
    owners: dict[tuple[str, str], OwnerRow] = {}
    for domain, domain_hashes in hashes.items():
        rows = await core.store.read_within(LONG_READ_SECONDS, OWNERS, domain=domain, hashes=sorted(domain_hashes))
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
