"""Filters for passages: tokens in a field of the full-text index, and integers for the vector index.

A token begins with a letter for its kind and ends with a digit, so analysers do not change it. Numbers have leading
zeros, so that a range of tokens is a range of numbers. Filters do not affect Lucene's score.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256

from graph_memory.memory.domains.lineage import END

LEVELS = 24
"""Number of sample levels. At level `n`, the sample has one in 2 ** n passages."""
EARLIEST, LATEST = 0, 2**60
"""The bounds of times, in microseconds since the year 1. Every Python time is within them."""
_YEAR_ONE = datetime(1, 1, 1, tzinfo=UTC)
_DIGITS = 19


def microseconds(at: datetime) -> int:
    """Return a time as a whole number of microseconds since the year 1."""
    return (at - _YEAR_ONE) // at.resolution


def time_of_microseconds(number: int) -> datetime:
    """Return the time for a number of microseconds since the year 1."""
    return _YEAR_ONE + number * _YEAR_ONE.resolution


def make_filter_tokens(
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
    """Return the text of a passage's filter field. The hexadecimal `digest` assigns the passage to samples."""
    digest_value = int(digest, 16)
    trailing_zeros = LEVELS if digest_value == 0 else (digest_value & -digest_value).bit_length() - 1
    levels = [f"l{level}" for level in range(min(trailing_zeros, LEVELS) + 1)]
    number_by_letter = {"s": since, "u": until, "c": created, "f": valid_from, "e": valid_to}
    return " ".join(
        [
            domain_token(domain),
            _hash_token("t", type_name),
            *map(_number_token, number_by_letter, number_by_letter.values()),
            *levels,
        ]
    )


def domain_token(domain: str) -> str:
    """Return the filter token of a domain."""
    return _hash_token("d", domain)


def until_token(until: int) -> str:
    """Return the filter token for passages that end at event `until`."""
    return _number_token("u", until)


def lexical_filter(
    domain: str,
    *,
    at: int | None = None,
    types: Sequence[str] = (),
    created: tuple[int, int] | None = None,
    start_bounds: tuple[int, int] | None = None,
    valid_at: int | None = None,
    level: int = 0,
) -> str:
    """Return a full-text query's filter clauses in Lucene's syntax. They do not affect the score.

    `at` is an event number, or None for the current state. The bounds of `created` and `start_bounds` are inclusive. A
    `level` above 0 restricts the query to a sample.
    """
    clauses = [_term_clause(domain_token(domain))]
    if at is None:
        clauses.append(_term_clause(until_token(END)))
    else:
        clauses += [_range_clause("s", 0, at), _range_clause("u", at + 1, END)]
    if types:
        clauses.append("+(" + " ".join(f"_filter:{_hash_token('t', type_name)}" for type_name in types) + ")^0")
    if created is not None:
        clauses.append(_range_clause("c", *created))
    if start_bounds is not None:
        clauses.append(_range_clause("f", *start_bounds))
    if valid_at is not None:
        clauses += [_range_clause("f", EARLIEST, valid_at), _range_clause("e", valid_at + 1, LATEST)]
    if level:
        clauses.append(_term_clause(f"l{level}"))
    return " ".join(clauses)


def _hash_token(letter: str, name: str) -> str:
    return f"{letter}{sha256(name.encode(errors='surrogatepass')).hexdigest()[:24]}0"


def _number_token(letter: str, number: int) -> str:
    return f"{letter}{number:0{_DIGITS}}"


def _term_clause(token: str) -> str:
    return f"+_filter:{token}^0"


def _range_clause(letter: str, first: int, last: int) -> str:
    return f"+_filter:[{_number_token(letter, first)} TO {_number_token(letter, last)}]^0"
