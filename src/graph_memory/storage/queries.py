"""Loads Cypher statements from files. Each is checked at import, and bound to a constant.

A file has one statement below a header of comments: a description, then `mode: read` or `mode: write`, `params:` and
`returns:`. If the result depends only on certain subjects, `subjects:` names the parameters with their ids or lists of
ids. The name of a query is its path below `cypher/` without the extension.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, LiteralString, TypeVar, cast

from graph_memory.model.values.arguments import invalid_argument, is_encodable

R = TypeVar("R")

_NAME = re.compile(r"[a-z_]+/[a-z_]+")
_FIELDS = ("mode", "params", "returns")
_KNOWN = (*_FIELDS, "subjects")
_NOISE = re.compile(r"//[^\n]*|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`")
_VERSION = re.compile(r"CYPHER \d+\s+")
"""The version of the language, which comes first."""
_PARAMETER = re.compile(r"\$(\w+)")
_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|DROP|FOREACH|LOAD)\b", re.IGNORECASE)


class QueryFileError(Exception):
    """Raised at import if a Cypher file is missing or contradicts its header. It never reaches a user."""


@dataclass(frozen=True, slots=True)
class Query(Generic[R]):
    """A statement that returns rows of type `R`."""

    name: str
    text: LiteralString
    mode: str
    params: frozenset[str]
    returns: tuple[str, ...]
    row: Callable[..., R]
    subjects: tuple[str, ...] | None = None
    parts: tuple[str, ...] = ()
    """The arguments with which `assemble` builds this statement from several files; empty for a single file."""
    listed: LiteralString | None = None
    """The statement with all rows in one list, because a row costs the driver 50 times as much as its contents."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The position of a domain's log. The epoch changes when the domain is created again or repaired."""

    seq: int
    epoch: str


class Nothing:
    """The row class of statements that return nothing."""


@cache
def cypher_root() -> Path:
    """Return the folder of the Cypher files: in the installed package, otherwise in the checkout."""
    package = Path(__file__).resolve().parents[1]
    places = (package / "cypher", package.parents[1] / "cypher")
    path = next((place for place in places if place.is_dir()), None)
    if path is None:
        raise QueryFileError(f"no cypher folder in {places[0]} or {places[1]}")
    return path


def query(name: str, row: type[R]) -> Query[R]:
    """Load the statement in the named file, and check it against its header and the row class.

    For a statement with one column, `row` may be a plain type such as `str`. Then each row is a value.
    """
    statement = _load(name, row if columns_of(row) is not None else _value)
    columns = columns_of(row)
    if statement.returns != columns and (columns is not None or len(statement.returns) != 1):
        text = "is one value" if columns is None else f"has {columns}"
        raise QueryFileError(f"{cypher_root() / name}.cypher: returns {statement.returns}, but {row.__name__} {text}")
    return statement


def assemble(parts: Sequence[str]) -> Query[Any]:
    """Return the statement that consists of these parts. Raises QueryFileError if they do not fit together."""
    match list(parts):
        case [name]:
            return _load(name, _row)
        case ["marked", name]:
            return with_mark(_load(name, _row))
        case ["together", name, first, *rest]:
            return all_or_nothing(name, _load(first, _row), [_load(part, _row) for part in rest])
        case _:
            raise QueryFileError(f"no combination of statements: {parts}")


def _load(name: str, row: Callable[..., R]) -> Query[R]:
    if not _NAME.fullmatch(name):
        raise QueryFileError(f"no name of a statement: {name!r}")
    path = cypher_root() / f"{name}.cypher"
    if not path.is_file():
        raise QueryFileError(f"{path}: no such file")
    text = path.read_text(encoding="utf-8")
    fields = _header(path, text)
    statement = Query(
        name=name,
        text=cast("LiteralString", _body(text)),  # the only cast: the text comes from our own files
        mode=fields["mode"],
        params=frozenset(_names(fields["params"])),
        returns=_names(fields["returns"]),
        row=row,
        subjects=_names(fields["subjects"]) if "subjects" in fields else None,
        parts=(name,),
        listed=_as_list(_body(text), fields),
    )
    _check(path, statement)
    return statement


def _header(path: Path, text: str) -> Mapping[str, str]:
    comments = [line[2:].strip() for line in text.splitlines() if line.startswith("//")]
    if not comments or comments[0].partition(":")[0] in _FIELDS:
        raise QueryFileError(f"{path}:1: the header must start with a description of the statement")
    fields = {key: value.strip() for key, _, value in (line.partition(":") for line in comments) if key in _KNOWN}
    if missing := [name for name in _FIELDS if name not in fields]:
        raise QueryFileError(f"{path}: the header has no {', '.join(missing)}")
    return fields


def _body(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("//")).strip()


