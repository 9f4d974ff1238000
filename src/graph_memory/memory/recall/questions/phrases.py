"""Times in a question: "what was I working on last week", "since March", "before the move".

This module finds times in a question, and interprets the word before each time, such as `since`. `model/time/times.py`
parses the times themselves. A phrase that may not be a time stays part of the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from graph_memory.model.time.times import Span, Toward, read_span

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNIT = r"(?:second|minute|hour|day|week|month|year)s?"
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "couple": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
}  # fmt: skip
_NUMBER = rf"(?:\d{{1,4}}|a few|a couple of|couple of|{'|'.join(_NUMBERS)})"
_NUMBERED = re.compile(rf"{_NUMBER} {_UNIT} ago", re.IGNORECASE)
_CLEAR_TIME = "|".join(
    (
        r"\d{4}-\d{2}(?:-\d{2})?",
        r"Q[1-4],? \d{4}|\d{4}-Q[1-4]",
        rf"\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{MONTH}(?:,? ?\d{{4}})?",
        rf"{MONTH} \d{{1,2}}(?:st|nd|rd|th)?(?:(?:, ?| )\d{{4}})?(?! ?\d)",
        rf"{MONTH}(?:, ?| )\d{{4}}",
        rf"(?:last|this|next) (?:week|weekend|month|quarter|year|{WEEKDAY}|{MONTH})",
        rf"(?:last|past) {_NUMBER} {_UNIT}",
        r"(?:last|past) (?:hour|day|24 hours)|past (?:week|month|year)",
        rf"{_NUMBER} {_UNIT} ago",
        "day before yesterday|today|yesterday|tomorrow|this morning|this evening|tonight|last night",
        "recently|lately|the other day",
    )
)
"""Patterns that always match a time, even without a word such as `since` before it."""
_UNCLEAR_TIME = rf"{MONTH}|\d{{4}}|{WEEKDAY}"
"""Patterns that match a time only after a word such as `since`. Otherwise they may match other words or numbers."""
_LEAD_WORDS = "since|from|before|until|till|up to|after|in|during|on|over|within|by|of"
_TIME = re.compile(
    rf"\b(?:(?P<lead>{_LEAD_WORDS}) )?(?:the )?(?P<sure>{_CLEAR_TIME})(?![\w-])"
    rf"|\b(?P<led>{_LEAD_WORDS}) (?P<time>{_UNCLEAR_TIME})(?![\w-])(?P<on> on(?:wards?)?\b)?",
    re.IGNORECASE,
)
_PART_OF_A_NUMBER = re.compile(
    r"(?:\d[ .,']|[\d-]|"
    r"\b(?:and|half|dozen|hundred|thousand|million|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)[ -])$",
    re.IGNORECASE,
)
"""Text before a number that belongs to the number, such as `twenty ` before `two`."""
_BETWEEN = re.compile(
    rf"\b(?:between|from) (?P<first>{_CLEAR_TIME}|{_UNCLEAR_TIME}) (?:and|to|until|till) "
    rf"(?P<last>{_CLEAR_TIME}|{_UNCLEAR_TIME})(?![\w-])",
    re.IGNORECASE,
)
_DISTANCE = re.compile(
    rf"\b(?:(?:in|on) )?(?=(?:the|last|{_NUMBER}) )(?:the )?(?:last )?(?:(?P<number>{_NUMBER}) )?"
    rf"(?P<unit>day|week|weekend|month|year|{WEEKDAY})s? "
    rf"(?P<lead>before|after) (?!yesterday)(?:the )?(?P<time>{_CLEAR_TIME}|{_UNCLEAR_TIME})(?![\w-])",
    re.IGNORECASE,
)
_DAYS = {"day": 1, "month": 31, "year": 366}
"""Number of days in a unit. Other units, such as weeks and weekdays, count as 7 days."""
_NAMED = re.compile(
    r"\b(?P<lead>before|after|since|until) (?P<name>(?:the|my|our|his|her|their) [\w'’ -]{2,60}?|[A-Z][\w'’ -]{1,60}?)"
    r"(?=\s*(?:[?.!,;]|$))"
)
_SYNONYMS = {
    "this morning": "today", "this evening": "today", "tonight": "today", "last night": "yesterday",
    "recently": "last 14 days", "lately": "last 14 days", "the other day": "last 7 days",
    "past week": "last 1 week", "past month": "last 1 month", "past year": "last 1 year",
    "last hour": "last 1 hour", "past hour": "last 1 hour", "last day": "last 1 day", "past day": "last 1 day",
}  # fmt: skip
_HALVES = {"day": 0.5, "week": 3.5, "month": 15.0, "year": 183.0}
"""Half the length, in days, of an approximate time such as `three weeks ago`, by its unit."""
_NO_CONTENT = """
    what which who when where how did do does was were is are am have has had i we you my our it that this the a an been
    working work worked doing done happened happen happening changed change changes new up to on about anything any
    everything things thing stuff me us s re there going show tell list all
