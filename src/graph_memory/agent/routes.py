"""Sentences that `remember` stores as preferences, goals and patterns, recognised by how they begin. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graph_memory.memory.recall.analysers import ENGLISH

RouteKind = Literal["preference", "goal", "anti_pattern", "workflow", "solution"]
_LONGEST = 2_000
"""Maximum number of characters of a sentence that is routed. A longer one is an observation."""
_MOST_KEYWORDS = 8
_NO_ORDER = (
    "a|an|the|in|on|off|at|to|of|before|again|once|mind|been|is|are|was|were|has|had|did|does|do|can|could|will|would"
    "|should|may|might|true|false|available|open|closed|up|down|there|i|we|you|he|she|it|they|have (?i:i|we|you|they)"
)
"""Words that do not begin an order after "never" or "always"."""
_ORDER = rf"(?!(?:{_NO_ORDER})\b)(?!\w+(?:[^e]ed|[^s]s)\b)(?=[a-z])(?P<text>.+)"
"""An order: it begins with a verb in its plain form, such as "run", not "ran" or "runs"."""
_USER = r"(?i:the )?(?i:user) (?:(?:really|generally|usually|always|strongly) )?"
_RULES: Sequence[tuple[RouteKind, str]] = (
    ("preference", rf"{_USER}(?:prefers?|likes?|loves?|dislikes?|hates?|(?:does not|doesn't) like) (?P<text>.+)"),
    ("goal", r"(?i:(?:(?:the|my|our|new|next|main) )*goal)(?: is to | ?: ?)(?P<text>.+)"),
    ("anti_pattern", rf"(?i:never|(?:do not|don't)(?: ever)?) {_ORDER}"),
    ("anti_pattern", r"(?i:avoid) (?P<text>.+)"),
    ("workflow", r"(?i:next time),? (?:(?P<situation>[^,]+), )?(?P<text>.+)"),
    ("workflow", rf"(?i:from now on),? {_ORDER}"),
    ("workflow", rf"(?i:always) {_ORDER}"),
    ("solution", r"(?i:this|that|it|what) (?:finally )?(?:fixed|solved|resolved) (?P<situation>[^:]+): ?(?P<text>.+)"),
)
_COMPILED: Sequence[tuple[RouteKind, re.Pattern[str]]] = [(kind, re.compile(rule, re.DOTALL)) for kind, rule in _RULES]
_DEADLINE = re.compile(r",? (?:by|until|before) (?P<day>\d{4}-\d\d-\d\d)$")


@dataclass(frozen=True, slots=True)
class Route:
    """A sentence that is not an observation, with what is stored of it."""

    kind: RouteKind
    sentence: str
    text: str
    """What the goal is, or what to do or to avoid. Of a preference, the sentence."""
    situation: str = ""
    """When it applies, if the sentence says so."""
    deadline: str | None = None

    @property
    def keywords(self) -> tuple[str, ...]:
        """Words of the situation, or of the action if the sentence has no situation."""
        return keywords_of(self.situation) or keywords_of(self.text) or (self.text,)


def route_of(sentence: str) -> Route | None:
    """Return how a sentence is stored if it is a preference, a goal or a pattern, else None."""
    if len(sentence) > _LONGEST:
        return None
    for kind, rule in _COMPILED:
        if (match := rule.fullmatch(sentence)) is None:
            continue
        text = match["text"].strip().removesuffix(".").strip()
        if not text:
            return None
        if kind == "preference":
            return Route(kind, sentence, sentence)
        if kind == "goal":
            due = _DEADLINE.search(text)
            return Route(kind, sentence, text[: due.start()] if due else text, deadline=due and due["day"])
        return Route(kind, sentence, text, (match.groupdict().get("situation") or "").strip())
    return None


def keywords_of(text: str) -> tuple[str, ...]:
    """Return the words of a text that say what it is about, in order."""
    words = (word for word in ENGLISH.words(text) if word not in ENGLISH.stop_words | ENGLISH.asking)
    return tuple(dict.fromkeys(words))[:_MOST_KEYWORDS]
