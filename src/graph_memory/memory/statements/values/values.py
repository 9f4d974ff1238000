"""Extracts numbers with units, times of day, dates, months and weekdays from a statement, in a uniform spelling."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from graph_memory.memory.statements.language.folding import fold_text
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.values.number_words import numbers_by_name, replace_cjk_numerals
from graph_memory.memory.statements.values.quantities import find_quantities

_AM = r"(?:a\.? ?m\b\.?|in the morning\b)"
_PM = r"(?:p\.? ?m\b\.?|(?:in the (?:afternoon|evening)|at night)\b)"
_CJK_PM = "下午|晚上|傍晚|午後|夜"
_CLOCK = re.compile(
    rf"(?:({_CJK_PM}) ?)?(?<![\d.,])(\d{{1,2}})(?:(?:[:h]| h )(\d{{2}})(?!\d)(?: ?(?:({_AM})|({_PM})|uhr))?"
    rf"|(?:[.:](\d{{2}}))? ?(?:({_AM})|({_PM})|uhr\b|o'clock|h\b(?! ?(?:\d|/|daily|weekly|monthly|yearly))|時|点|點))"
)
_ISO_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)")
_NUMERIC_DATE = re.compile(
    r"(?<![\d./])(\d{1,2})([./])(\d{1,2})(?:\2((?:19|20)\d\d)|\.(?=\W*[^\W\d]|[ ,;]+\d))?(?![\d/]|\.\d)"
)
_MONTH_AND_YEAR = re.compile(r"(?<![\d./])(0[1-9]|1[0-2])/((?:19|20)\d\d)(?!\d)")
_CJK_DATE = re.compile(r"(?:((?:19|20)\d\d)年)?(\d{1,2})月(?:(\d{1,2})日)?|(\d{1,2})日")
_YEAR = re.compile(r"(?<![\d.,$€£#-])((?:19|20)\d\d)(?![\da-z]|[.,]\d| ?(?:%|€|\$|£))(?:年)?")
_DAY = r"(\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_OF_YEAR = r"(?:,? (?:de |del |of )?((?:19|20)\d\d))?"
_AMBIGUOUS_MONTHS = frozenset({"march", "mars", "marco"})
"""Full month names that are also ordinary words. All short month names count as ambiguous too."""
_SHORT_MONTH_LENGTH = 3
_SHORT_DATE_LENGTH = len("05/11")
_BEFORE_MONTH = re.compile(
    r"\b(?:in|since|until|till|of|by|last|next|early|late|mid|every|im|seit|bis|ende|anfang"
    r"|en|depuis|desde|da|a|em|i) $"
)
_HYPHEN = re.compile(r"(?<!\d)-(?!\d)|(?<=[^\W\d])-|-(?!\d)")


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its kind or unit, and its amount in a uniform spelling."""

    kind: str
    amount: str
    at: int = field(default=0, compare=False)
    """The position of the value's first character in the text."""


@dataclass(slots=True)
class _ValueExtractor:
    """A text from which values are extracted.

    An extracted value is replaced by spaces, so that the positions of other values do not change.
    """

    remaining_text: str
    values: list[tuple[int, Value]] = field(default_factory=list[tuple[int, Value]])

    def take(self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], tuple[Value, ...] | None]) -> None:
        """Extract the values that `read` returns for matches of a pattern. If it returns None, a match is skipped."""

        def blank_out(match: re.Match[str]) -> str:
            values = read(match)
            if values is None:
                return match[0]
            self.values.extend((match.start(), value) for value in values)
            return " " * len(match[0])

        self.remaining_text = pattern.sub(blank_out, self.remaining_text)


