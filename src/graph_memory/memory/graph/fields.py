"""The filter of a query by node fields, and by the times of creation and change."""

from __future__ import annotations

from datetime import datetime

from graph_memory.model.matching import FieldFilter
from graph_memory.model.time.points import parse_instant
from graph_memory.model.values.arguments import invalid_argument, is_encodable
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
    """Return the filter for these arguments. Raises INVALID_ARGUMENT."""
    return FieldFilter(
        namespace=None if namespace is None else _text("namespace", namespace) or NAMESPACE,
        path_prefix=None if path_prefix is None else _text("path_prefix", path_prefix) or None,
        created_after=_time("created_after", created_after),
        created_before=_time("created_before", created_before),
        modified_after=_time("modified_after", modified_after),
        modified_before=_time("modified_before", modified_before),
    )


def _text(argument: str, value: str) -> str:
    if not is_encodable(value):
        raise invalid_argument(
            argument, f"{argument} contains a lone surrogate", "Remove it, or replace it with U+FFFD."
        )
    return value


def _time(argument: str, value: datetime | str | None) -> datetime | None:
    return None if value is None else parse_instant(argument, value, utc_now())
