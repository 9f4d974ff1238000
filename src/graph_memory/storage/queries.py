"""Loads Cypher statements from files. Modules bind each statement to a constant, so it is checked at import.

A file has one statement below a header of comments: a description, then `mode: read` or `mode: write`, `params:` and
`returns:`. If the result depends only on certain subjects, `subjects:` names the parameters with their ids or lists of
ids. A query's name is its path below `cypher/` without the extension.
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
_ALL_FIELDS = (*_FIELDS, "subjects")
_COMMENTS_AND_STRINGS = re.compile(r"//[^\n]*|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`")
_VERSION = re.compile(r"CYPHER \d+\s+")
"""Matches the version of the Cypher language at the beginning of a statement."""
_PARAMETER = re.compile(r"\$(\w+)")
_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|DROP|FOREACH|LOAD)\b", re.IGNORECASE)


class QueryFileError(Exception):
    """Raised at import if a Cypher file is missing, or its statement contradicts its header or row class."""


@dataclass(frozen=True, slots=True)
class Query(Generic[R]):
    """A Cypher statement that returns rows of type `R`, with its parameters and its mode (`read` or `write`)."""

    name: str
    text: LiteralString
    mode: str
    params: frozenset[str]
    returns: tuple[str, ...]
    row: Callable[..., R]
    subjects: tuple[str, ...] | None = None
    parts: tuple[str, ...] = ()
    """The arguments for `assemble` that return this statement again."""
    list_text: LiteralString | None = None
    """The statement rewritten to return all rows as one list, or None if that is impossible. For the driver, a row
    costs 50 times as much as its contents."""


@dataclass(frozen=True, slots=True)
class LogMark:
    """A position in a domain's log: the number of the last event, and the epoch.

    The epoch changes when the domain is recreated or repaired.
    """

    seq: int
    epoch: str


class NoRow:
    """The row class of statements that return no rows."""


@cache
def cypher_root() -> Path:
    """Return the folder of the Cypher files, in the installed package or else in the checkout."""
    package = Path(__file__).resolve().parents[1]
    folders = (package / "cypher", package.parents[1] / "cypher")
    path = next((folder for folder in folders if folder.is_dir()), None)
    if path is None:
        raise QueryFileError(f"no cypher folder in {folders[0]} or {folders[1]}")
    return path


def query(name: str, row: type[R]) -> Query[R]:
    """Load the statement with this name, and check it against its header and the row class.

    For a statement with one column, `row` can be a plain type such as `str`. Each row is then a value.
    """
    columns = columns_of(row)
    statement = _load(name, row if columns is not None else _return_value)
    if statement.returns != columns and (columns is not None or len(statement.returns) != 1):
        text = "is one value" if columns is None else f"has {columns}"
        raise QueryFileError(f"{cypher_root() / name}.cypher: returns {statement.returns}, but {row.__name__} {text}")
    return statement


def assemble(parts: Sequence[str]) -> Query[Any]:
    """Return the statement consisting of these parts. Raises QueryFileError if there is no such statement."""
    match list(parts):
        case [name]:
            return _load(name, _return_row)
        case ["marked", name]:
            return with_mark(_load(name, _return_row))
        case ["together", name, first, *rest]:
            return all_or_nothing(name, _load(first, _return_row), [_load(part, _return_row) for part in rest])
        case _:
            raise QueryFileError(f"no combination of statements: {parts}")


def _load(name: str, row: Callable[..., R]) -> Query[R]:
    if not _NAME.fullmatch(name):
        raise QueryFileError(f"invalid name of a statement: {name!r}")
    path = cypher_root() / f"{name}.cypher"
    if not path.is_file():
        raise QueryFileError(f"{path}: no such file")
    text = path.read_text(encoding="utf-8")
    fields = _parse_header(path, text)
    body = "\n".join(line for line in text.splitlines() if not line.startswith("//")).strip()
    statement = Query(
        name=name,
        text=cast("LiteralString", body),  # the text comes from our own files
        mode=fields["mode"],
        params=frozenset(_split_names(fields["params"])),
        returns=_split_names(fields["returns"]),
        row=row,
        subjects=_split_names(fields["subjects"]) if "subjects" in fields else None,
        parts=(name,),
        list_text=_list_statement(body, fields),
    )
    _check_statement(path, statement)
    return statement


def _parse_header(path: Path, text: str) -> Mapping[str, str]:
    comments = [line[2:].strip() for line in text.splitlines() if line.startswith("//")]
    if not comments or comments[0].partition(":")[0] in _FIELDS:
        raise QueryFileError(f"{path}:1: the header must start with a description of the statement")
    fields = {key: value.strip() for key, _, value in (line.partition(":") for line in comments) if key in _ALL_FIELDS}
    if missing := [name for name in _FIELDS if name not in fields]:
        raise QueryFileError(f"{path}: the header has no {', '.join(missing)}")
    return fields


def _list_statement(body: str, fields: Mapping[str, str]) -> LiteralString | None:
    """Return a read statement rewritten to return its rows as one list, or None for SHOW and write statements."""
    if fields["mode"] != "read" or not _split_names(fields["returns"]) or body.startswith("SHOW"):
        return None
    version = _VERSION.match(body)
    head = version[0] if version else ""
    return cast("LiteralString", f"{head}{_subquery(body[len(head) :])}\nRETURN collect([{fields['returns']}]) AS rows")


def _split_names(field: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in field.split(",") if name.strip() not in ("", "-"))


def _check_statement(path: Path, statement: Query[R]) -> None:
    code = _COMMENTS_AND_STRINGS.sub(" ", statement.text)
    used_params = frozenset(str(name) for name in _PARAMETER.findall(code))
    if used_params != statement.params:
        raise QueryFileError(
            f"{path}: params lists {sorted(statement.params)}, but the statement uses {sorted(used_params)}"
        )
    if unknown := set(statement.subjects or ()) - statement.params:
        raise QueryFileError(f"{path}: subjects lists {sorted(unknown)}, which are not parameters")
    if statement.mode not in ("read", "write"):
        raise QueryFileError(f"{path}: mode must be read or write")
    if statement.mode == "read" and (clause := _WRITES.search(code)):
        raise QueryFileError(f"{path}: a read statement contains {clause.group()}")


def columns_of(row: type[object]) -> tuple[str, ...] | None:
    """Return a row class's column names, in order, or None for a plain type such as `str`."""
    if dataclasses.is_dataclass(row):
        return tuple(field.name for field in dataclasses.fields(row))
    return () if row is NoRow else None