@lru_cache(maxsize=65_536)
def values_of(text: str, language: Lexicon) -> tuple[tuple[Value, ...], str]:
    """Return a text's values in order, and the folded text without them."""
    has_spaces = language.has_spaces_between_words
    reading = _ValueExtractor(
        _HYPHEN.sub(" ", fold_text(text)) if has_spaces else replace_cjk_numerals(fold_text(text))
    )
    reading.take(_ISO_DATE, lambda match: _date(int(match[2]), match[3], match[1]))
    reading.take(_NUMERIC_DATE, lambda match: _date_in_numbers(match, language))
    reading.take(_MONTH_AND_YEAR, lambda match: _date(int(match[1]), None, match[2]))
    reading.take(_CLOCK, _clock)
    reading.take(_CJK_DATE, _cjk_date)
    if months := numbers_by_name(language.months):
        day_first, month_first, alone = _date_patterns(language)
        reading.take(day_first, lambda match: _date(months[match[2]], match[1], match[3]))
        reading.take(month_first, lambda match: _date(months[match[1]], match[2], match[3]))
        reading.take(alone, lambda match: _month(match, months))
    reading.take(_YEAR, lambda match: (Value("year", match[1]),))
    for start, end, kind, amount in find_quantities(reading.remaining_text, language):
        reading.values.append((start, Value(kind, amount)))
        reading.remaining_text = reading.remaining_text[:start] + " " * (end - start) + reading.remaining_text[end:]
    if days := _days_by_name(language):
        reading.take(_day_pattern(language), lambda match: (_weekday(match, days),))
    pairs = sorted(reading.values, key=lambda pair: pair[0])
    return tuple(replace(value, at=at) for at, value in pairs), reading.remaining_text


@lru_cache(maxsize=32)
def _date_patterns(language: Lexicon) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    name = "|".join(sorted(numbers_by_name(language.months), key=len, reverse=True))
    return (
        re.compile(rf"(?<![\w.]){_DAY}(?: of| de| di)? ({name})\b{_OF_YEAR}"),
        re.compile(rf"\b({name}) (?:the )?{_DAY}(?![\d:%]|[.,]\d){_OF_YEAR}"),
        re.compile(rf"\b({name})\b{_OF_YEAR}"),
    )


def _days_by_name(language: Lexicon) -> dict[str, int]:
    return {name.replace("-", " "): place for name, place in numbers_by_name(language.weekdays).items()}


@lru_cache(maxsize=32)
def _day_pattern(language: Lexicon) -> re.Pattern[str]:
    name = "|".join(map(re.escape, _days_by_name(language)))
    if not language.has_spaces_between_words:
        return re.compile(f"()({name})()")
    every_words = "|".join(language.each_weekday.split()) or "(?!)"
    return re.compile(rf"(?<!\w)(?:({every_words}) )?({name})(s|en|ar)?(?!\w)")


def _weekday(match: re.Match[str], days: dict[str, int]) -> Value:
    """Return a weekday or a repeated weekday, such as `every Monday`."""
    return Value("weekdays" if match[1] or match[3] else "weekday", f"{days[match[2]]}")


def _date(month: int, day: str | None, year: str | None) -> tuple[Value, ...]:
    date = Value("day", f"{month}-{int(day)}") if day else Value("month", f"{month}")
    return (date, Value("year", year)) if year else (date,)


def _date_in_numbers(match: re.Match[str], language: Lexicon) -> tuple[Value, ...] | None:
    """Return a numeric date, such as 15/05/2026 or 3.5., or None if day and month are ambiguous."""
    day, month = int(match[1]), int(match[3])
    if not language.comma_is_decimal and day <= 12:
        day, month = (month, day) if month > 12 else (0, 0)
    is_date = match[4] or match[0].endswith(".") or (len(match[0]) == _SHORT_DATE_LENGTH and match[2] == "/")
    return _date(month, str(day), match[4]) if is_date and 1 <= day <= 31 and 1 <= month <= 12 else None


def _cjk_date(match: re.Match[str]) -> tuple[Value, ...]:
    if match[4]:
        return (Value("days", match[4]),)
    return _date(int(match[2]), match[3], match[1])


def _month(match: re.Match[str], months: dict[str, int]) -> tuple[Value, ...] | None:
    """Return a month without a day. A month name that is also a common word needs a preposition or a year."""
    is_ambiguous = match[1] in _AMBIGUOUS_MONTHS or len(match[1]) <= _SHORT_MONTH_LENGTH
    if is_ambiguous and not match[2] and not _BEFORE_MONTH.search(match.string[: match.start()]):
        return None
    return _date(months[match[1]], None, match[2])


def _clock(match: re.Match[str]) -> tuple[Value, ...] | None:
    hour, minute = int(match[2]), int(match[3] or match[6] or 0)
    if hour > 24 or minute > 59:
        return None
    if match[1] or match[5] or match[8]:
        hour = hour % 12 + 12
    elif match[4] or match[7]:
        hour %= 12
    return (Value("clock", f"{hour % 24}:{minute:02}"),)
