"""Statements compared without a model: values in one spelling, what is known, and what is asked about."""

from __future__ import annotations

from graph_memory.memory.remember.facts import sentences
from graph_memory.memory.statements.language.languages import language_of
from graph_memory.memory.statements.pairs.comparing import compare
from graph_memory.memory.statements.pairs.judging import contradiction_score
from graph_memory.memory.statements.statement_verdict import CurrentObservation, Rule, Verdict, judge_statement
from graph_memory.memory.statements.values.values import values_of
from tables import for_rows


@for_rows(
    ("written", "other"),
    [
        ("costs 1,200,000 dollars", "costs $1.2 million"),
        ("Das kostet 1.200 Euro im Jahr", "Das kostet 1200 € im Jahr"),
        ("la réunion est à 22h30", "la réunion est à 22:30"),
        ("meets at 10:30 pm", "meets at 22:30"),
        ("on 12 September 2024", "on 2024-09-12"),
        ("am 12. September 2024 ist er da", "Er ist am 2024-09-12 da"),
        ("a run of twenty-five km", "a run of 25,000 metres"),
        ("two weeks of it", "14 days of it"),
        ("会议在十二月三日", "会议在12月3日"),
        ("el jueves a las 9:00 en la oficina", "en la oficina, jueves, 9:00"),
    ],
)
def test_equal_values_are_equal_in_any_spelling(written: str, other: str):
    language = language_of(f"{written}\n{other}")
    results = [
        sorted((value.kind, value.amount) for value in values_of(spelling, language)[0])
        for spelling in (written, other)
    ]
    assert results[0]
    assert results[0] == results[1]


def is_asked(known: str, new: str, entity: str) -> bool:
    return contradiction_score(compare(known, new, entity)) >= 0


@for_rows(
    ("known", "new"),
    [
        ("the tide is at −5 m", "the tide is at 5 m"),
        ("works with US teams", "works with us teams"),
        ("will re-sign the lease", "will re sign the lease"),
        ("vit à Genève", "vit a Genève"),
    ],
)
def test_what_only_a_sign_a_capital_a_hyphen_or_an_accent_tells_apart_is_asked_about(known: str, new: str):
    assert is_asked(known, new, "Ida")


def test_an_end_is_asked_about_and_a_wish_another_person_or_a_fuller_statement_is_not():
    known = "lives in a flat in Turin"
    rules = {
        new: is_asked(known, new, "Ugo")
        for new in (
            "sold the flat in Turin",
            "would like to sell the flat in Turin some day",
            "his sister sold her flat in Milan",
            "lives in a small flat in Turin, on the fourth floor",
            "plays the cello",
        )
    }
    assert list(rules.values()) == [True, False, False, False, False]
    assert compare(known, "sold the flat in Turin").features["event that ends it"] == "sold ends lives"


@for_rows(
    ("known", "new"),
    [
        ("lives in a flat in Turin", "Has she moved out of her flat in Turin?"),
        ("Does she live in Turin?", "moved out of her flat in Turin"),
        ("住在上海。", "他搬到北京了吗？"),
        ("Du bist ein toller Lehrer an der Schule", "ist kein Lehrer an der Schule"),
        ("It was!", "There are lots of ways to be glad without pets."),
        ("Sounds like a fun evening, even if I am not into games.", "Sounds great"),
        ("That sounds awesome!", "Awesome!"),
    ],
)
def test_talk_raises_no_doubt(known: str, new: str):
    assert not is_asked(known, new, "Ugo")


def test_what_is_exclaimed_may_still_end_what_is_known():
    assert is_asked("lives in a flat in Turin", "sold the flat in Turin!", "Ugo")


def test_a_denial_is_about_what_its_clause_says():
    known = "plays chess in a club on Fridays, though never against computers"
    assert compare(known, "plays chess in a club on Fridays").features == {}
    assert compare(known, "plays against computers").features == {"polarity": "no longer denies"}


@for_rows(
    ("known", "new"),
    [
        ("likes tea", "does not like tea"),
        ("has not sold the car", "has sold the car"),
        ("drinks wine", "drinks no alcohol"),
        ("fume", "ne fume pas"),
        ("курит", "не курит"),
        ("喝酒", "不喝酒"),
        ("タバコを吸う", "タバコを吸わない"),
        ("Anna raucht", "Anna hört auf"),
    ],
)
def test_a_denial_is_asked_about_also_where_one_word_says_the_same(known: str, new: str):
    assert is_asked(known, new, "Anna")


