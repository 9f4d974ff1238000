"""Results of erasure, scans and compaction."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import Result, Timestamp


class DomainErasureResult(Result):
    """The result of an erasure, or its dry run, in one domain."""

    domain: str
    subjects: int = Field(
        description="Number of erased subjects: the subject itself, with its connections, observations and links"
    )
    events: int = Field(description="Number of events that lost their content")
    contents: int = Field(description="Number of deleted texts and blobs")
    blobs_left: int | None = Field(
        default=None,
        description="Number of blobs that were kept because another database stores blobs in the same location",
    )
    resumed: bool | None = Field(default=None, description="Whether an interrupted erasure was completed")


class ErasureResult(Result):
    """The result of an erasure or its dry run."""

    subject: str = Field(description="Id of the erased subject")
    title: str | None = Field(default=None, description="In a dry run: the title of the subject, unless it was deleted")
    dry_run: bool = Field(description="Whether nothing was erased")
    domains: tuple[DomainErasureResult, ...] = Field(
        description="The result for each domain that contained the subject: the requested domain and related domains"
    )


class Finding(Result):
    """A place that contains the searched text. The text itself is not repeated."""

    place: Literal["node", "relationship", "blob"] = Field(description="Where the text was found")
    label: str = Field(description="Labels of the node, type of the relationship or hash of the blob")
    domain: str | None = None
    id: str | None = Field(default=None, description="Id of the node or relationship")
    property: str | None = Field(default=None, description="Property that contains the text")
    subject: str | None = Field(
        default=None, description="Id of the node or connection that contains the text. Pass it to memory_erase"
    )
    of: str | None = Field(default=None, description="The subject's last title in the log")


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
    dry_run: bool = Field(description="Whether nothing was removed")
    compacted_to: int = Field(description="The earliest log number whose state can be read")
    answers_from: Timestamp | None = Field(default=None, description="Time of the earliest state that can be read")
    archived: int | None = Field(
        default=None, description="Number of events in the archive, which contains all events up to compacted_to"
    )
    events: int = Field(description="Number of removed events. The last event of each subject is kept as its snapshot")
    contents: int = Field(description="Number of texts and blobs that only the removed events used")
    bytes: int = Field(description="Size of these texts and blobs in bytes, counting short texts in characters")
    nodes: int | None = Field(default=None, description="Number of nodes whose first state was removed")
    titles: tuple[str, ...] | None = Field(
        default=None, description="Titles of some nodes whose first state was removed"
    )
    archive: str | None = Field(
        default=None, description="Path of the archive that contains the removed events and contents"
    )
    resumed: bool | None = Field(default=None, description="Whether an interrupted compaction was completed")
