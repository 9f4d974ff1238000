"""The lexicon of a language: words that show how a statement is meant, and events that end a state. Data only.

Phrases are in lower case without accents. `*` stands for any ending. They come from dictionary definitions of states
and their ends, not from examples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, kw_only=True, eq=False)
class Lexicon:
    """The words of a language. Phrases are separated by commas, groups by lines."""

    analyser: str
    """The analyser that provides the stems."""
    common: str
    """Function words, which also identify the language."""
    negations: str
    endings: str
    """Phrases for the end of a state."""
    changes: str
    """Phrases for a change of a state."""
    now: str
    wishes: str
    """Phrases for wishes, plans and conditions, which are not facts yet."""
    claims: str
    """Phrases for statements or opinions of a person."""
    stand_ins: str
    also: str
    past: str
    limits: str
    """Words like only and except."""
    singles: str
    """Words for unique items, as in `the main road`."""
    corrections: str
    spoken_to: str
    """Words that address a person."""
    kin: str
    """Relatives and other people."""
    states: str
    """One line per state: phrases for the state, a colon, phrases for its end."""
    antonyms: str
    """One line per pair: words, a slash, their opposites."""
    labels: str
    """One line per kind: words for different items of that kind."""
    numbers: str
    """Number words from zero, in order. Synonyms are separated by a slash."""
    ordinals: str
    """Ordinals from the first, in order."""
    tens: str
    """Words for 20, 30 and so on to 90."""
    scales: str
    """Words for a thousand, a million and a billion. Synonyms are separated by a slash."""
    months: str
    weekdays: str
    reasons: str = ""
    """Words before a reason, such as `because`, which is not part of the statement."""
    holds_one: str = ""
    """Verbs before the name of a single value: `lives in`."""
    copulas: str = ""
    """Words between an attribute and its single value: `her manager is Ana`."""
    abilities: str = ""
    """Phrases for abilities, which are not facts."""
    each_weekday: str = ""
    """Words before a weekday that mean every such day: `every Monday`. A full stop stands for a space."""
    irregular: str = ""
    """One line per verb: the verb, a colon, its past forms."""
    misleading: str = ""
    """Phrases that contain a word of another list with a different meaning."""
    past_ending: str = ""
    """The past ending of regular verbs."""
    tense: str = ""
    """Auxiliary verbs of the past, a slash, auxiliary verbs of the present."""
    comma_is_decimal: bool = True
    is_written_apart: bool = True
    """Whether words have spaces between them."""

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The function words."""
        return frozenset(self.common.split())

    @cached_property
    def tense_words(self) -> tuple[frozenset[str], frozenset[str]]:
        """The auxiliary verbs of the past, and of the present."""
        was, _, now = self.tense.partition("/")
        return frozenset(was.split()), frozenset(now.split())

    @cached_property
    def irregular_forms(self) -> Mapping[str, str]:
        """The forms of irregular verbs with their regular counterparts."""
        lines = (line.partition(":") for line in self.irregular.strip().splitlines())
        return {form: f"{verb.strip()}{self.past_ending}" for verb, _, forms in lines for form in forms.split()}

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words that identify the language."""
        listed = (self.common, self.negations, self.endings, self.changes, self.now, self.also, self.limits, self.kin)
        more = (self.states, self.antonyms, self.months, self.weekdays, self.numbers)
        return frozenset(re.findall(r"\w+", " ".join((*listed, *more))))

    @cached_property
    def groups_of_states(self) -> Sequence[tuple[str, str]]:
        """The phrases for each state, and the phrases for the end of that state."""
        pairs = (line.partition(":") for line in self.states.strip().splitlines())
        return [(state, ends) for state, _, ends in pairs]

    @cached_property
    def pairs_of_antonyms(self) -> Sequence[tuple[str, str]]:
        """The words of each pair of opposites."""
        pairs = (line.partition("/") for line in self.antonyms.strip().splitlines())
        return [(left, right) for left, _, right in pairs]