def test_in_a_crowd_a_common_word_does_not_tell_which_statement_is_out_of_date():
    crowd = [f"the printer in room {room} is slow" for room in range(2, 30)]
    known = [
        CurrentObservation(str(place), text) for place, text in enumerate(["the scanner is kept in the cellar", *crowd])
    ]

    def doubts_among(new: str, among: list[CurrentObservation]) -> list[str]:
        return [doubt.known.text for doubt in judge_statement(new, among, "").possible_replacements]

    assert doubts_among("the room is used now", known) == []
    assert doubts_among("the room has been sold", known) == []
    assert doubts_among("the room is used now", known[1:2]) == [crowd[0]]
    assert doubts_among("the scanner was moved to the attic", known) == [known[0].text]


def test_a_document_is_compared_with_nothing_and_takes_no_time():
    long, short = (
        CurrentObservation("1", "likes green tea " + "a" * 200_000),
        CurrentObservation("2", "likes green tea"),
    )
    assert judge_statement(f"{long.text}b", [long, short], "") == Verdict(rule=Rule.NEW)
    assert judge_statement(long.text, [short, long], "").known == long
    assert judge_statement("likes green tea, too", [long], "") == Verdict(rule=Rule.NEW)


def test_a_text_falls_into_sentences_and_lines():
    text = "Dr. Ames lives in Hull. She plays 3.5 hours a day!\n- likes tea\n* e.g. green tea\n两个人。住在北京。"
    assert sentences(text) == [
        "Dr. Ames lives in Hull.",
        "She plays 3.5 hours a day!",
        "likes tea",
        "e.g. green tea",
        "两个人。",
        "住在北京。",
    ]


@for_rows(
    ("text", "expected"),
    [
        ("Nora hat am 14. Mai Geburtstag. Sie ist 30. Er auch.", 3),
        ("Geburtstag: 14. Mai. Umzug im Mai 2026.", 2),
        ("Sie wohnt in der Bahrenfelder Str. 12, ca. 50 m weiter. Der 2. Stock ist frei.", 2),
        ("Open Mon. to Thu. 8 a.m. to noon. See ch. 4. Closed on Jan. 5.", 3),
        ("Did she like it? No. She left at 10. Max stayed.", 4),
        ('She said "I like it." Then she left.', 2),
        ("El Sr. Gómez vive en Madrid. Es vegano.", 2),
    ],
)
def test_a_point_that_ends_no_sentence_tears_none_apart(text: str, expected: int):
    assert len(sentences(text)) == expected
    assert " ".join(sentences(text)) == text


@for_rows(
    ("known", "new", "expected"),
    [
        ("Nora lives in Hamburg.", "Nora lives in Berlin with her partner.", True),
        ("Nora works at Acme.", "Nora works for Globex.", True),
        ("Nora's manager is Ana Ruiz.", "Her manager is Bob Stone.", True),
        ("Database: PostgreSQL", "The database is SQLite.", True),
        ("Nora drives a Volvo", "Nora drives a Tesla", True),
        ("Nora wohnt in Hamburg.", "Nora wohnt in Berlin.", True),
        ("Son médecin est le Dr Blanc.", "Son médecin est le Dr Noir.", True),
        ("Nora vive en Madrid.", "Nora vive en Sevilla.", True),
        ("Нора живёт в Москве.", "Нора живёт в Казани.", True),
        ("Nora lives in Hamburg.", "Nora lives in a small flat.", False),
        ("Nora wohnt in Hamburg.", "Nora wohnt in einer WG.", False),
        ("Nora speaks German.", "Nora speaks Spanish.", False),
        ("Her sister is Anna.", "Her sister is a doctor.", False),
        ("She works as a designer at Acme.", "Nora handed in her notice at Acme.", True),
        ("Sie kommt jeden Sonntag zum Essen.", "Sie kommt jetzt nur noch einmal im Monat zum Essen.", True),
        ("Nora is a vegan.", "Nora is a doctor.", False),
        ("Her email is nora@x.org", "Her email is nora@y.org", True),
        ("Nora's e-mail address is nora@x.org.", "Nora's e-mail address is nora.b@y.com.", True),
        ("email: nora@x.org", "email: nora@y.org", True),
        ("Phone: +49 171 234567", "Phone: +49 171 999999", True),
        ("Her phone number is 555-1234", "Her phone number is 555-9876", True),
        ("Her birthday is on 14 May 1990", "Her birthday is on 15 May 1991", True),
        ("Ihre E-Mail ist nora@x.org", "Ihre E-Mail ist nora@y.org", True),
        ("Her username is nora1", "Her username is nora2", True),
        ("Her website is https://nora.dev", "Her website is https://nora.io", True),
        ("Her email is nora@x.org", "Her phone is 555-1234", False),
        ("Her work email is nora@x.org", "Her private email is nora@y.org", False),
        ("Her email is nora@x.org", "Her brother's email is bob@y.org", False),
        ("The fair was in 1990", "The fair was in 1991", False),
    ],
)
def test_what_is_over_is_asked_about_and_what_may_be_beside_it_is_not(known: str, new: str, expected: bool):
    assert is_asked(known, new, "Nora") is expected
