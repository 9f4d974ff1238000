"""Results of erasure, scans and compaction."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graph_memory.model.results import Result, Timestamp


class ErasedIn(Result):
    """The result of an erasure, or its dry run, in one domain."""

    domain: str
    subjects: int = Field(
        description="Number of erased subjects: the subject itself, and its connections, observations and links"
    )
    events: int = Field(description="Number of events that lost their content")
    contents: int = Field(description="Number of deleted texts and blobs")
    blobs_left: int | None = Field(
        default=None, description="Number of blobs that stay, because another database stores blobs there too"
    )
    resumed: bool | None = Field(default=None, description="An interrupted erasure was completed")


class Erased(Result):
    """The result of an erasure or its dry run."""

    subject: str
    title: str | None = Field(
        default=None,
        description="With dry_run, the title of the subject, unless it was deleted",
    )
    dry_run: bool
    domains: tuple[ErasedIn, ...] = Field(description="The domain and related domains that had it")


class Finding(Result):
    """A place that contains the text. The text itself is not repeated."""

    place: Literal["node", "relationship", "blob"]
    label: str = Field(description="Labels of the node, type of the relationship, or hash of the blob")
    domain: str | None = None
    id: str | None = None
    property: str | None = None
    subject: str | None = Field(default=None, description="Id of the node or connection with the text, to erase it")
    of: str | None = Field(default=None, description="Last title of the subject in the log")


class Scanned(Result):
    """The places in the whole database and the blobs that contain a text."""

    findings: tuple[Finding, ...] = Field(description="The first findings")
    more: bool | None = Field(default=None, description="Whether there are more findings")
    tombstones: int = Field(description="Number of events that only mark an id as erased")
    blobs: int = Field(description="Number of searched blobs")

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not self.findings


class Compacted(Result):
    """The result of a compaction or its dry run."""

    domain: str
    dry_run: bool
    compacted_to: int = Field(description="First log number whose state can be read")
    answers_from: Timestamp | None = Field(default=None, description="Time of that number: as-of answers from then on")
    archived: int | None = Field(default=None, description="Number of events in the archive: all up to that number")
    events: int = Field(description="Number of events removed; the last one of each subject stays as its snapshot")
    contents: int = Field(description="Number of texts and blobs that only these referred to")
    bytes: int = Field(description="Size of these contents; for small texts, in characters")
    nodes: int | None = Field(default=None, description="Number of nodes whose first state is removed")
    titles: tuple[str, ...] | None = Field(default=None, description="Titles of the first few of these nodes")
    archive: str | None = Field(default=None, description="File of the events and contents before that point")
    resumed: bool | None = Field(default=None, description="An interrupted compaction was completed")
