"""Links from a node of one domain to a node of another: what they say, how it is kept, and what a caller may give.

A link is a subject of the log of its source's domain alone. Its other end is kept by name, so it may be gone: that is
seen when a link is read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast, get_args

from graph_memory.model.subjects.subjects import State, present
from graph_memory.model.text.wording import quoted, suggestion
from graph_memory.model.values import fields
from graph_memory.model.values.arguments import check_domain, check_new_id, fault
from graph_memory.model.values.strength import fraction

LinkType = Literal["reference", "extension", "version", "alternative"]
"""What a link says of its source: it refers to the target, extends it, or is another version of it or alternative."""
INVERSES: Mapping[str, str] = {
    "reference": "referenced_by",
    "extension": "extended_by",
    "version": "version",
    "alternative": "alternative",
}
"""What each type is called when it is seen from the target."""
WAY_BACK = "Bidirectional link from: {}"
"""What a description becomes when the link is seen from the target."""
STORED = frozenset(
    {"_target_domain", "_target", "_link_type", "_strength", "_bidirectional", "_description", "_metadata"}
)
"""The names under which a link keeps what was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """A link as it is after its last event; `metadata` is JSON text, always written the same way."""

    target_domain: str
    target: str
    type: LinkType
    strength: float
    bidirectional: bool
    created: datetime
    description: str | None = None
    metadata: str | None = None

    def state(self) -> State:
        """Return what an event keeps of the link, beside its source."""
        own = {
            "_created": self.created,
            "_target_domain": self.target_domain,
            "_target": self.target,
            "_link_type": self.type,
            "_strength": self.strength,
            "_bidirectional": self.bidirectional,
            "_description": self.description,
            "_metadata": self.metadata,
        }
        return present(own)

    @property
    def data(self) -> dict[str, object] | None:
        """The metadata as an object."""
        return None if self.metadata is None else json.loads(self.metadata)

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> LinkState:
        """Return the link that an event's state, or its row in the live graph, describes. Raises INVALID_ARGUMENT."""
        return cls(
            target_domain=check_domain(str(stored.get("_target_domain"))),
            target=check_new_id("target_node_id", str(stored.get("_target"))),
            type=check_link_type(stored.get("_link_type")),
            strength=fraction("strength", stored.get("_strength")),
            bidirectional=check_bidirectional(stored.get("_bidirectional")),
            created=cast("datetime", stored["_created"]),
            description=check_description(stored.get("_description")),
            metadata=_metadata(stored.get("_metadata")),
        )


def check_link_type(given: object) -> LinkType:
    """Return the type of a link. Raises INVALID_ARGUMENT."""
    if given not in get_args(LinkType):
        hint = suggestion(str(given), get_args(LinkType), f"Give one of {', '.join(get_args(LinkType))}.")
        raise fault("link_type", f"link_type is {quoted(given)}", hint)
    return cast("LinkType", given)


def check_description(given: object) -> str | None:
    """Return the description of a link, None for none. Raises INVALID_ARGUMENT."""
    return None if given is None or given == "" else fields.check_description(cast("str", given))


def _metadata(given: object) -> str | None:
    return None if given is None else fields.check_stored_metadata(str(given))


def check_bidirectional(given: object) -> bool:
    """Return whether a link is seen from both ends. Raises INVALID_ARGUMENT."""
    if not isinstance(given, bool):
        raise fault("bidirectional", f"bidirectional is {quoted(given)}", "Give true or false.")
    return given
