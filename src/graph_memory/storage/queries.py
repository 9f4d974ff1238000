"""Every Cypher statement: found by its path, checked at import, bound to a constant where it is used.

A file holds one statement below a header of comments: a sentence or more of what it is for, then `mode: read` or
`mode: write`, `params:` and `returns:`. `subjects:`, where it is given, names the parameters that are ids, or lists of
ids, of the subjects on whose states alone the answer depends. The path below `cypher/` without the ending is the
query's name.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, LiteralString, TypeVar, cast

R = TypeVar("R")

_FIELDS = ("mode", "params", "returns")
_KNOWN = (*_FIELDS, "subjects")
_NOISE = re.compile(r"//[^\n]*|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`")
_VERSION = re.compile(r"CYPHER \d+\s+")
"""The version of the language, which stands before all else."""
_PARAMETER = re.compile(r"\$(\w+)")
_WRITES = re.compile(r"\b(CREATE|MERGE|SET|DELETE|REMOVE|DROP|FOREACH|LOAD)\b", re.IGNORECASE)


class QueryFileError(Exception):
    """A Cypher file that is missing or does not keep to its header. Raised at import, so it never reaches a user."""


@dataclass(frozen=True, slots=True)
class Query(Generic[R]):
    """One statement. Running it gives rows of type `R`."""

    name: str
    text: LiteralString
    mode: str
    params: frozenset[str]
    returns: tuple[str, ...]
    row: Callable[..., R]
    subjects: tuple[str, ...] | None = None
    listed: LiteralString | None = None
    """The statement with all of its rows in one list: a row by itself costs the driver 50 times what is in it."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a domain's log stood. The epoch tells one making or mending of the domain from another."""

    seq: int
    epoch: str


class Nothing:
    """The row of a statement that returns nothing."""