def _as_list(body: str, fields: Mapping[str, str]) -> LiteralString | None:
    """Rewrite a read to return its rows as one list. Returns None for SHOW and write statements."""
    if fields["mode"] != "read" or not _names(fields["returns"]) or body.startswith("SHOW"):
        return None
    version = _VERSION.match(body)
    head = version[0] if version else ""
    return cast("LiteralString", f"{head}{_call(body[len(head) :])}\nRETURN collect([{fields['returns']}]) AS rows")


def _names(field: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in field.split(",") if name.strip() not in ("", "-"))


def _check(path: Path, statement: Query[R]) -> None:
    code = _NOISE.sub(" ", statement.text)
    used = frozenset(str(name) for name in _PARAMETER.findall(code))
    if used != statement.params:
        raise QueryFileError(f"{path}: params lists {sorted(statement.params)}, but the statement uses {sorted(used)}")
    if unknown := set(statement.subjects or ()) - statement.params:
        raise QueryFileError(f"{path}: subjects lists {sorted(unknown)}, which are not parameters")
    if statement.mode not in ("read", "write"):
        raise QueryFileError(f"{path}: mode must be read or write")
    if statement.mode == "read" and (clause := _WRITES.search(code)):
        raise QueryFileError(f"{path}: a read statement contains {clause.group()}")


def columns_of(row: type[object]) -> tuple[str, ...] | None:
    """Return the column names of the row class, in order, or None for a plain type."""
    if dataclasses.is_dataclass(row):
        return tuple(field.name for field in dataclasses.fields(row))
    return () if row is Nothing else None


def _value(value: R) -> R:
    return value


def _row(*values: object) -> object:
    return values


def all_or_nothing(name: str, first: Query[Any], rest: Sequence[Query[Any]]) -> Query[int]:
    """Return a statement that runs all or none of these statements, and none if `first` returns no row.

    The counts returned by the others are compared with the parameter `expected`, in which null accepts any count. If
    one differs, the statement divides by zero to roll itself back. Its only row is 1.
    """
    counts: list[str] = []
    calls = [_call(first.text)]
    for part in rest:
        inner = _call(part.text)
        if part.returns:
            counts.append(f"count_{len(counts)}")
            inner = _call(f"{inner}\nRETURN {part.returns[0]} AS {counts[-1]}")
        calls.append(inner)
    calls.append(_SETTLED.format(counts=", ".join(counts)))
    params = frozenset({"expected"}).union(first.params, *(part.params for part in rest))
    text = cast("LiteralString", "\n".join(calls))  # put together from our own files and the names of our own fields
    parts = ("together", name, first.name, *(part.name for part in rest))
    return Query(name=name, text=text, mode="write", params=params, returns=("settled",), row=int, parts=parts)


_SETTLED = """WITH [{counts}] AS found
RETURN 1 / CASE
  WHEN all(place IN range(0, size(found) - 1) WHERE coalesce($expected[place] = found[place], true)) THEN 1
  ELSE 0
END AS settled"""


def with_mark(inner: Query[R]) -> Query[Mark | Sequence[R]]:
    """Return a statement that returns two rows: the list of all rows of `inner`, and then the position of the log.

    If the domain does not exist, there is no second row. Both are branches of a union, which run in order.
    """
    columns = ", ".join(inner.returns)
    text = _MARKED.format(rows=_call(inner.text), columns=columns)

    def row(seq: int | None, epoch: str, rows: Sequence[Sequence[object]]) -> Mark | Sequence[R]:
        return [inner.row(*values) for values in rows] if seq is None else Mark(seq, epoch)

    return Query(
        name=inner.name,
        text=cast("LiteralString", text),  # put together from our own files
        mode="read",
        params=inner.params,
        returns=("_seq", "_edition", "_rows"),
        row=row,
        parts=("marked", inner.name),
    )


def without_mark(rows: Sequence[Mark | Sequence[R]]) -> list[R]:
    """Return the rows of a statement built by `with_mark`, without the position of the log."""
    return [row for part in rows if not isinstance(part, Mark) for row in part]


_MARKED = """{rows}
WITH collect([{columns}]) AS _rows
RETURN null AS _seq, null AS _edition, _rows
UNION ALL
MATCH (d:_Domain {{_id: $domain}})
RETURN d._seq AS _seq, toString(d._created) + '/' + d._mended AS _edition, null AS _rows"""


def _call(text: str) -> str:
    return f"CALL () {{\n{text}\n}}"


def check_text(params: Mapping[str, object]) -> None:
    """Raise INVALID_ARGUMENT if a parameter contains a lone surrogate, which cannot be encoded as UTF-8."""
    for name, value in params.items():
        if isinstance(value, str) and not is_encodable(value):
            raise invalid_argument(name, f"{name} contains a lone surrogate", "Remove it, or replace it with U+FFFD.")
