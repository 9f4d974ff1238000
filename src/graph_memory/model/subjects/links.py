"""Links from a node in one domain to a node in another domain: their states and argument checks.

Only the log of the source's domain contains a link. The link stores the target's domain and id. It does not prevent the
deletion of the target. Reads of the link report a deleted target.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast, get_args

from graph_memory.model.subjects.subjects import State, without_nulls
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values import fields
from graph_memory.model.values.arguments import check_domain, check_new_id, invalid_argument
from graph_memory.model.values.strength import check_fraction

LinkType = Literal["reference", "extension", "version", "alternative"]
"""The relation of the source to the target: it refers to it, extends it, is another version of it, or is an
alternative."""
INVERSES: Mapping[str, str] = {
    "reference": "referenced_by",
    "extension": "extended_by",
    "version": "version",
    "alternative": "alternative",
}
"""Each type's name from the point of view of the target."""
REVERSE_DESCRIPTION = "Bidirectional link from: {}"
"""A link's description from the point of view of the target."""
STORED = frozenset(
    {"_target_domain", "_target", "_link_type", "_strength", "_bidirectional", "_description", "_metadata"}
)
"""The stored properties of a link that a caller can set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """A link's state after its last event. `metadata` is JSON text in canonical form."""

    target_domain: str
    target: str
    type: LinkType
    strength: float
    bidirectional: bool
    created: datetime
    description: str | None = None
    metadata: str | None = None

    def state(self) -> State:
        """Return the link's stored state, without its source."""
        state = {
            "_created": self.created,
            "_target_domain": self.target_domain,
            "_target": self.target,
            "_link_type": self.type,
            "_strength": self.strength,
            "_bidirectional": self.bidirectional,
            "_description": self.description,
            "_metadata": self.metadata,
        }
        return without_nulls(state)

    @property
    def data(self) -> dict[str, object] | None:
        """The parsed metadata, or None."""
        return None if self.metadata is None else json.loads(self.metadata)

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> LinkState:
        """Return the link from a stored state in an event or in the live graph.

        Raises INVALID_ARGUMENT if a value is invalid.
        """
        metadata = stored.get("_metadata")
        return cls(
            target_domain=check_domain(str(stored.get("_target_domain"))),
            target=check_new_id("target_node_id", str(stored.get("_target"))),
            type=check_link_type(stored.get("_link_type")),
            strength=check_fraction("strength", stored.get("_strength")),
            bidirectional=check_bidirectional(stored.get("_bidirectional")),
            created=cast("datetime", stored["_created"]),
            description=check_description(stored.get("_description")),
            metadata=None if metadata is None else fields.check_stored_metadata(str(metadata)),
        )


def check_link_type(value: object) -> LinkType:
    """Check a link's type, and return it. Raises INVALID_ARGUMENT if the type is unknown."""
    if value not in get_args(LinkType):
        hint = suggestion(str(value), get_args(LinkType), f"Use one of {', '.join(get_args(LinkType))}.")
        raise invalid_argument("link_type", f"{quote(value)} is not a type of link", hint)
    return cast("LinkType", value)


def check_description(value: object) -> str | None:
    """Check a link's description. Return the description, or None if it is empty.

    Raises INVALID_ARGUMENT if it is too long.
    """
    return None if value is None or value == "" else fields.check_description(cast("str", value))


def check_bidirectional(value: object) -> bool:
    """Check a link's `bidirectional` argument, and return it.

    Raises INVALID_ARGUMENT if it is not true or false.
    """
    if not isinstance(value, bool):
        raise invalid_argument(
            "bidirectional", f"bidirectional is {quote(value)}, not true or false", "Pass true or false."
        )
    return value