@cache
def cypher_root() -> Path:
    """Return the folder of the Cypher files: in the installed package, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    places = (package / "cypher", package.parents[1] / "cypher")
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        raise QueryFileError(f"no cypher folder in {places[0]} or {places[1]}")
    return found


def query(name: str, row: type[R]) -> Query[R]:
    """Return the statement of a file, checked against its header and its row class.

    A statement of one column may name a plain type instead, as `str`: its rows are the values alone.
    """
    path = cypher_root() / f"{name}.cypher"
    if not path.is_file():
        raise QueryFileError(f"{path}: no such file")
    text = path.read_text(encoding="utf-8")
    fields = _header(path, text)
    found = Query(
        name=name,
        text=cast("LiteralString", _body(text)),  # the one cast: the text comes from our own files only
        mode=fields["mode"],
        params=frozenset(_names(fields["params"])),
        returns=_names(fields["returns"]),
        row=row if columns_of(row) is not None else _value,
        subjects=_names(fields["subjects"]) if "subjects" in fields else None,
        listed=_listed(_body(text), fields),
    )
    _check(path, found, row)
    return found


def _header(path: Path, text: str) -> Mapping[str, str]:
    comments = [line[2:].strip() for line in text.splitlines() if line.startswith("//")]
    if not comments or comments[0].partition(":")[0] in _FIELDS:
        raise QueryFileError(f"{path}:1: the header must start with what the statement is for")
    fields = {key: value.strip() for key, _, value in (line.partition(":") for line in comments) if key in _KNOWN}
    if missing := [name for name in _FIELDS if name not in fields]:
        raise QueryFileError(f"{path}: the header has no {', '.join(missing)}")
    return fields


def _body(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith("//")).strip()


def _listed(body: str, fields: Mapping[str, str]) -> LiteralString | None:
    """Return a statement that reads with its rows in one list; one that writes, or shows, cannot be had so."""
    if fields["mode"] != "read" or not _names(fields["returns"]) or body.startswith("SHOW"):
        return None
    version = _VERSION.match(body)
    head = version[0] if version else ""
    return cast("LiteralString", f"{head}{_call(body[len(head) :])}\nRETURN collect([{fields['returns']}]) AS rows")


def _names(field: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in field.split(",") if name.strip() not in ("", "-"))


def _check(path: Path, found: Query[R], row: type[R]) -> None:
    code = _NOISE.sub(" ", found.text)
    used = frozenset(str(name) for name in _PARAMETER.findall(code))
    if used != found.params:
        raise QueryFileError(f"{path}: params lists {sorted(found.params)}, but the statement uses {sorted(used)}")
    if unknown := set(found.subjects or ()) - found.params:
        raise QueryFileError(f"{path}: subjects lists {sorted(unknown)}, which are not parameters")
    if found.mode not in ("read", "write"):
        raise QueryFileError(f"{path}: mode must be read or write")
    if found.mode == "read" and (clause := _WRITES.search(code)):
        raise QueryFileError(f"{path}: a read statement contains {clause.group()}")
    columns = columns_of(row)
    if found.returns != columns and (columns is not None or len(found.returns) != 1):
        told = "is one value" if columns is None else f"has {columns}"
        raise QueryFileError(f"{path}: returns {found.returns}, but {row.__name__} {told}")


def columns_of(row: type[object]) -> tuple[str, ...] | None:
    """Return the names that a row class takes, in order; None for a plain type."""
    if dataclasses.is_dataclass(row):
        return tuple(field.name for field in dataclasses.fields(row))
    return () if row is Nothing else None


def _value(value: R) -> R:
    return value


def all_or_nothing(name: str, first: Query[Any], rest: Sequence[Query[Any]]) -> Query[int]:
    """Return one statement that runs several, the rest only if the first gives a row, and undoes them all if need be.

    Those of the rest that return a count are compared with the parameter `expected`, in which null takes any count. If
    one differs, the statement divides by zero, which is how a statement can undo itself. Its one row is a 1.
    """
    counts: list[str] = []
    parts = [_call(first.text)]
    for part in rest:
        inner = _call(part.text)
        if part.returns:
            counts.append(f"count_{len(counts)}")
            inner = _call(f"{inner}\nRETURN {part.returns[0]} AS {counts[-1]}")
        parts.append(inner)
    parts.append(_SETTLED.format(counts=", ".join(counts)))
    params = frozenset({"expected"}).union(first.params, *(part.params for part in rest))
    text = cast("LiteralString", "\n".join(parts))  # put together from our own files and the names of our own fields
    return Query(name=name, text=text, mode="write", params=params, returns=("settled",), row=int)


_SETTLED = """WITH [{counts}] AS found
RETURN 1 / CASE
  WHEN all(place IN range(0, size(found) - 1) WHERE coalesce($expected[place] = found[place], true)) THEN 1
  ELSE 0
END AS settled"""


def marked(inner: Query[R]) -> Query[Mark | Sequence[R]]:
    """Return a statement of two rows: all rows of another in one, and after it where the domain's log stood then.

    The first alone: there is no such domain. They are branches of a union, which run one after the other. The rows come
    as one list, for the reason for which `Query.listed` does.
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
    )


def unmarked(rows: Sequence[Mark | Sequence[R]]) -> list[R]:
    """Return the rows of a marked statement without its mark."""
    return [row for part in rows if not isinstance(part, Mark) for row in part]


_MARKED = """{rows}
WITH collect([{columns}]) AS _rows
RETURN null AS _seq, null AS _edition, _rows
UNION ALL
MATCH (d:_Domain {{_id: $domain}})
RETURN d._seq AS _seq, toString(d._created) + '/' + d._mended AS _edition, null AS _rows"""


def _call(text: str) -> str:
    return f"CALL () {{\n{text}\n}}"


def quoted(identifier: str) -> str:
    r"""Return an identifier in backticks, whatever it holds, for the few statements that cannot take a parameter.

    Cypher reads `\uXXXX` anywhere in a statement before it looks at quotes, so a backslash is itself written
    that way; a backtick is doubled.
    """
    return "`" + identifier.replace("\\", "\\u005c").replace("`", "``") + "`"
