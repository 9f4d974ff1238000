"""What each word of a statement does in it: where it stands, after which preposition, with what it is listed. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from graph_memory.memory.entities.statements.lexicon.lexicon import Lexicon
from graph_memory.memory.entities.statements.stems import regular, stems_of
from graph_memory.memory.entities.statements.values import Value

_WORD, _STOP = re.compile(r"\w+"), re.compile(r"[,;:(] |[;(]| - ")
_STOPPING = re.compile(r"[,;:()]")
_BETWEEN = re.compile(r"\w+|[^\w\s]")
_JOINING = frozenset(",&+/")


@dataclass(frozen=True, slots=True)
class Said:
    """A stem or a value where it stands."""

    what: str | Value
    word: str
    """The word as it was said; nothing for a value."""
    before: str
    """The preposition of the words among which it is, if there is one."""
    phrase: int
    """Which of these groups of words it is in: another one for each, where there is no preposition."""
    is_head: bool
    """Whether it is the first of its group, but for values."""
    is_apart: bool
    """Whether it comes at once after a comma or the like: there a preposition may be missing."""
    is_first: bool
    """Whether nothing but words is before it: no comma, no colon."""
    is_free: bool
    """Whether it means the same wherever it stands."""


@dataclass(frozen=True, slots=True)
class Roles:
    """What the words of a statement do in it, where words have spaces between them."""

    said: tuple[Said, ...] = ()
    """Stems and values in order; who does something comes first, also where it is done by somebody."""
    lists: tuple[frozenset[str], ...] = ()
    """Stems that stand side by side, with nothing but words like and between."""
    has_agent: bool = False
    """Whether something is done by somebody."""
    is_passive: bool = False
    """Whether something is done."""


def roles_of(text: str, rest: str, values: Sequence[Value], language: Lexicon) -> Roles:
    """Return what the words of a plain text do, given its values and the text without them."""
    if not language.is_written_apart:
        return Roles()
    found: list[tuple[int, str | Value]] = [(value.at, value) for value in values]
    found += [(word.start(), word[0]) for word in _WORD.finditer(rest)]
    found.sort(key=lambda one: one[0])
    said, places = _said(found, text, language)
    active = _active(said, language)
    lists = _lists(said, places, rest, language)
    return Roles(active or tuple(said), lists, active is not None, _is_done(rest, language))


def _said(
    found: Sequence[tuple[int, str | Value]], text: str, language: Lexicon
) -> tuple[Sequence[Said], Sequence[int]]:
    """Return stems and values with their places; words after a preposition are its own up to one that says nothing."""
    end = stop.start() if (stop := _STOP.search(text)) else len(text)
    said, places, before, is_open, phrase, then = list[Said](), list[int](), "", False, 0, 0
    is_alone = sum(each in language.adverb_words for _, each in found) == 1
    for at, each in found:
        is_apart = _STOPPING.search(text, then, at) is not None
        if is_apart:
            before, is_open = "", False
        then = at
        if isinstance(each, str) and each in language.placing:
            before, is_open, phrase = each, True, phrase + 1
            continue
        word = "" if isinstance(each, Value) else each
        if word in language.coordinator_words:
            continue
        is_free = is_alone and word in language.adverb_words
        whats = (each,) if isinstance(each, Value) else stems_of(each, language)
        phrase += not before
        is_head = not said or said[-1].phrase != phrase or not said[-1].word
        preposition = "" if is_free else before
        said += [Said(one, word, preposition, phrase, is_head, is_apart, at < end, is_free) for one in whats]
        places += [at] * len(whats)
        if not is_free:
            before, is_open = (before, False) if whats else (before if is_open else "", is_open)
    return said, places


def _active(said: Sequence[Said], language: Lexicon) -> tuple[Said, ...] | None:
    """Return what is done by somebody as what somebody does: agent, verb, and all else; none without an agent."""
    first = next((place for place, one in enumerate(said) if one.before in language.agent_words), 0)
    verb = next((at for at in range(first - 1, -1, -1) if _is_participle(said[at].word, language)), None)
    if verb is None or isinstance(said[first].what, Value):
        return None
    last = next((at for at in range(first, len(said)) if said[at].phrase != said[first].phrase), len(said))
    agent = [replace(one, before="") for one in said[first:last]]
    return (*agent, said[verb], *said[:verb], *said[verb + 1 : first], *said[last:])


def _is_done(text: str, language: Lexicon) -> bool:
    helps = frozenset(language.passive.split()) | language.tense_words[0]
    return any(one in helps and _is_participle(other, language) for one, other in pairwise(_WORD.findall(text)))


def _is_participle(word: str, language: Lexicon) -> bool:
    return bool(language.irregular) and regular(word, language).endswith(language.past_endings)


def _lists(said: Sequence[Said], places: Sequence[int], rest: str, language: Lexicon) -> tuple[frozenset[str], ...]:
    """Return what stands side by side."""
    lists: list[set[str]] = [set()]
    words = [(one, at) for one, at in zip(said, places, strict=True) if isinstance(one.what, str)]
    for (one, at), (other, then) in pairwise(words):
        between = _BETWEEN.findall(rest[at + len(one.word) : then])
        joining = [each for each in between if each in _JOINING or each in language.coordinator_words]
        others = {each for each in between if each not in joining} - {other.before}
        if not joining or not others <= language.common_words - language.placing:
            lists.append(set())
            continue
        lists[-1] |= {f"{one.what}", f"{other.what}"}
    return tuple(frozenset(each) for each in lists if each)
