"""Normalization never removes a character that distinguishes two statements."""

from __future__ import annotations

import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from graph_memory.memory.remember.advice.grounding import share_contained
from graph_memory.memory.remember.advice.settling import StatementPair, parse_decisions
from graph_memory.memory.statements.statement_verdict import CurrentObservation, Verdict, judge_statement
from graph_memory.memory.statements.values.literals import same_text
from tables import for_rows

SENTENCES = ("{}", "It was {}", "the value is {} today", "She rated the film {}.", "{} is what Ida uses at work")
PAIRS = [
    ("−5 °C", "5 °C"),
    ("-5 °C", "5 °C"),
    ("−200", "200"),
    ("-200", "200"),
    ("–5", "5"),
    ("+5", "5"),
    ("±5", "5"),
    ("~5", "5"),
    ("5!", "5"),
    ("10-", "10"),
    ("👍", "👎"),
    ("✅", "❌"),
    ("⭐⭐⭐", "⭐"),
    ("🇩🇪", "🇫🇷"),
    ("👩🏽", "👩🏿"),
    ("👨‍👩‍👧", "👨‍👩‍👦"),
    ("❤️", "🖤"),
    ("✔", "✘"),
    ("☀", "☁"),
    ("♂", "♀"),
    ("★★★", "★★☆"),
    ("🙂", ":-)"),
    ("↑", "↓"),
    ("a→b", "a←b"),
    ("!ready", "ready"),
    ("¬p", "p"),
    ("a ∧ b", "a ∨ b"),
    ("a = b", "a ≠ b"),
    ("a ≤ b", "a ≥ b"),
    ("A ⊂ B", "A ⊃ B"),
    ("∀x", "∃x"),
    ("x²", "x2"),
    ("x²", "x³"),
    ("①", "②"),
    ("½", "1/2"),
    ("①", "1"),
    ("a.b@x.org", "ab@x.org"),
    ("j-smith", "jsmith"),
    ("j_smith", "j-smith"),
    ("py-yaml", "pyyaml"),
    ("x.y", "xy"),
    ("a/b", "a\\b"),
    ("std::move", "std.move"),
    ("#1", "1"),
    ("@ida", "ida"),
    ("$HOME", "HOME"),
    ("aB3", "ab3"),
    ("-V", "-v"),
    ("Path", "PATH"),
    ("US", "us"),
    ("Polish", "polish"),
    ("Turkey", "turkey"),
    ("IT", "it"),
    ("iPhone", "iphone"),
    ("5 MB", "5 Mb"),
    ("10 MW", "10 mW"),
    ("--no-cache", "no cache"),
    ("--no-cache", "no-cache"),
    ("re-sign", "resign"),
    ("co-op", "coop"),
    ("un-ionised", "unionised"),
    ("we're", "were"),
    ("she'll", "shell"),
    ("can't", "cant"),
    ("C++", "C"),
    ("C#", "C++"),
    ("O+", "O-"),
    ("10%", "10"),
    ("$5", "€5"),
    ("£5", "5"),
    ("5°", "5"),
    ("5 °C", "5 °F"),
    ("3.10", "3.1"),
    ("1.2.3", "123"),
    ("007", "7"),
    ("1:0", "10"),
    ("3-4", "34"),
    ("résumé", "resume"),
    ("año", "ano"),
    ("schön", "schon"),
    ("pêche", "péché"),
    ("Maße", "Masse"),
    ("trial", "trail"),
    ("राम", "रोम"),
    ("हिंदी", "हिंदू"),
    ("कि", "की"),
    ("কাল", "কুল"),
    ("பால்", "பல்"),
    ("ไก่", "ไก"),
    ("เสือ", "เสื่อ"),
    ("កា", "កី"),
    ("שָׁלוֹם", "שלום"),
    ("Ё", "Е"),
    ("«так»", "так"),
    ("（５）", "5"),
    ("好！", "好"),
]


def verdict_on(new: str, *known: str) -> Verdict:
    observations = [CurrentObservation(str(place), text) for place, text in enumerate(known)]
    return judge_statement(new, observations, "")


@for_rows("sentence", SENTENCES)
@for_rows(("text", "other"), PAIRS)
def test_statements_that_differ_in_a_telling_character_are_both_kept(text: str, other: str, sentence: str):
    for known, new in ((text, other), (other, text)):
        assert verdict_on(sentence.format(new), sentence.format(known)).known is None


@for_rows(
    ("text", "other"),
    [
        ("Tiene 10 años", "Tiene 10 anos"),
        ("Er hat fünf Hunde", "Er hat funf Hunde"),
        ("Hon har två barn", "Hon har tva barn"),
        ("Tem três gatos", "Tem tres gatos"),
        ("El miércoles", "El miercoles"),
        ("Sábado tem aula", "Sabado tem aula"),
        ("Le 5 août", "Le 5 aout"),
        ("Am Montag, den 3. März", "Am Montag, den 3. Marz"),
        ("Trabaja 2 meses", "Trabaja 2 mesés"),
        ("Dose is 20 Mg", "Dose is 20 mg"),
        ("Timeout is 10 ms", "Timeout is 10 Ms"),
        ("Len 3 Mm", "Len 3 mm"),
        ("Size 4 Gb", "Size 4 gb"),
        ("Paid 3 M", "Paid 3 m"),
        ("Salary 90 K", "Salary 90 k"),
        ("Waited 3 H", "Waited 3 h"),
        ("Runs 1.5 km", "Runs 1,5 km"),
    ],
)
def test_values_that_differ_in_an_accent_or_a_capital_or_a_decimal_sign_are_both_kept(text: str, other: str):
    for known, new in ((text, other), (other, text)):
        assert verdict_on(new, known).known is None
    assert verdict_on(unicodedata.normalize("NFD", text), text).known is not None


