"""A language's lexicon: words that show how a statement is meant, and events that end a state.

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
    """A language's word lists. Commas separate phrases, and line breaks separate groups."""

    analyser: str
    """The name of the analyser that stems the words."""
    common: str
    """Function words, which also identify the language."""
    negations: str
    endings: str
    """Phrases for a state's end."""
    changes: str
    """Phrases for a state's change."""
    now: str
    wishes: str
    """Phrases for wishes, plans and conditions. They do not state facts."""
    claims: str
    """Phrases that attribute a statement or an opinion to a person."""
    stand_ins: str
    also: str
    past: str
    limits: str
    """Words that limit a statement, such as `only` and `except`."""
    singles: str
    """Words for unique things, as in `the main road`."""
    corrections: str
    spoken_to: str
    """Words with which a person is addressed."""
    kin: str
    """Words for relatives and other people."""
    states: str
    """One line per state: phrases for the state, a colon, phrases for its end."""
    antonyms: str
    """One line per pair: words, a slash, their opposites."""
    labels: str
    """One line per kind: words for different things of that kind."""
    numbers: str
    """Number words from zero, in order. Synonyms are separated by a slash."""
    ordinals: str
    """Ordinals in order, starting with the first."""
    tens: str
    """Words for 20, 30 and so on to 90."""
    scales: str
    """Words for thousand, million and billion. Synonyms are separated by a slash."""
    months: str
    weekdays: str
    reasons: str = ""
    """Words before a reason, such as `because`. A reason is not part of the statement."""
    holds_one: str = ""
    """Verbs before the name of a single value: `lives in`."""
    copulas: str = ""
    """Words between an attribute and its single value, as in `her manager is Ana`."""
    abilities: str = ""
    """Phrases for abilities. They do not state facts."""
    each_weekday: str = ""
    """Words that mean every such day when used before a weekday, as in `every Monday`. A full stop stands for a
    space."""
    irregular: str = ""
    """One line per verb: the verb, a colon, its past forms."""
    misleading: str = ""
    """Phrases that contain a word from another list, but with a different meaning."""
    past_ending: str = ""
    """The past ending of regular verbs."""
    tense: str = ""
    """Auxiliary verbs of the past, a slash, and auxiliary verbs of the present."""
    comma_is_decimal: bool = True
    has_spaces_between_words: bool = True
    """Whether words have spaces between them."""

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The words in `common`."""
        return frozenset(self.common.split())

    @cached_property
    def tense_words(self) -> tuple[frozenset[str], frozenset[str]]:
        """The auxiliary verbs of the past and of the present."""
        was, _, now = self.tense.partition("/")
        return frozenset(was.split()), frozenset(now.split())

    @cached_property
    def irregular_forms(self) -> Mapping[str, str]:
        """The regular past form of each irregular verb form, such as `writed` for `written`."""
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
        """The phrases for each state, paired with the phrases for its end."""
        pairs = (line.partition(":") for line in self.states.strip().splitlines())
        return [(state, ends) for state, _, ends in pairs]

    @cached_property
    def pairs_of_antonyms(self) -> Sequence[tuple[str, str]]:
        """The pairs of opposite words."""
        pairs = (line.partition("/") for line in self.antonyms.strip().splitlines())
        return [(left, right) for left, _, right in pairs]
