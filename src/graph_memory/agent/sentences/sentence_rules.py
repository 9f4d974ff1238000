"""Rules that classify sentences as preferences, goals or patterns, mainly by their first words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from graph_memory.memory.recall.questions.phrases import parse_time
from graph_memory.memory.search.text.analysers import ENGLISH

SentenceKind = Literal["preference", "goal", "anti_pattern", "workflow", "solution"]
_MAX_CHARACTERS = 2_000
"""Maximum number of characters of a classified sentence. Longer sentences are observations."""
_MAX_KEYWORDS = 8
_VERBS = (
    "access|add|alias|allow|amend|answer|append|apply|approve|archive|ask|assign|assume|attach|back|batch|block|book"
    "|branch|break|bring|build|bump|bypass|cache|call|cancel|catch|change|check|choose|clean|clear|clone|close|combine"
    "|comment|commit|compare|compile|configure|confirm|connect|convert|copy|create|cut|debug|define|delete|depend|deploy"
    "|disable|discard|document|downgrade|download|drop|edit|email|embed|enable|encode|end|ensure|escape|eval|execute"
    "|expose|export|fetch|fill|fix|flush|focus|follow|force|forget|format|generate|give|guess|handle|hard-?code|hide"
    "|ignore|implement|import|include|inline|insert|install|interrupt|invoke|join|keep|kill|launch|leave|link|lint|load"
    "|lock|log|make|measure|mention|merge|migrate|mock|modify|mount|move|mutate|name|notify|offer|omit|open|overwrite"
    "|pass|paste|patch|pin|plan|prefix|print|propose|publish|pull|push|put|quote|raise|read|rebase|rebuild|record"
    "|refactor|reformat|reload|rely|remove|rename|repeat|replace|reply|report|request|require|rerun|reset|resolve"
    "|restart|restore|retry|return|reuse|revert|review|rewrite|roll|rotate|run|save|scan|schedule|seed|send|serve|set"
    "|share|shed|ship|show|sign|skip|sleep|sort|speak|split|squash|start|stop|store|submit|suggest|suppress|swallow"
    "|switch|tag|take|tell|test|touch|track|translate|trust|truncate|try|turn|undo|uninstall|update|upgrade|upload|use"
    "|validate|verify|wait|warn|work|wrap|write"
)
"""Verbs that begin an order. A sentence with another verb may be a fact, so it stays an observation."""
_SUBCLAUSE = r"when|while|if|that|because|unless|until|before|after|where|which|who|as|since|so"
_NO_PRONOUN = r"(?! (?:it|this|that|them|these|those)\b)"
_ACTION = rf"(?! (?:(?!(?:{_SUBCLAUSE})\b)[^ ]+ )*?(?:is|are|was|were|has)\b) .+"
_ORDER = rf"(?P<text>(?:{_VERBS}){_NO_PRONOUN}{_ACTION})"
"""An order: a verb, an object that is not a pronoun, and no main clause such as "is down"."""
_ORDER_IN_SITUATION = rf"(?P<text>(?:{_VERBS}|look){_ACTION})"
"""An order after a situation, which its pronouns can refer to."""
_GERUND = r"(?P<text>\w{2,}ing\b(?! (?:is|are|was|were|has)\b).+)"
_NEVER = r"(?i:never|(?:please )?(?:do not|don't))(?:,? (?:ever|again))?,? "
_NO_OBJECT = r"(?!(?:is|are|was|were|has|have|and|or|table|count|counter|endpoint|button|page|field|column|list)\b)"
_RULES: Sequence[tuple[SentenceKind, str]] = (
    ("preference", rf"(?i:(?:the )?user) (?:(?:really|generally|usually|always|strongly) )?prefers? {_NO_OBJECT}.+"),
    (
        "preference",
        rf"(?i:the user) (?:really )?(?:likes|loves|dislikes|hates|(?:does not|doesn't) like) {_NO_OBJECT}.+",
    ),
    ("goal", r"(?i:(?:(?:the|my|our|new|next|main) )*goal)(?: is to |: ?)(?P<text>[^\W\d_].* .+)"),
    ("anti_pattern", rf"{_NEVER}{_ORDER}"),
    ("anti_pattern", rf"(?i:avoid):? (?:{_GERUND})"),
    ("workflow", rf"(?i:next time),? {_ORDER}"),
    ("workflow", rf"(?i:next time) (?P<situation>[^,]+), {_ORDER_IN_SITUATION}"),
    ("workflow", rf"(?i:from now on|always),? {_ORDER}"),
    (
        "solution",
        r"(?i:this|that|what) (?:finally )?(?:fixed|solved|resolved) (?P<situation>[^:]+): (?P<text>.*[^\W\d_]{2}.*)",
    ),
)
_COMPILED: Sequence[tuple[SentenceKind, re.Pattern[str]]] = [
    (kind, re.compile(rule, re.DOTALL)) for kind, rule in _RULES
]
_EMPHASIS = re.compile(r"\*\*|__")
_DEADLINE = re.compile(r",? (?P<due>(?:by|until|before) (?!\d{4}$)(?:(?!by |until |before )[\w ,-]){3,40})$")
"""The end of a goal, which may be its deadline. A number alone is not a deadline, because it is rarely a year."""
_GENERIC_WORDS = frozenset(
    ("i", "we", "you", "he", "she", "they", "use", "run", "add", "get", "make", "do", "set", "try", "take", "go", "see")
)
"""Words that occur in many situations. They are keywords only if there are no other words."""


@dataclass(frozen=True, slots=True)
class ClassifiedSentence:
    """A sentence to store as a preference, goal or pattern, split into its parts."""

    kind: SentenceKind
    sentence: str
    text: str
    """The goal, the action to do or to avoid, or the whole sentence of a preference."""
    situation: str = ""
    """The situation in which the action applies, or an empty string if the sentence has none."""
    deadline: str | None = None

    @property
    def keywords(self) -> tuple[str, ...]:
        """The keywords of the situation, or of the action if the sentence has no situation."""
        return keywords_of(self.situation) or keywords_of(self.text) or (self.text,)


def classify_sentence(sentence: str, now: datetime) -> ClassifiedSentence | None:
    """Classify a sentence as a preference, goal or pattern. Returns None if it is an observation.

    Deadlines such as "by Friday" are relative to `now`.
    """
    if len(sentence) > _MAX_CHARACTERS:
        return None
    plain_sentence = _EMPHASIS.sub("", sentence).strip()
    for kind, rule in _COMPILED:
        if match := rule.fullmatch(plain_sentence):
            parts = match.groupdict()
            text = (parts.get("text") or plain_sentence).strip().removesuffix(".")
            if kind == "preference":
                return ClassifiedSentence(kind, sentence, sentence)
            if kind == "goal":
                return _classify_goal(sentence, text, now)
            return ClassifiedSentence(kind, sentence, text, (parts.get("situation") or "").strip())
    return None


def _classify_goal(sentence: str, text: str, now: datetime) -> ClassifiedSentence:
    """Return a goal. If the text ends with a day or period, as in "by Friday", its last day is the deadline."""
    if due := _DEADLINE.search(text):
        with suppress(ValueError):
            day = date.fromisoformat(due["due"].rpartition(" ")[2])
            return ClassifiedSentence("goal", sentence, text[: due.start()], deadline=day.isoformat())
        time = parse_time(f"due {due['due']}", now)
        if time.text == "due" and time.period is not None and time.period.until is not None:
            last_moment = time.period.until - timedelta.resolution
            return ClassifiedSentence("goal", sentence, text[: due.start()], deadline=last_moment.date().isoformat())
    return ClassifiedSentence("goal", sentence, text)


def keywords_of(text: str) -> tuple[str, ...]:
    """Return the words of a text without stop words, question words and (if others remain) generic words."""
    words = [word for word in ENGLISH.words(text) if word not in ENGLISH.stop_words | ENGLISH.asking]
    specific_words = [word for word in words if word not in _GENERIC_WORDS and not word.isdigit()]
    return tuple(dict.fromkeys(specific_words or words))[:_MAX_KEYWORDS]
