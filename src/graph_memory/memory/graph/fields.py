"""The query filter on node fields, and on the times of creation and last change."""

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
    """Return the filter on node fields and times for these arguments. An argument of None sets no condition.

    Raises INVALID_ARGUMENT if a time is invalid, or a text contains a lone surrogate.
    """
    return FieldFilter(
        namespace=None if namespace is None else _check_encodable("namespace", namespace) or NAMESPACE,
        path_prefix=None if path_prefix is None else _check_encodable("path_prefix", path_prefix) or None,
        created_after=_parse_time("created_after", created_after),
        created_before=_parse_time("created_before", created_before),
        modified_after=_parse_time("modified_after", modified_after),
        modified_before=_parse_time("modified_before", modified_before),
    )


def _check_encodable(argument: str, value: str) -> str:
    if not is_encodable(value):
        raise invalid_argument(
            argument, f"{argument} contains a lone surrogate", "Remove it, or replace it with U+FFFD."
        )
    return value


def _parse_time(argument: str, value: datetime | str | None) -> datetime | None:
    return None if value is None else parse_instant(argument, value, utc_now())
