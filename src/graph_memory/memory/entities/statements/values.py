"""Numbers with their units, times of day, dates, months and weekdays in a statement, each in one spelling. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from graph_memory.memory.entities.statements.folding import plain
from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.number_words import cjk_digits, names_of, number_words
from graph_memory.memory.entities.statements.quantities import quantities

_AM = r"(?:a\.? ?m\b\.?)"
_PM = r"(?:p\.? ?m\b\.?)"
_CLOCK = re.compile(
    rf"(?<![\d.,])(\d{{1,2}})(?:(?:[:h]| h )(\d{{2}})(?!\d)(?: ?(?:({_AM})|({_PM})|uhr))?"
    rf"|(?:[.:](\d{{2}}))? ?(?:({_AM})|({_PM})|uhr\b|o'clock|h\b(?! ?\d)|時|点|點))"
)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_CJK_DATE = re.compile(r"(?:((?:19|20)\d\d)年)?(\d{1,2})月(?:(\d{1,2})日)?|(\d{1,2})日")
_YEAR = re.compile(r"(?<![\d.,$€£#-])((?:19|20)\d\d)(?![\d]|[.,]\d| ?(?:%|€|\$|£))(?:年)?")
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_OF_YEAR = r"(?:,? (?:de |del |of )?((?:19|20)\d\d))?"
_DOUBTFUL = frozenset({"may", "march", "mars", "mai", "marco"})
"""Months that are words too."""
_IN_MONTH = re.compile(
    r"\b(?:in|since|until|till|of|by|last|next|early|late|mid|every|im|seit|bis|ende|anfang"
    r"|en|depuis|desde|da|a|em|i) $"
)
_HYPHEN = re.compile(r"(?<!\d)-|-(?!\d)")


@dataclass(frozen=True, slots=True)
class Value:
    """A value: what kind of thing it is or counts, and how much of it, both in one spelling."""

    kind: str
    amount: str
    at: int = field(default=0, compare=False)
    """Where it begins in its text."""


@dataclass(slots=True)
class _Reading:
    """A text from which values are taken: what was read is blank afterwards, and all else stays in its place."""

    rest: str
    found: list[tuple[int, Value]] = field(default_factory=list[tuple[int, Value]])

    def take(self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], tuple[Value, ...] | None]) -> None:
        """Take what a pattern finds, if reading it gives values."""

        def put(match: re.Match[str]) -> str:
            values = read(match)
            if values is None:
                return match[0]
            self.found.extend((match.start(), value) for value in values)
            return " " * len(match[0])

        self.rest = pattern.sub(put, self.rest)


@lru_cache(maxsize=65_536)
def values_of(text: str, language: Lexicon) -> tuple[tuple[Value, ...], str]:
    """Return the values of a text in order, and the plain text without them."""
    apart = language.is_written_apart
    reading = _Reading(_HYPHEN.sub(" ", plain(text)) if apart else cjk_digits(plain(text)))
    reading.take(_ISO, lambda match: _date(int(match[2]), match[3], match[1]))
    reading.rest = _hours_in_digits(reading.rest, language)
    reading.take(_CLOCK, _clock)
    reading.take(_CJK_DATE, _cjk_date)
    _take_dates(reading, language)
    reading.take(_YEAR, lambda match: (Value("year", match[1]),))
    for start, end, kind, amount in quantities(reading.rest, language):
        reading.found.append((start, Value(kind, amount)))
        reading.rest = reading.rest[:start] + " " * (end - start) + reading.rest[end:]
    _take_weekdays(reading, language)
    found = sorted(reading.found, key=lambda each: each[0])
    return tuple(replace(value, at=at) for at, value in found), reading.rest


def _hours_in_digits(text: str, language: Lexicon) -> str:
    """Return a text whose hours that are written as words, as in `nine o'clock`, are in digits."""
    pattern = _hour_pattern(language)
    return pattern.sub(lambda match: f"{number_words(language)[match[1]]}", text) if pattern else text


@lru_cache(maxsize=32)
def _hour_pattern(language: Lexicon) -> re.Pattern[str] | None:
    words = "|".join(number_words(language))
    return re.compile(rf"\b({words})\b(?= (?:o'clock|uhr|{_AM}|{_PM}))") if words else None


def _take_dates(reading: _Reading, language: Lexicon) -> None:
    months = names_of(language.months)
    if not months:
        return
    day_first, month_first, alone = _date_patterns(language)
    reading.take(day_first, lambda match: _date(months[match[2]], match[1], match[3]))
    reading.take(month_first, lambda match: _date(months[match[1]], match[2], match[3]))
    reading.take(alone, lambda match: _month(match, months))


@lru_cache(maxsize=32)
def _date_patterns(language: Lexicon) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    name = "|".join(sorted(names_of(language.months), key=len, reverse=True))
    return (
        re.compile(rf"(?<![\w.]){_DAY}(?: of| de| di)? ({name})\b{_OF_YEAR}"),
        re.compile(rf"\b({name}) (?:the )?{_DAY}(?![\d:%]|[.,]\d){_OF_YEAR}"),
        re.compile(rf"\b({name})\b{_OF_YEAR}"),
    )


def _take_weekdays(reading: _Reading, language: Lexicon) -> None:
    days = names_of(language.weekdays)
    if days:
        reading.take(_day_pattern(language), lambda match: (Value("weekday", f"{days[match[1]]}"),))


@lru_cache(maxsize=32)
def _day_pattern(language: Lexicon) -> re.Pattern[str]:
    name = "|".join(map(re.escape, names_of(language.weekdays)))
    return re.compile(rf"(?<!\w)({name})s?(?!\w)" if language.is_written_apart else f"({name})")


def _date(month: int, day: str | None, year: str | None) -> tuple[Value, ...]:
    made = Value("day", f"{month}-{int(day)}") if day else Value("month", f"{month}")
    return (made, Value("year", year)) if year else (made,)


def _cjk_date(match: re.Match[str]) -> tuple[Value, ...]:
    if match[4]:
        return (Value("days", match[4]),)
    return _date(int(match[2]), match[3], match[1])


def _month(match: re.Match[str], months: dict[str, int]) -> tuple[Value, ...] | None:
    """Return a month that stands without a day; a name that is a word too needs a preposition or a year."""
    if match[1] in _DOUBTFUL and not match[2] and not _IN_MONTH.search(match.string[: match.start()]):
        return None
    return _date(months[match[1]], None, match[2])


def _clock(match: re.Match[str]) -> tuple[Value, ...] | None:
    hour, minute = int(match[1]), int(match[2] or match[5] or 0)
    if hour > 24 or minute > 59:
        return None
    if match[4] or match[7]:
        hour = hour % 12 + 12
    elif match[3] or match[6]:
        hour %= 12
    return (Value("clock", f"{hour % 24}:{minute:02}"),)