"""
SAYING_NOTHING = frozenset(re.findall(r"\w+", _NO_CONTENT))
"""Words that do not name a topic."""
_PAST = re.compile(
    r"\b(?:was|were|did|had|used to|before|previous(?:ly)?|former(?:ly)?|earlier|original(?:ly)?|initially|once|history"
    r"|war|waren|hatte|hatten|früher\w*|vorher|zuvor|ehemals|ursprünglich"
    r"|avant|auparavant|autrefois|était|étaient|avait|antes|anteriormente|era|eran|fue|tenía)\b",
    re.IGNORECASE,
)
"""Words that mark a question as one about the past."""
_PARTICIPLE = (
    r"(?:(?!(?:bed|exceed|feed|hundred|indeed|need|proceed|red|seed|shed|speed|weed)\b)[a-z]{2,}ed|begun|bought|built|chosen"
    r"|done|driven|felt|found|given|gone|got|held|kept|known|led|left|lost|made|met|paid|run|said|seen|sent|sold|spent|spoken"
    r"|taken|thought|told|won|written)"
)
_HAVE_DONE = rf"\b(?:[Hh]ave|[Hh]as)(?: \w+){{0,2}} {_PARTICIPLE}\b"
_PASSIVE = re.compile(rf"\b(?:[Ii]s|[Aa]re|am|be|being|gets?)(?: \w+){{0,2}} {_PARTICIPLE}\b")
"""Passives that are not past: `is booked`, `will be released`."""
_PAST_VERB = re.compile(
    rf"{_HAVE_DONE}|\b(?:{_PARTICIPLE}|(?i:was|were|did|had|used to)|became|began|came|chose|drove|gave|knew|ran|saw"
    r"|spoke|took|went|wrote)\b"
)
_FUTURE = re.compile(
    r"\b(?:will|shall|(?:should|must)(?! (?:\w+ )?have\b)|going to|ha(?:ve|s) to|needs? to|due|deadlines?|overdue"
    r"|upcoming|next|plan(?:s|ned)?|scheduled|expected)\b",
    re.IGNORECASE,
)
"""Words that mark a question as one about the future."""
_LAST_TIME = re.compile(
    r"\bsince (?:(?:the|our|my|your|that) )?"
    r"(?:(?:last|previous) (?:session|time|conversation|chat)|(?:we|i|you) last \w+)(?![\w-])",
    re.IGNORECASE,
)
"""Words that ask for changes since the last session."""


@dataclass(frozen=True, slots=True)
class Period:
    """A period of time. A bound that is None is open."""

    since: datetime | None
    until: datetime | None

    def has(self, start: datetime, end: datetime | None = None) -> bool:
        """Return whether a time, or any part of a time range, is in this period."""
        last = start if end is None else end
        return (self.until is None or start < self.until) and (self.since is None or last >= self.since)

    def __str__(self) -> str:
        first = "the beginning" if self.since is None else self.since.isoformat(" ", "minutes")[:16]
        last = "now" if self.until is None else self.until.isoformat(" ", "minutes")[:16]
        return f"from {first} until {last} (UTC)"


@dataclass(frozen=True, slots=True)
class Tense:
    """The tense of a question's verbs."""

    is_past: bool
    is_future: bool

    @classmethod
    def of(cls, question: str) -> Tense:
        """Return the tense of a question. A past plan, as in `was planned`, counts as both past and future."""
        without_plans = _PASSIVE.sub("", _FUTURE.sub("", question))
        return cls(_PAST_VERB.search(without_plans) is not None, _FUTURE.search(question) is not None)

    def toward(self, lead: str = "") -> Toward:
        """Return the direction in which to look for a month or day that has no year: past, future or nearest.

        `lead` is the word before the month or day.
        """
        if self.is_past == self.is_future:
            return "future" if lead == "by" and not self.is_past else "nearest"
        return "past" if self.is_past else "future"


