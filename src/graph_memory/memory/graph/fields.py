"""What a query asks of the fields of nodes, and of when they were created and changed."""

from __future__ import annotations

from datetime import datetime

from graph_memory.model.matching import FieldFilter
from graph_memory.model.time.points import instant
from graph_memory.model.values.arguments import fault, is_encodable
from graph_memory.model.values.fields import NAMESPACE
from graph_memory.storage.log.writing import utc_now


def field_filter(
    namespace: str | None,
    path_prefix: str | None,
    created_after: datetime | str | None,
    created_before: datetime | str | None,
    modified_after: datetime | str | None,
    modified_before: datetime | str | None,
) -> FieldFilter:
    """Return the filter for the arguments of that name. Raises INVALID_ARGUMENT."""
    return FieldFilter(
        namespace=None if namespace is None else _text("namespace", namespace) or NAMESPACE,
        path_prefix=None if path_prefix is None else _text("path_prefix", path_prefix) or None,
        created_after=_time("created_after", created_after),
        created_before=_time("created_before", created_before),
        modified_after=_time("modified_after", modified_after),
        modified_before=_time("modified_before", modified_before),
    )


def _text(argument: str, given: str) -> str:
    if not is_encodable(given):
        raise fault(argument, f"{argument} has half a character pair", "Remove it.")
    return given


def _time(argument: str, given: datetime | str | None) -> datetime | None:
    return None if given is None else instant(argument, given, utc_now())
