"""What is known of a language: words that say how a statement is meant, and what ends which state. Data, no rules.

Phrases are in lower case without accents; `*` stands for any ending. They are taken from what a dictionary says of
states and of what ends them, not from examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

Finder = Callable[[str], bool]


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
    synonyms: str
    """A line: words that say the same."""
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
    number_code: str = ""
    """The code by which text2num knows it, if it does."""
    abilities: str = ""
    """That somebody could, not that it is so."""
    prepositions: str = ""
    """Words that say what a name has to do with the rest: from, to, with."""
    rates: str = ""
    """Words for times, and what says that something is so in each, apart by commas: week weekly."""
    every: str = ""
    """Words before a day of the week that say that each is meant; a point stands for a space."""
    linking: str = ""
    """Prepositions that only tie one word to another, as two words side by side are: the head of sales."""
    coordinators: str = ""
    """Words between things of which the order says nothing: and, or."""
    passive: str = ""
    """Words after which the ending of the past does not say that it was so."""
    adverbs: str = ""
    """Words that mean the same wherever they stand: daily, usually."""
    light: str = ""
    """Words that add nothing where the rest is said, with what has to follow: 40 people, works as a cook."""
    ordering: str = ""
    """Words by which the order of others says something."""
    agents: str = ""
    """Prepositions before who does it: written by."""
    irregular: str = ""
    """A line: a verb, a colon, its forms of the past."""
    misleading: str = ""
    """What has a word of another list in it, but is not meant so."""
    clock_words: str = ""
    """Words before an hour, and by how many minutes it is another time: half past nine."""
    particles: str = ""
    """Parts of verbs at the end of a clause, which are common words elsewhere: schaltet aus."""
    has_compounds: bool = False
    """Whether two words may be one where others have a preposition: Zahnarzttermin."""
    past_ending: str = ""
    """With what words end, apart by spaces, that say that it was so; the first is that of regular verbs."""
    tense: str = ""
    """Words of help that say that it was so, a slash, and that it is."""
    alternatives: str = ""
    """Words like or."""
    participle_ending: str = ""
    """With what words end that say what is going on."""
    comma_is_decimal: bool = True
    is_written_apart: bool = True
    """Whether words have spaces between them."""

    @cached_property
    def common_words(self) -> frozenset[str]:
        """The words that say nothing of their own."""
        return frozenset(self.common.split())

    @cached_property
    def placing(self) -> frozenset[str]:
        """The prepositions, and the words by which the order of others says something."""
        return frozenset(self.prepositions.split()) | self.ordering_words

    @cached_property
    def ordering_words(self) -> frozenset[str]:
        """The single words by which the order of others says something."""
        return frozenset(each.strip() for each in self.ordering.split(",") if each.strip().isalpha())

    @cached_property
    def coordinator_words(self) -> frozenset[str]:
        """The words between things of which the order says nothing."""
        return frozenset(self.coordinators.split())

    @cached_property
    def past_endings(self) -> tuple[str, ...]:
        """With what words end that say that it was so."""
        return tuple(self.past_ending.split()) or ("\0",)

    @cached_property
    def tense_words(self) -> tuple[frozenset[str], frozenset[str]]:
        """Words of help that say that it was so, and that it is."""
        was, _, now = self.tense.partition("/")
        return frozenset(was.split()), frozenset(now.split())

    @cached_property
    def alternative_words(self) -> frozenset[str]:
        """Words like or."""
        return frozenset(self.alternatives.split())

    @cached_property
    def rate_words(self) -> Mapping[str, str]:
        """What says that something is so in each, by the word for the time."""
        pairs = (each.split() for each in self.rates.split(",") if each.strip())
        return dict(pairs)

    @cached_property
    def linking_words(self) -> frozenset[str]:
        """The prepositions that only tie one word to another."""
        return frozenset(self.linking.split())

    @cached_property
    def agent_words(self) -> frozenset[str]:
        """The prepositions before who does it."""
        return frozenset(self.agents.split())

    @cached_property
    def clock_phrases(self) -> Mapping[str, int]:
        """The words before an hour, and by how many minutes it is another time."""
        pairs = (each.strip().partition(":") for each in self.clock_words.split(",") if each.strip())
        return {words: int(minutes) for words, _, minutes in pairs}

    @cached_property
    def irregular_forms(self) -> Mapping[str, str]:
        """Forms of irregular verbs, and what they would be if these were regular."""
        lines = (line.partition(":") for line in self.irregular.strip().splitlines())
        return {form: f"{verb.strip()}{self.past_endings[0]}" for verb, _, forms in lines for form in forms.split()}

    @cached_property
    def adverb_words(self) -> frozenset[str]:
        """The words that mean the same wherever they stand."""
        return frozenset(self.adverbs.split())

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words that tell the language from others."""
        listed = (self.common, self.negations, self.endings, self.changes, self.now, self.also, self.limits, self.kin)
        more = (self.states, self.synonyms, self.antonyms, self.months, self.weekdays, self.numbers)
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
