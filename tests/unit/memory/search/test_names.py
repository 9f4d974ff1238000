"""Which names stand whole in a text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from graph_memory.memory.search.text.names import Mention, find_mentions, is_common, name_variants, split_words
from tables import for_rows

STANDING = [
    (
        "Ada Lovelace wrote to Charles Babbage's son.",
        ["Ada Lovelace", "Charles Babbage"],
        {"Ada Lovelace", "Charles Babbage"},
    ),
    ("ada lovelace, in small letters", ["Ada Lovelace"], {"Ada Lovelace"}),
    ("Babbagement is no name", ["Babbage"], set[str]()),
    ("May came in May", ["May"], {"May"}),
    ("they may come", ["May"], set[str]()),
    ("ELLA and Ella", ["ella"], {"ella"}),
    ("J.K. Rowling", ["J. K. Rowling"], {"J. K. Rowling"}),
    ("Die Straße der Ölsardinen", ["STRASSE DER ÖLSARDINEN"], {"STRASSE DER ÖLSARDINEN"}),
    ("我住在上海市", ["上海"], {"上海"}),
    ("an apple a day", ["", "!!", "Apple"], set[str]()),
    ("A_B meets Ada", ["A B", "Ada"], {"A B", "Ada"}),
    ("Jose\u0301 sings", ["Jos\u00e9"], {"Jos\u00e9"}),
    ("She writes C++ and F#.", ["C", "C++", "C#", "F", "F#"], {"C++", "F#"}),
    ("Is Ida O-, or A+?", ["O", "O-", "O+", "A", "A+", "A-"], {"O-", "A+"}),
    ("A C-based tool, says Anna-Lena", ["C", "C-", "Anna Lena", "Anna"], {"C", "Anna Lena", "Anna"}),
    ("It is at Google+", ["Google", "Google+"], {"Google+"}),
    ("short", ["a much longer name than the text"], set[str]()),
]


@for_rows(("text", "names", "expected"), STANDING)
def test_names_stand_in_a_text_as_whole_words(text: str, names: list[str], expected: set[str]) -> None:
    assert set(find_mentions(text, {name: [name] for name in names})) == expected


def test_namesakes_are_counted_however_they_write_the_name() -> None:
    mentions = find_mentions("Mercury is hot", {"Mercury": ["planet"], "MERCURY": ["metal"]})
    assert mentions == {owner: Mention("MERCURY", 2) for owner in ("planet", "metal")}


def test_of_several_names_the_one_that_the_fewest_bear_counts() -> None:
    names = {"Mercury": ["planet", "metal"], "Planet Mercury": ["planet"]}
    assert find_mentions("The planet Mercury", names)["planet"] == Mention("Planet Mercury", 1)


def test_a_name_of_one_word_may_be_asked_for_without_its_capital() -> None:
    assert set(find_mentions("who is ada", {"Ada": ["ada"]}, capitalised=False)) == {"ada"}


def test_a_name_has_a_form_without_its_qualifier() -> None:
    assert name_variants("Mercury (planet)") == ("Mercury (planet)", "Mercury")
    assert name_variants("(planet)") == ("(planet)",)
    assert name_variants("f(x) = y") == ("f(x) = y",)


@for_rows(
    ("having", "texts", "common"), [(5, 10, False), (6, 10, True), (6, 600, False), (11, 1000, True), (10, 1000, False)]
)
def test_a_name_is_common_in_more_than_five_texts_and_one_in_a_hundred(having: int, texts: int, common: bool) -> None:
    assert is_common(having, texts) is common


@given(st.text(), st.text(min_size=1), st.text())
@example("", "\u0958", "")
@example("", "¼", "˂")
def test_a_name_is_found_between_any_two_texts(before: str, name: str, after: str) -> None:
    mentions = find_mentions(f"{before} {name} {after}", {name: ["it"]}, capitalised=False)
    assert bool(mentions) is bool(split_words(name))


@given(st.text(), st.dictionaries(st.text(max_size=5), st.sets(st.sampled_from("abc"), min_size=1)))
def test_all_words_of_what_is_found_stand_in_the_text(text: str, names: dict[str, set[str]]) -> None:
    for owner, mention in find_mentions(text, names).items():
        assert set(split_words(mention.name)) <= set(split_words(text))
        assert owner in names[mention.name] or mention.namesakes > 1
