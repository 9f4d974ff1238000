"""Windows and trigrams: a text that holds a needle always has a window that the index finds for it."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from graph_memory.model.text.search_windows import (
    GRAM,
    OVERLAP,
    PROBE_CHARACTERS,
    WINDOW,
    Needle,
    fold,
    split_trigrams,
    trigram_text,
    windows,
)
from profiles import SOAK
from tables import for_rows

unhurried = settings(deadline=None, derandomize=not SOAK)
"""The same examples every time, unless this is a soak, and no failure because the machine is busy."""

JAVA_WHITE_SPACE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2006\u2008\u200a\u2028\u2029\u205f\u3000"
"""Where the index's whitespace analyser cuts: what Java's `Character.isWhitespace` says."""

SPECIAL = [*"+-&|!(){}[]^\"~*?:\\/%_'`$", *JAVA_WHITE_SPACE, "\x00", "\x85", "\xa0", "\u202f", "\ufeff", "\u200b"]
HARD = [
    *SPECIAL,
    *"aAbßẞﬁﬀİıΣσςÅéŉǰ漢字🧠👩",
    "e\u0301",
    "\u0301",
    "\ue000",
    "\ue001",
    "AND",
    "OR NOT",
    "\r\n",
    "\U0010ffff",
]

characters = st.characters(exclude_categories=["Cs"])
texts = st.lists(st.sampled_from(HARD) | characters, max_size=40).map("".join)


@st.composite
def texts_and_cuts(draw: st.DrawFn) -> tuple[str, str]:
    """A text of up to three windows, and a part of it of a length that a window must show."""
    text = draw(texts) + draw(texts) * draw(st.integers(0, 300)) + draw(texts)
    text = text[: 3 * WINDOW] or "x"
    start = draw(st.integers(0, len(text) - 1) | st.sampled_from([0, WINDOW - OVERLAP - 1, WINDOW - 1]))
    start = min(start, len(text) - 1)
    length = draw(st.sampled_from([1, 2, 3, 4, OVERLAP, PROBE_CHARACTERS]) | st.integers(1, PROBE_CHARACTERS))
    return text, text[start : start + length]


def terms(query: str) -> list[str]:
    """The terms of a query of required, quoted terms, as Lucene's parser reads them."""
    term = r'\+"((?:[^"\\]|\\.)*)"'
    assert re.fullmatch(rf"{term}(?: {term})*", query, re.DOTALL)
    return [re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL) for quoted in re.findall(term, query, re.DOTALL)]


def java_tokens(text: str) -> list[str]:
    """The tokens that the index keeps of a text."""
    return [token for token in re.split(f"[{JAVA_WHITE_SPACE}]", text) if token]


@unhurried
@given(texts_and_cuts())
@example(("ß" * WINDOW, "ß" * (PROBE_CHARACTERS // 2)))
@example(("x" * (WINDOW - OVERLAP) + "needle" + "y" * WINDOW, "needle"))
def test_a_part_of_a_text_lies_whole_in_a_window_that_has_all_its_terms(pair: tuple[str, str]) -> None:
    text, part = pair
    needle = Needle.of(part)
    with_probe = [window for window in windows(text) if needle.probe in window]
    assert with_probe
    for window in with_probe:
        assert set(terms(needle.lucene("d"))) <= set(java_tokens(trigram_text("d", window)))


@unhurried
@given(texts_and_cuts())
def test_windows_hold_nothing_that_the_text_does_not_and_no_text_is_outside_of_them(pair: tuple[str, str]) -> None:
    folded, results = fold(pair[0]), list(windows(pair[0]))
    step = WINDOW - OVERLAP
    assert all(window == folded[place * step : place * step + WINDOW] for place, window in enumerate(results))
    assert "".join(window[:step] for window in results[:-1]) + results[-1] == folded


@for_rows("length", [1, OVERLAP, PROBE_CHARACTERS, WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW - OVERLAP, 9_999])
def test_every_needle_at_every_place_is_in_a_window(length: int) -> None:
    text = "".join(chr(0x4E00 + place) for place in range(length))  # no character twice
    results = list(windows(text))
    size = min(PROBE_CHARACTERS, length)
    for start in range(length - size + 1):
        assert any(text[start : start + size] in window for window in results)


@for_rows("length", [1, WINDOW, WINDOW + 1, 2 * WINDOW - OVERLAP, 2 * WINDOW - OVERLAP + 1])
def test_no_window_repeats_only_what_the_one_before_it_has(length: int) -> None:
    results = list(windows("x" * length))
    assert all(len(window) > OVERLAP for window in results[1:])


def test_an_empty_text_has_no_windows() -> None:
    assert list(windows("")) == []


@unhurried
@given(texts, texts)
def test_folding_is_the_same_for_a_part_as_for_the_whole(text: str, other: str) -> None:
    assert fold(text + other) == fold(text) + fold(other)
    assert Needle.of(text).is_in(other + text)
    assert Needle.of(text.upper()).folded == fold(text.upper())


@unhurried
@given(texts)
def test_a_gram_is_one_token_of_the_index(text: str) -> None:
    for gram in split_trigrams(fold(text)):
        assert len(gram) == GRAM
        assert java_tokens(gram) == [gram]
    assert set(split_trigrams(fold(text))) <= set(java_tokens(trigram_text("d", fold(text))))


@unhurried
@given(texts)
def test_the_terms_of_a_query_come_back_as_they_were_given(text: str) -> None:
    requests = terms(Needle.of(text).lucene("some.domain-1"))
    assert requests[0].endswith("some.domain-1")
    assert set(requests[1:]) <= set(split_trigrams(fold(text)))


@unhurried
@given(st.sampled_from(["a", "ab", "", "ß", "🧠"]))
def test_only_a_needle_without_a_trigram_is_short(text: str) -> None:
    assert Needle.of(text).is_short == (not split_trigrams(fold(text)))


@unhurried
@given(st.text(st.sampled_from("aß"), min_size=1, max_size=2 * PROBE_CHARACTERS))
def test_a_needle_is_whole_as_long_as_windows_can_show_it(text: str) -> None:
    needle = Needle.of(text)
    assert needle.fits_window == (len(fold(text)) <= PROBE_CHARACTERS) == (needle.probe == needle.folded)


def test_the_mark_of_one_domain_is_no_term_of_another() -> None:
    tokens = set(java_tokens(trigram_text("work", fold("ab work home"))))
    assert terms(Needle.of("abc").lucene("wor"))[0] not in tokens
    assert terms(Needle.of("abc").lucene("Work"))[0] not in tokens
    assert terms(Needle.of("abc").lucene("work"))[0] in tokens


@for_rows("text", ["", "ab", "abc", "  \n", "a \U0001f9e0b", "\ue000\ue001 ", "\uffff\u0100x" * 3])
def test_grams_are_the_distinct_runs_of_three_characters_in_their_order(text: str) -> None:
    assert split_trigrams(text) == runs_of_three(text)


@unhurried
@given(texts)
def test_grams_of_any_text_are_its_distinct_runs_of_three_characters(text: str) -> None:
    assert split_trigrams(text) == runs_of_three(text)
    assert trigram_text("d", text) == " ".join(["\ue001d", *runs_of_three(text)])


def runs_of_three(text: str) -> list[str]:
    """The trigrams of a text as their definition says them."""
    plain = re.sub(r"\s", "\ue000", text)
    return list(dict.fromkeys(plain[start : start + GRAM] for start in range(len(plain) - GRAM + 1)))