@dataclass(frozen=True, slots=True)
class TimedQuestion:
    """A question whose time phrase was removed. The time is a period, or an event's name with the word before it."""

    text: str
    period: Period | None = None
    lead: str = ""
    name: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether the question has no topic besides the time."""
        return names_no_topic(self.text)


def names_no_topic(text: str) -> bool:
    """Return whether a text names no topic, as in `what changed`."""
    return all(word in SAYING_NOTHING for word in re.findall(r"\w+", text.lower()))


def parse_time(question: str, now: datetime) -> TimedQuestion:
    """Split a question into its text and its time: the period between two times, or the first unambiguous time."""
    if (match := _BETWEEN.search(question)) is not None:
        year = (
            "" if re.search(r"\d{4}|ago|last|this", match["first"]) else "".join(re.findall(r" \d{4}$", match["last"]))
        )
        toward = Tense.of(question).toward()
        first, last = _span(f"{match['first']}{year}", now, toward), _span(match["last"], now, toward)
        if first is not None and last is not None and first.start >= last.end:
            first = _span(match["first"], last.start)
        if first is not None and last is not None and first.start < last.end:
            return TimedQuestion(_remove_match(question, match), Period(first.start, last.end))
    if (match := _DISTANCE.search(question)) is not None and (
        period := _distance_period(match, now, Tense.of(question))
    ) is not None:
        return TimedQuestion(_remove_match(question, match), period)
    times = _find_periods(question, now)
    for first, period in times[:1]:
        for last, other in times[1:]:
            if (intersection := _intersection(period, other)) is not None:
                return TimedQuestion(_remove_match(_remove_match(question, last), first), intersection)
        return TimedQuestion(_remove_match(question, first), period)
    if (match := _NAMED.search(question)) is not None:
        return TimedQuestion(_remove_match(question, match), None, match["lead"].lower(), match["name"])
    return TimedQuestion(question)


def asks_about_past(question: str, now: datetime) -> bool:
    """Return whether a question is about the past, so that ended observations may answer it."""
    timed = parse_time(question, now)
    has_period_ended = timed.period is not None and timed.period.until is not None and timed.period.until < now
    return has_period_ended or _PAST.search(question if timed.period is None else timed.text) is not None


def without_last_time(question: str) -> str | None:
    """Return a question without words such as `since last time`, or None if it has no such words."""
    match = _LAST_TIME.search(question)
    return None if match is None else _remove_match(question, match)


def _find_periods(question: str, now: datetime) -> list[tuple[re.Match[str], Period]]:
    """Return the periods in a question. The word before a time, such as `since`, determines its period.

    Times with a year come first.
    """
    times: list[tuple[re.Match[str], Period]] = []
    tense = Tense.of(question)
    for match in _TIME.finditer(question):
        text = match["sure"] or match["time"]
        if _NUMBERED.match(text) and _PART_OF_A_NUMBER.search(question[: match.start("sure")]):
            continue
        lead = "since" if match["on"] else (match["lead"] or match["led"] or "").lower()
        toward = "past" if lead == "since" else tense.toward(lead)
        if (span := _span(text, now, toward)) is not None and (period := period_from(lead, span)) is not None:
            times.append((match, period))
    return sorted(times, key=lambda pair: re.search(r"\d{4}", pair[0][0]) is None)


def _distance_period(match: re.Match[str], now: datetime, tense: Tense) -> Period | None:
    """Return the period of a phrase such as `three days before March`. The period includes the named time."""
    is_cut = match["number"] is not None and _PART_OF_A_NUMBER.search(match.string[: match.start("number")])
    if is_cut or (span := _span(match["time"], now, tense.toward())) is None:
        return None
    numbers = re.findall(rf"\d+|{'|'.join(_NUMBERS)}", (match["number"] or "one").lower())
    distance = timedelta(days=_DAYS.get(match["unit"].lower(), 7) * (_NUMBERS.get(numbers[-1]) or int(numbers[-1])))
    try:
        is_before = match["lead"].lower() == "before"
        return Period(span.start - distance, span.end) if is_before else Period(span.start, span.end + distance)
    except OverflowError:
        return None


def _intersection(period: Period, other: Period) -> Period | None:
    """Return the intersection of a period without an end and a period without a start, or None if there is none."""
    start, end = (period, other) if period.until is None else (other, period)
    if start.since is None or start.until is not None or end.until is None or end.since is not None:
        return None
    return Period(start.since, end.until) if start.since < end.until else None


def period_from(lead: str, span: Span) -> Period | None:
    """Return the period that a time and the word before it describe, as in `since March`."""
    match lead:
        case "since":
            return Period(span.start, None)
        case "before":
            return Period(None, span.start)
        case "until" | "till" | "up to" | "by":
            return Period(None, span.end)
        case "after":
            return Period(span.end, None)
        case _:
            return Period(span.start, span.end)


def _span(text: str, now: datetime, toward: Toward = "past") -> Span | None:
    """Parse a time, relative to `now`. Returns None if the text is not a time."""
    plain = " ".join(text.lower().split())
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain).replace("couple of", "couple").replace(" of ", " ")
    plain = re.sub(r"^(q\d),", r"\1", plain)
    plain = re.sub(r"(?<=\w),? ?(?=\d{4}$)", " ", plain) if re.search(MONTH, plain) else plain
    plain = re.sub(r"\bsept\b", "sep", _SYNONYMS.get(plain, plain))
    plain = re.sub(rf"\b(?:a )?({'|'.join(_NUMBERS)})(?= {_UNIT})", lambda match: str(_NUMBERS[match[1]]), plain)
    try:
        span = read_span(plain, now, UTC, toward)
        if (ago := re.search(r"(day|week|month|year)s? ago$", plain)) is not None:
            half = timedelta(days=_HALVES[ago[1]])
            span = Span(span.start - half, min(span.start + half, now))
    except (ValueError, OverflowError):
        return None
    return span


def _remove_match(question: str, match: re.Match[str]) -> str:
    return re.sub(r"\s+([?.!,;])", r"\1", " ".join(f"{question[: match.start()]} {question[match.end() :]}".split()))
