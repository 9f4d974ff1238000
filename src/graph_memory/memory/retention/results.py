"""What erasing, scanning and compacting give."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import Result, Timestamp


class ErasedIn(Result):
    """What was erased of a subject in one domain, or would be."""

    domain: str
    subjects: int = Field(description="The subject itself, and the connections, observations and links that go with it")
    events: int = Field(description="Events that lost their content")
    contents: int = Field(description="Texts and blobs that nothing else refers to")
    blobs_left: int | None = Field(
        default=None, description="Blobs that stay, because another database keeps its own there too"
    )
    resumed: bool | None = Field(default=None, description="An interrupted erasure was completed")


class Erased(Result):
    """A subject that was erased, or with `dry_run` would be."""

    subject: str
    title: str | None = Field(
        default=None,
        description="With dry_run, the title of what would be erased, unless it was deleted",
    )
    dry_run: bool
    domains: tuple[ErasedIn, ...] = Field(description="The domain and those that share its past, where they had it")


class Finding(Result):
    """Where a text was found. The text itself is not repeated."""

    place: Literal["node", "relationship", "blob"]
    label: str = Field(description="Labels of the node, type of the relationship, or hash of the blob")
    domain: str | None = None
    id: str | None = None
    property: str | None = None
    subject: str | None = Field(default=None, description="Id of the node or connection whose text it is, to erase it")
    of: str | None = Field(default=None, description="Its title, the last one that the log has")


class Scanned(Result):
    """Where a text is in the whole database and among the blobs."""

    findings: tuple[Finding, ...] = Field(description="The first of them")
    more: bool | None = Field(default=None, description="There are more than these")
    tombstones: int = Field(description="Events that say only that something with this id was erased")
    blobs: int = Field(description="Blobs that were looked through")

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class Compacted(Result):
    """What was removed from a domain's log, or with `dry_run` would be."""

    domain: str
    dry_run: bool
    compacted_to: int = Field(description="First number of the log whose state can be read")
    answers_from: Timestamp | None = Field(default=None, description="Time of that number: as-of answers from then on")
    archived: int | None = Field(default=None, description="Events that go into the archive: all up to that number")
    events: int = Field(description="Events removed; the last one of each subject stays as its state then")
    contents: int = Field(description="Texts and blobs that only these referred to")
    bytes: int = Field(description="Size of these contents; for small texts, in characters")
    nodes: int | None = Field(default=None, description="Nodes whose first state goes")
    titles: tuple[str, ...] | None = Field(default=None, description="Titles of the first few of these nodes")
    archive: str | None = Field(default=None, description="File of the events and contents before that point")
    resumed: bool | None = Field(default=None, description="An interrupted compaction was completed")