def _return_value(value: R) -> R:
    return value


def _return_row(*values: object) -> object:
    return values


def all_or_nothing(name: str, first: Query[Any], rest: Sequence[Query[Any]]) -> Query[int]:
    """Return a statement that runs `first` and then `rest`. It runs either all of them or none.

    It runs none if `first` returns no row, or if the counts that `rest` returns differ from the list parameter
    `expected`, in which null accepts any count. If a count differs, the statement divides by zero to roll itself back.
    Its only row is 1.
    """
    counts: list[str] = []
    calls = [_subquery(first.text)]
    for part in rest:
        inner = _subquery(part.text)
        if part.returns:
            counts.append(f"count_{len(counts)}")
            inner = _subquery(f"{inner}\nRETURN {part.returns[0]} AS {counts[-1]}")
        calls.append(inner)
    calls.append(_ALL_OR_NOTHING.format(counts=", ".join(counts)))
    params = frozenset({"expected"}).union(first.params, *(part.params for part in rest))
    text = cast("LiteralString", "\n".join(calls))  # put together from our own files and the names of our own fields
    parts = ("together", name, first.name, *(part.name for part in rest))
    return Query(name=name, text=text, mode="write", params=params, returns=("settled",), row=int, parts=parts)


_ALL_OR_NOTHING = """WITH [{counts}] AS found
RETURN 1 / CASE
  WHEN all(place IN range(0, size(found) - 1) WHERE coalesce($expected[place] = found[place], true)) THEN 1
  ELSE 0
END AS settled"""


def with_mark(inner: Query[R]) -> Query[LogMark | Sequence[R]]:
    """Return a statement that returns two rows: the list of all rows of `inner`, then the domain's log position.

    If the domain does not exist, there is no second row. The rows come from the two parts of a union, in order.
    """
    columns = ", ".join(inner.returns)
    text = _WITH_MARK.format(rows=_subquery(inner.text), columns=columns)

    def row(seq: int | None, epoch: str, rows: Sequence[Sequence[object]]) -> LogMark | Sequence[R]:
        return [inner.row(*values) for values in rows] if seq is None else LogMark(seq, epoch)

    return Query(
        name=inner.name,
        text=cast("LiteralString", text),  # put together from our own files
        mode="read",
        params=inner.params,
        returns=("_seq", "_edition", "_rows"),
        row=row,
        parts=("marked", inner.name),
    )


def without_mark(rows: Sequence[LogMark | Sequence[R]]) -> list[R]:
    """Return the rows of a statement built by `with_mark`, without the log position."""
    return [row for part in rows if not isinstance(part, LogMark) for row in part]


_WITH_MARK = """{rows}
WITH collect([{columns}]) AS _rows
RETURN null AS _seq, null AS _edition, _rows
UNION ALL
MATCH (d:_Domain {{_id: $domain}})
RETURN d._seq AS _seq, toString(d._created) + '/' + d._mended AS _edition, null AS _rows"""


def _subquery(text: str) -> str:
    return f"CALL () {{\n{text}\n}}"


def check_text(params: Mapping[str, object]) -> None:
    """Raise INVALID_ARGUMENT if a parameter contains a lone surrogate, because it cannot be encoded as UTF-8."""
    for name, value in params.items():
        if isinstance(value, str) and not is_encodable(value):
            raise invalid_argument(name, f"{name} contains a lone surrogate", "Remove it, or replace it with U+FFFD.")
