"""What is known of a language: words that say how a statement is meant, and what ends which state. Data, no rules.

Phrases are in lower case without accents; `*` stands for any ending. They are taken from what a dictionary says of
states and of what ends them, not from examples.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, kw_only=True, eq=False)
class Lexicon:
    """A language. Fields of phrases have them apart by commas; those of groups have a group a line."""

    analyser: str
    """The analyser whose stems it has."""
    common: str
    """Words that say nothing of their own; they also tell the language."""
    negations: str
    endings: str
    """That something is no more so."""
    changes: str
    """That something is otherwise now."""
    now: str
    wishes: str
    """Wishes, plans and conditions: what is not so yet."""
    claims: str
    """What somebody says or thinks."""
    stand_ins: str
    also: str
    past: str
    limits: str
    """Words like only and except."""
    singles: str
    """Words for what there is one of: the main road."""
    corrections: str
    spoken_to: str
    """Words for whoever is spoken to."""
    kin: str
    """People beside the one that is spoken of."""
    states: str
    """A line: what is so, a colon, what ends it."""
    antonyms: str
    """A line: words, a slash, their opposites."""
    labels: str
    """A line: words of which each names another thing of one kind."""
    numbers: str
    """Words for numbers from nought on, one after another, equal ones with a slash."""
    ordinals: str
    """The same from the first on."""
    tens: str
    """Words for 20, 30 and so on to 90."""
    scales: str
    """Words for a thousand, a million and a billion, equal ones with a slash."""
    months: str
    weekdays: str
    reasons: str = ""
    """Words before a reason, which says nothing of whether the rest is so: because."""
    holds_one: str = ""
    """Verbs before a name of which there is one at a time: lives in."""
    copulas: str = ""
    """Words between what there is one of and its name: her manager is Ana."""
    abilities: str = ""
    """That somebody could, not that it is so."""
    every: str = ""
    """Words before a day of the week that say that each is meant; a point stands for a space."""
    irregular: str = ""
    """A line: a verb, a colon, its forms of the past."""
    misleading: str = ""
    """What has a word of another list in it, but is not meant so."""
    past_ending: str = ""
    """The ending of regular verbs in the past."""
    tense: str = ""
    """Words of help that say that it was so, a slash, and that it is."""
    comma_is_decimal: bool = True
    is_written_apart: bool = True
    """Whether words have spaces between them."""

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The words that say nothing of their own."""
        return frozenset(self.common.split())

    @cached_property
    def tense_words(self) -> tuple[frozenset[str], frozenset[str]]:
        """Words of help that say that it was so, and that it is."""
        was, _, now = self.tense.partition("/")
        return frozenset(was.split()), frozenset(now.split())

    @cached_property
    def irregular_forms(self) -> Mapping[str, str]:
        """Forms of irregular verbs, and what they would be if these were regular."""
        lines = (line.partition(":") for line in self.irregular.strip().splitlines())
        return {form: f"{verb.strip()}{self.past_ending}" for verb, _, forms in lines for form in forms.split()}

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words that tell the language from others."""
        listed = (self.common, self.negations, self.endings, self.changes, self.now, self.also, self.limits, self.kin)
        more = (self.states, self.antonyms, self.months, self.weekdays, self.numbers)
        return frozenset(re.findall(r"\w+", " ".join((*listed, *more))))

    @cached_property
    def groups_of_states(self) -> Sequence[tuple[str, str]]:
        """States, and what ends them, each as phrases."""
        pairs = (line.partition(":") for line in self.states.strip().splitlines())
        return [(state, ends) for state, _, ends in pairs]

    @cached_property
    def pairs_of_antonyms(self) -> Sequence[tuple[str, str]]:
        """Words and their opposites, each as phrases."""
        pairs = (line.partition("/") for line in self.antonyms.strip().splitlines())
        return [(one, other) for one, _, other in pairs]