@for_rows(
    ("text", "other"),
    [
        ("Allergic: nuts, no fish", "Allergic: nuts no, fish"),
        ("казнить, нельзя помиловать", "казнить нельзя, помиловать"),
        ("Rooms 1, 2", "Rooms 1 2"),
        ("Sizes 13, 15", "Sizes 13; 15"),
        ("f(a, b)", "f(a b)"),
        ("Eats nuts; no fish", "Eats nuts no fish"),
        ("Ben, said Ana, is ill", "Ben said Ana is ill"),
        ("yes: no", "yes, no"),
    ],
)
def test_statements_with_commas_colons_or_semicolons_at_other_words_are_both_kept(text: str, other: str):
    for known, new in ((text, other), (other, text)):
        assert verdict_on(new, known).known is None


@for_rows(
    ("known", "new"),
    [
        ("likes tea", "likes tea."),
        ("likes  tea\n", " likes\u00a0tea ."),
        ("caf\u00e9 is shut", "cafe\u0301 is shut"),
        ("It was −5 °C.", "It was −5 °C"),
        ("voted 👍", "voted  👍."),
    ],
)
def test_equal_text_is_known(known: str, new: str):
    assert verdict_on(new, known).known is not None


def test_what_a_sign_belongs_to_is_compared_with_it():
    known = "gave 👍 to apples and 👎 to pears"
    assert verdict_on("gave 👍 to pears and 👎 to apples", known).known is None
    assert verdict_on("C# runs beside C++ and Go", "C++ runs beside C# and Go").known is None
    assert verdict_on("runs C# on Linux, C++ on Windows", "runs C++ on Linux, C# on Windows").known is None
    assert verdict_on("asked Will about tea", "asked about tea").known is None


def test_what_is_not_proved_to_be_known_is_asked_about():
    [doubt] = verdict_on("It was 5 °C in the hall", "It was −5 °C in the hall").possible_replacements
    assert doubt.known.text == "It was −5 °C in the hall"


@given(
    text=st.text(st.characters(categories=["L", "M", "Nd"], max_codepoint=0x2FFF), min_size=1, max_size=8),
    sign=st.characters(categories=["S", "M", "Pc", "Pd", "So", "Sk", "Sm", "Sc", "Nd", "Lu"]),
    at=st.integers(0, 8),
    sentence=st.sampled_from(SENTENCES),
)
def test_a_character_that_is_put_in_makes_another_statement(text: str, sign: str, at: int, sentence: str):
    changed = text[:at] + sign + text[at:]
    assume(unicodedata.normalize("NFC", changed) != unicodedata.normalize("NFC", text))
    answer, other = sentence.format(text), sentence.format(changed)
    assert verdict_on(other, answer).known is None
    assert verdict_on(answer, other).known is None


@given(
    text=st.characters(categories=["S", "M", "P", "N", "Lu"], exclude_characters=".,;:"),
    other=st.characters(categories=["S", "M", "P", "N", "L"], exclude_characters=".,;:"),
    sentence=st.sampled_from(("It was a{}b there", "It was a{} there", "It was {}a there", "It was {} there")),
)
def test_a_character_in_the_place_of_another_makes_another_statement(text: str, other: str, sentence: str):
    assume(unicodedata.normalize("NFC", text) != unicodedata.normalize("NFC", other))
    assert verdict_on(sentence.format(other), sentence.format(text)).known is None


@given(st.text(max_size=12), st.text(max_size=12))
def test_same_text_ignores_only_encoding_white_space_and_final_full_stop(text: str, other: str):
    def without_spaces(text: str) -> str:
        return "".join(unicodedata.normalize("NFC", text).split())

    if same_text(text, other):
        assert without_spaces(text).removesuffix(".") == without_spaces(other).removesuffix(".")


@for_rows(
    ("known", "new"),
    [("It was −5 °C in Rome", "It was 5 °C in Rome"), ("Ida voted 👍 there", "Ida voted 👎 there")],
)
def test_a_model_cannot_say_that_different_signs_are_the_same(known: str, new: str):
    reply = '{"answers": [{"question": 1, "decision": "same", "reason": "alike"}]}'
    assert parse_decisions(reply, [StatementPair("obs_1", known, new)], "model") == {}
    again = StatementPair("obs_1", known, f"then {known}")
    assert parse_decisions(reply, [again], "model")[again].decision == "same"


@for_rows(
    ("text", "other"),
    [("It was 5 °C in Rome", "It was −5 °C in Rome"), ("voted 👎", "voted 👍"), ("a ≠ b", "a = b"), ("x2", "x²")],
)
def test_a_fact_that_a_model_gives_is_not_held_by_a_text_with_another_sign(text: str, other: str):
    assert share_contained(text, [text]) == 1
    assert (share_contained(text, [other]), share_contained(other, [text])) == (0, 0)
