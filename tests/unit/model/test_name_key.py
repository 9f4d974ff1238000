"""Which names are one, and that all callers compare them by the same key."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph_memory.memory.entities.cleaning.misplaced import old_key, other_name
from graph_memory.memory.entities.names.similar_names import ComparedEntity, evidence, pairs, similarity_of_names
from graph_memory.memory.entities.names.spans import find_encoded_spans, find_spans
from graph_memory.memory.remember.advised import _words_of  # pyright: ignore[reportPrivateUsage]
from graph_memory.model.text.name_key import SEPARATORS, first_characters, is_same_name, name_key, without_separators
from tables import for_rows

OTHERS = [
    ("C", "C++"),
    ("C", "C#"),
    ("C++", "C#"),
    ("F#", "F"),
    ("O+", "O-"),
    ("O-", "O"),
    ("A-", "A+"),
    ("AB−", "AB-"),
    ("Google+", "Google"),
    ("Yahoo!", "Yahoo"),
    ("10%", "10"),
    ("$5", "€5"),
    ("#1", "1"),
    ("-V", "V"),
    ("_x", "x"),
    ("@ida", "ida"),
    ("A*", "A"),
    ("Node.js", "Nodejs"),
    ("a.b", "ab"),
    ("a/b", "ab"),
    ("AT&T", "ATT"),
    ("Route-66", "Route 66"),
    ("Room 12", "Room12"),
    ("x²", "x2"),
    ("①", "1"),
    ("❤️", "🖤"),
    ("👍", "👎"),
    ("राम", "रोम"),
    ("हिंदी", "हिंदू"),
    ("ไก่", "ไก"),
    ("පන", "පාන"),
    ("கா", "கி"),
    ("José", "Jose"),
    ("año", "ano"),
    ("א", "אָ"),
]
SAME = [
    ("my-service", "My Service"),
    ("my-service", "MyService"),
    ("my_service", "MyService"),
    ("MY\u00a0SERVICE", "my‑service"),
    ("O'Brien", "OBrien"),
    ("O’Brien", "O'BRIEN"),
    ("O´Brien", "Oʼbrien"),
    ("Zoe  Quinn", "zoe quinn"),
    ("Caf\u00e9", "CAFE\u0301"),
    ("Straße", "STRASSE"),
    ("Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ"),
    ("राम सिंह", "राम-सिंह"),
    ("Route-66", "ROUTE‑66"),
    ("Room  12", "room 12"),
    ("ＭｙＳｅｒｖｉｃｅ", "ｍｙ＿ｓｅｒｖｉｃｅ"),
]


@for_rows(("text", "other"), SAME)
def test_capitals_accents_encoding_and_separators_between_letters_make_no_other_name(text: str, other: str):
    assert is_same_name(text, other)
    assert similarity_of_names(text, other) == 1
    assert evidence(ComparedEntity(text, "x"), ComparedEntity(other, "x"), 0, None).has_one_name


@for_rows(("text", "other"), OTHERS)
def test_every_other_character_makes_another_name(text: str, other: str):
    assert not is_same_name(text, other)
    result = evidence(ComparedEntity(text, "x"), ComparedEntity(other, "x"), 2, 0.95)
    assert not result.has_one_name
    assert _words_of(text) != _words_of(other)


@pytest.mark.parametrize(("text", "other"), [("C", "C++"), ("Google+", "Google"), ("10%", "10"), ("$5", "€5")])
def test_names_that_differ_in_signs_are_alike_but_no_duplicates(text: str, other: str):
    result = evidence(ComparedEntity(text, "x"), ComparedEntity(other, "x"), 0, 0.95)
    assert result.reasons == {"the same name except for symbols": 0.5}
    assert ("1", "2") in set(pairs({"1": ComparedEntity(text, "x"), "2": ComparedEntity(other, "x")}))


@example("\u1fe2", "", "-")  # its capitals are three characters, of which two compose another
@example("\u0149", "", "-")  # its capitals are an apostrophe, which separates, and a letter
@given(st.text(max_size=6), st.text(max_size=6), st.sampled_from(SEPARATORS))
def test_a_name_is_found_by_what_the_store_compares(entity_name: str, other: str, separator: str):
    for name in (entity_name.swapcase(), unicodedata.normalize("NFD", entity_name), f"{entity_name}{separator}{other}"):
        for text in (entity_name, f"{entity_name}{other}"):
            if name and text and is_same_name(name, text):
                assert without_separators(name) == without_separators(text)
                assert name[0] in first_characters(text)


@given(st.text(max_size=8), st.characters(categories=["S", "P", "N", "M", "C"]), st.integers(0, 8))
def test_a_sign_that_is_put_in_makes_another_name(name: str, sign: str, at: int):
    changed = name[:at] + sign + name[at:]
    if sign not in SEPARATORS and unicodedata.normalize("NFC", changed) != unicodedata.normalize("NFC", name):
        assert name_key(changed) != name_key(name)


@given(st.text(alphabet=st.sampled_from([*SEPARATORS, "a", "é", "1", "+", "क", "ि"]), max_size=8))
def test_the_key_of_a_key_is_the_key(name: str):
    assert name_key(name_key(name)) == name_key(name)


@for_rows(
    ("text", "named", "others"),
    [
        ("She writes C++, daily.", {"C++"}, {"C"}),
        ("Is it O-?", {"O-"}, {"O"}),
        ("Node.js is fast", {"Node.js"}, {"Node"}),
        ("(Anna Berg's sister)", {"Anna Berg", "Anna Berg's"}, {"nna"}),
        ("I met Yahoo!", {"Yahoo!", "Yahoo"}, set[str]()),
        ("राम आया", {"राम"}, {"र", "म"}),
        ("安娜，来了。", {"安娜"}, set[str]()),
        ("She said “Ben” — twice", {"Ben"}, set[str]()),
    ],
)
def test_a_name_stands_in_a_text_only_with_all_its_signs(text: str, named: set[str], others: set[str]):
    spans = find_spans(text, 5).keys()
    assert named <= spans
    assert others.isdisjoint(spans)


def test_a_name_stands_in_a_text_in_either_encoding_of_its_accents():
    spelt = {unicodedata.normalize(form, "München") for form in ("NFC", "NFD")}
    for text in (unicodedata.normalize("NFD", "München is nice"), "München is nice"):
        assert spelt <= find_encoded_spans(text, 2).keys()


@for_rows(
    ("text", "names", "other"),
    [
        ("C++ is compiled", ["C"], "C++"),
        ("She writes C#.", ["C", "the C language"], "C#"),
        ("Google+ was shut down", ["Google"], "Google+"),
        ("रोम बड़ा है", ["राम"], "रोम"),
        ("C++ grew out of C", ["C"], None),
        ("C is compiled", ["C"], None),
        ("is compiled", ["C"], None),
        ("Merrow Inc, of Leeds", ["Merrow Inc."], None),
        ("anna  berg came", ["Anna Berg"], None),
        ("C++ is compiled", ["C", "C++"], None),
    ],
)
def test_a_fact_at_the_wrong_entity_is_found_by_the_name_in_its_text(text: str, names: list[str], other: str | None):
    assert other_name(text, names) == other
    assert other is None or old_key(other) == old_key(names[0])
