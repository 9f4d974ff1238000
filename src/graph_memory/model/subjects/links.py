"""Links from a node of one domain to a node of another: their states and argument checks.

A link is only in the log of the source's domain. The target is stored by name, so it may be deleted. Reads of the link
report that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast, get_args

from graph_memory.model.subjects.subjects import State, present
from graph_memory.model.text.wording import quote, suggestion
from graph_memory.model.values import fields
from graph_memory.model.values.arguments import check_domain, check_new_id, invalid_argument
from graph_memory.model.values.strength import check_fraction

LinkType = Literal["reference", "extension", "version", "alternative"]
"""The relation of the source to the target: it refers to it, extends it, or is another version or an alternative."""
INVERSES: Mapping[str, str] = {
    "reference": "referenced_by",
    "extension": "extended_by",
    "version": "version",
    "alternative": "alternative",
}
"""The name of each type as seen from the target."""
REVERSE_DESCRIPTION = "Bidirectional link from: {}"
"""The description of a link as seen from the target."""
STORED = frozenset(
    {"_target_domain", "_target", "_link_type", "_strength", "_bidirectional", "_description", "_metadata"}
)
"""The stored properties of a link that a caller sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """A link after its last event; `metadata` is JSON text in canonical form."""

    target_domain: str
    target: str
    type: LinkType
    strength: float
    bidirectional: bool
    created: datetime
    description: str | None = None
    metadata: str | None = None

    def state(self) -> State:
        """Return the stored state of the link, without its source."""
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
        return present(state)

    @property
    def data(self) -> dict[str, object] | None:
        """The metadata as an object."""
        return None if self.metadata is None else json.loads(self.metadata)

    @classmethod
    def from_state(cls, stored: Mapping[str, object]) -> LinkState:
        """Return the link with the stored state of an event or of the live graph. Raises INVALID_ARGUMENT."""
        return cls(
            target_domain=check_domain(str(stored.get("_target_domain"))),
            target=check_new_id("target_node_id", str(stored.get("_target"))),
            type=check_link_type(stored.get("_link_type")),
            strength=check_fraction("strength", stored.get("_strength")),
            bidirectional=check_bidirectional(stored.get("_bidirectional")),
            created=cast("datetime", stored["_created"]),
            description=check_description(stored.get("_description")),
            metadata=_check_metadata(stored.get("_metadata")),
        )


def check_link_type(value: object) -> LinkType:
    """Check the type of a link, and return it. Raises INVALID_ARGUMENT."""
    if value not in get_args(LinkType):
        hint = suggestion(str(value), get_args(LinkType), f"Give one of {', '.join(get_args(LinkType))}.")
        raise invalid_argument("link_type", f"{quote(value)} is not a type of link", hint)
    return cast("LinkType", value)


def check_description(value: object) -> str | None:
    """Check the description of a link, and return it, or None if it is empty. Raises INVALID_ARGUMENT."""
    return None if value is None or value == "" else fields.check_description(cast("str", value))


def _check_metadata(value: object) -> str | None:
    return None if value is None else fields.check_stored_metadata(str(value))


def check_bidirectional(value: object) -> bool:
    """Check the `bidirectional` argument of a link, and return it. Raises INVALID_ARGUMENT."""
    if not isinstance(value, bool):
        raise invalid_argument(
            "bidirectional", f"bidirectional is {quote(value)}, not true or false", "Give true or false."
        )
    return value
