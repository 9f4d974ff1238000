"""The archetype `personal_assistant`: finds names in conversations, without a language model.

The rules are for English. They prefer precision, so a name is found only next to a word that shows its type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from graph_memory.agent.archetypes.extraction import Extraction, lines_of, words

_NAME = r"[A-Z][\w'’-]{1,40}(?: (?:of |the |de |von |van )?[A-Z][\w'’-]{1,40}){0,3}"
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTH = r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_RELATIVE = (
    "wife|husband|partner|mother|mum|mom|father|dad|sister|brother|son|daughter|friend|boss|manager|colleague|neighbour|"
    "neighbor|doctor|dentist|lawyer|aunt|uncle|cousin|grandmother|grandfather|girlfriend|boyfriend"
)
_DOES = r"(?:works|worked) (?:at|for)|lives|lived|moved to|called|emailed|told me|asked me|said"
_PEOPLE = (
    re.compile(rf"\b(?:Mr|Mrs|Ms|Dr|Prof)\.? ({_NAME})"),
    re.compile(rf"\b(?:[Mm]y|[Hh]er|[Hh]is|[Oo]ur|[Tt]heir) (?:{_RELATIVE}),? ({_NAME})"),
    re.compile(rf"\b(?:[Mm]et|[Cc]all|[Ee]mail|[Aa]sk(?:ed)?|[Tt]ell|[Tt]old|[Ii]nvite|[Mm]eeting with) ({_NAME})"),
    re.compile(rf"\b({_NAME}) (?={_DOES})"),
)
_COMPANY = r"(?:Inc|Ltd|LLC|GmbH|AG|Corp|Corporation|Company|Bank|University|Institute|Foundation|Hospital|Airlines)"
_ORGANISATIONS = (
    re.compile(rf"\b((?:[A-Z][\w&'’-]{{1,40}} ){{1,4}}{_COMPANY})\b"),
    re.compile(rf"\b(?:works?|worked|working|job|interview) (?:at|for|with) (?:the )?({_NAME})"),
    re.compile(rf"\bUniversity of ({_NAME})"),
)
_PLACES = (
    re.compile(rf"\b(?:lives?|lived|living|stay|staying|born|based|arrived|landed) (?:in|at|near) ({_NAME})"),
    re.compile(rf"\b(?:moved|moving|flew|fly|flying|flight|trip|travel|traveling|drive|train) (?:back )?to ({_NAME})"),
    re.compile(rf"\b(?:visit|visited|visiting) ({_NAME})"),
)
_DATES = (
    re.compile(r"\b(?P<year>\d{4})-(?P<number>\d\d)-(?P<day>\d\d)\b"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH}),? ?(?P<year>\d{{4}})?\b"),
    re.compile(rf"\b(?P<month>{_MONTH}) (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>\d{{4}})\b)?"),
)
_TASKS = (
    re.compile(r"(?:\bTODO:?|^\s*[-*] \[ \]) (\S[^\n]{2,150})"),
    re.compile(
        r"\b(?:[Rr]emind me to|[Dd]on['’]t forget to|[Rr]emember to|I (?:need|have) to|I must) ([^.!?;\n]{3,150})"
    ),
)
_PREFERENCE = re.compile(
    r"\bI (?:really |always |usually )?(prefer|like|love|enjoy|hate|dislike|don['’]t like) ([^.!?;\n]{2,120})"
)
_FAVOURITE = re.compile(r"\b[Mm]y favou?rite ([a-z][\w ]{1,40}) is ([^.!?;,\n]{2,80})")
_NOT_NAMES = words(
    "I A An The This That These Those He She It We They You My Our Your His Her Their And But Or If When Then So Yes "
    "No Who What Where Why How Monday Tuesday Wednesday Thursday Friday Saturday Sunday Today Tomorrow Yesterday"
) | {*_MONTHS}
_RELATIONS = (
    ("works_at", re.compile(rf"\b({_NAME}) (?:works|worked) (?:at|for) (?:the )?({_NAME})")),
    ("lives_in", re.compile(rf"\b({_NAME}) (?:lives|lived) in ({_NAME})")),
    ("lives_in", re.compile(rf"\b({_NAME}) (?:has )?moved to ({_NAME})")),
)


def extract(event_type: str, content: str) -> Extraction:
    """Return the people, places, dates, tasks, organisations and preferences that an event names.

    Also returns relations: a person `works_at` an organisation, or `lives_in` a place.
    """
    extraction = Extraction()
    for line in lines_of(content):
        _read(line, extraction)
    if event_type == "task":
        extraction.add("task", content.strip().partition("\n")[0])
    return extraction


def _read(line: str, extraction: Extraction) -> None:
    for kind, rules in (("organisation", _ORGANISATIONS), ("place", _PLACES), ("person", _PEOPLE)):
        for rule in rules:
            for match in rule.finditer(line):
                if name := _clean_name(match[1]):
                    extraction.add(kind, name)
    for day in _dates_in(line):
        extraction.add("date", day)
    for rule in _TASKS:
        for match in rule.finditer(line):
            extraction.add("task", match[1].strip(" .!,"))
    for match in _PREFERENCE.finditer(line):
        extraction.add("preference", f"{match[1]} {match[2].strip(' ,')}".replace("’", "'"))
    for match in _FAVOURITE.finditer(line):
        extraction.add("preference", f"favourite {match[1]}: {match[2].strip()}")
    for relation, rule in _RELATIONS:
        for match in rule.finditer(line):
            extraction.relate(_clean_name(match[1]), relation, _clean_name(match[2]))


def _clean_name(name: str) -> str:
    """Return the name without leading words such as "The" and without a possessive ending."""
    parts = name.split()
    while parts and parts[0] in _NOT_NAMES:
        parts = parts[1:]
    return re.sub(r"['’]s$", "", " ".join(parts))


def _dates_in(line: str) -> Iterator[str]:
    """Yield the dates in the form `2026-11-26`, or `26 November` if the year is missing."""
    for rule in _DATES:
        for match in rule.finditer(line):
            parts = match.groupdict()
            month = int(parts.get("number") or 0) or _month(str(parts.get("month")))
            day, year = int(parts["day"]), parts["year"]
            if 1 <= month <= 12 and 1 <= day <= 31:
                yield f"{year}-{month:02}-{day:02}" if year else f"{day} {_MONTHS[month - 1]}"


def _month(name: str) -> int:
    """Return the number of the month, or 0 if the word is not a month name."""
    word = name.rstrip(".")
    return next((number for number, month in enumerate(_MONTHS, 1) if word in (month, month[:3], month[:4])), 0)
