"""Results of erasure, scans and compaction."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import Result, Timestamp


class DomainErasureResult(Result):
    """The result of an erasure, or its dry run, in one domain."""

    domain: str
    subjects: int = Field(
        description="Number of erased subjects: the subject itself, and its connections, observations and links"
    )
    events: int = Field(description="Number of events that lost their content")
    contents: int = Field(description="Number of deleted texts and blobs")
    blobs_left: int | None = Field(
        default=None,
        description="Number of blobs that were kept, because another database stores blobs in the same location",
    )
    resumed: bool | None = Field(default=None, description="Whether an interrupted erasure was completed")


class ErasureResult(Result):
    """The result of an erasure or its dry run."""

    subject: str
    title: str | None = Field(
        default=None,
        description="With dry_run, the title of the subject, unless it was deleted",
    )
    dry_run: bool
    domains: tuple[DomainErasureResult, ...] = Field(description="The domain and the related domains that contained it")


class Finding(Result):
    """A place that contains the searched text. The text itself is not repeated."""

    place: Literal["node", "relationship", "blob"]
    label: str = Field(description="Labels of the node, type of the relationship, or hash of the blob")
    domain: str | None = None
    id: str | None = None
    property: str | None = None
    subject: str | None = Field(
        default=None, description="Id of the node or connection that contains the text: pass it to erase the subject"
    )
    of: str | None = Field(default=None, description="Last title of the subject in the log")


class ScanResult(Result):
    """The places in the database and in the blobs that contain a text."""

    findings: tuple[Finding, ...] = Field(description="The first findings")
    more: bool | None = Field(default=None, description="Whether there are more findings")
    tombstones: int = Field(description="Number of events that only mark an id as erased")
    blobs: int = Field(description="Number of searched blobs")

    @property
    def clean(self) -> bool:
        """Whether no searched place contains the text."""
        return not self.findings


class CompactionResult(Result):
    """The result of a compaction or its dry run."""

    domain: str
    dry_run: bool
    compacted_to: int = Field(description="First log number whose state can be read")
    answers_from: Timestamp | None = Field(
        default=None, description="Time of that event: states before it cannot be read"
    )
    archived: int | None = Field(
        default=None, description="Number of events in the archive: all events up to that number"
    )
    events: int = Field(description="Number of removed events; each subject's last event stays as its snapshot")
    contents: int = Field(description="Number of texts and blobs to which only the removed events referred")
    bytes: int = Field(description="Size of these contents in bytes; small texts count in characters")
    nodes: int | None = Field(default=None, description="Number of nodes whose first state is removed")
    titles: tuple[str, ...] | None = Field(default=None, description="Titles of the first few of these nodes")
    archive: str | None = Field(
        default=None, description="Path of the archive with the events and contents before that point"
    )
    resumed: bool | None = Field(default=None, description="Whether an interrupted compaction was completed")
