"""What passages are filtered by inside both indexes: tokens of a field of the full-text index, and whole numbers.

A token begins with a letter that says what it is, and ends in a digit, so that no analyser changes it. Numbers stand
in it with leading zeros, so that a range of tokens is a range of numbers. Lucene takes a filter without a score.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256

from graph_memory.memory.domains.lineage import END

LEVELS = 24
"""Levels of samples: of a level `n`, a passage is one of 2 ** n."""
EARLIEST, LATEST = 0, 2**60
"""Bounds of the times, in microseconds since the year 1: no time that Python knows is later."""
_ZERO = datetime(1, 1, 1, tzinfo=UTC)
_DIGITS = 19


def microseconds(at: datetime) -> int:
    """Return a time as a whole number, in microseconds since the year 1."""
    return (at - _ZERO) // (at.resolution)


def moment(number: int) -> datetime:
    """Return the time of a whole number."""
    return _ZERO + number * _ZERO.resolution


def tokens(
    *,
    domain: str,
    type_name: str,
    digest: str,
    since: int,
    until: int = END,
    created: int,
    valid_from: int = EARLIEST,
    valid_to: int = LATEST,
) -> str:
    """Return the field of filters of a passage; `digest` is hexadecimal and says in which samples it is."""
    ends = int(digest, 16)
    zeros = LEVELS if ends == 0 else (ends & -ends).bit_length() - 1
    levels = [f"l{level}" for level in range(min(zeros, LEVELS) + 1)]
    numbers = {"s": since, "u": until, "c": created, "f": valid_from, "e": valid_to}
    return " ".join([domain_token(domain), _name("t", type_name), *map(_number, numbers, numbers.values()), *levels])


def domain_token(domain: str) -> str:
    """Return the token of a domain."""
    return _name("d", domain)


def until_token(until: int) -> str:
    """Return the token that says until when a passage is current."""
    return _number("u", until)


def lexical_filter(
    domain: str,
    *,
    at: int | None = None,
    types: Sequence[str] = (),
    created: tuple[int, int] | None = None,
    began: tuple[int, int] | None = None,
    valid_at: int | None = None,
    level: int = 0,
) -> str:
    """Return the part of a query in Lucene's syntax that holds what is asked for; it adds nothing to a score.

    `at` is a number of the log, None for what is current. The bounds of `created` and `began` are within.
    """
    clauses = [_is(domain_token(domain))]
    if at is None:
        clauses.append(_is(until_token(END)))
    else:
        clauses += [_between("s", 0, at), _between("u", at + 1, END)]
    if types:
        clauses.append("+(" + " ".join(f"_filter:{_name('t', type_)}" for type_ in types) + ")^0")
    if created is not None:
        clauses.append(_between("c", *created))
    if began is not None:
        clauses.append(_between("f", *began))
    if valid_at is not None:
        clauses += [_between("f", EARLIEST, valid_at), _between("e", valid_at + 1, LATEST)]
    if level:
        clauses.append(_is(f"l{level}"))
    return " ".join(clauses)


def _name(letter: str, name: str) -> str:
    return f"{letter}{sha256(name.encode(errors='surrogatepass')).hexdigest()[:24]}0"


def _number(letter: str, number: int) -> str:
    return f"{letter}{number:0{_DIGITS}}"


def _is(token: str) -> str:
    return f"+_filter:{token}^0"


def _between(letter: str, first: int, last: int) -> str:
    return f"+_filter:[{_number(letter, first)} TO {_number(letter, last)}]^0"
