"""Which passages a subject has, and what stands at their heads."""

from __future__ import annotations

import json

from graph_memory.memory.search.passages.passages import SubjectPassage, split_subject
from unit.memory.search.passage_builders import connection, node, passages, ref

LONG = " ".join(f"Sentence number {number} says a little about one thing or another." for number in range(40))


def places(results: list[SubjectPassage]) -> list[str]:
    return [piece.place.partition("/")[0] for piece in results]


def by_place(results: list[SubjectPassage]) -> dict[str, SubjectPassage]:
    return {piece.place: piece for piece in results}


def test_a_node_has_passages_of_its_title_tags_texts_summary_and_content() -> None:
    subject = node(
        title="Ada",
        summary="In short.",
        tags=("maths", "london"),
        role="engineer",
        age=36,
        name="Ada L.",
        home_town=" London\n",
    )
    results = by_place(split_subject(subject, "She wrote notes."))
    assert {place: piece.text for place, piece in results.items() if not place.startswith("content/")} == {
        "title": "Ada",
        "tags": "maths, london",
        "properties": "home town: London\nname: Ada L.\nrole: engineer",
        "summary": "In short.",
    }
    assert [piece.head for place, piece in results.items() if place != "title"] == ["Ada"] * 4
    assert [piece.text for place, piece in results.items() if place.startswith("content/")] == ["She wrote notes."]


def test_a_property_that_is_the_title_is_no_second_passage() -> None:
    assert [(piece.place, piece.text) for piece in split_subject(node(name="Ada"), None)] == [("title", "Ada")]


def test_a_title_that_was_made_of_the_first_line_is_no_passage_and_no_head() -> None:
    (piece,) = split_subject(node(), "First line.\nSecond line.")
    assert (piece.place.startswith("content/"), piece.head) == (True, "")


def test_binary_content_gives_no_passages() -> None:
    assert split_subject(node(ref("pdf", is_text=False)), None) == []
    assert split_subject(connection(ref("pdf", is_text=False)), None) == []


def test_a_connection_has_passages_of_its_texts_and_content() -> None:
    results = split_subject(connection(ref(), since="the war", weight=2.5), "They met at school.")
    assert [(piece.text, piece.head) for piece in results] == [("since: the war", ""), ("They met at school.", "")]


def test_an_observation_has_a_passage_of_its_text() -> None:
    assert split_subject({"_text": "He likes tea."}, None) == [SubjectPassage("text", "He likes tea.", "", "", "")]


def test_a_long_property_has_several_passages() -> None:
    results = split_subject(node(title="T", bio=LONG), None)[1:]
    assert len(results) > 1
    assert all(piece.place.startswith("property/bio/") for piece in results)


def test_sections_of_markdown_begin_passages_under_their_headings() -> None:
    text = f"# Guide\n\n## Setup\n\nInstall it.\n\n## Use\n\n{LONG}"
    results = [piece for piece in split_subject(node(), text) if piece.place.startswith("content")]
    assert results[0].text == "# Guide\n\n## Setup\n\nInstall it."
    assert results[0].head == "Setup"
    assert results[1].text.startswith("## Use\n\nSentence number 0")
    assert results[1].head == "Guide"
    assert {piece.head for piece in results[2:]} == {"Guide\nUse"}


def test_a_section_that_fits_into_one_passage_is_one() -> None:
    text = "\n\n".join(f"Paragraph {number} has these six words." for number in range(15))
    assert passages(text) == [text]


def test_a_passage_inside_a_paragraph_repeats_the_sentence_before_it() -> None:
    results = passages(LONG)
    repeated = [first.rpartition(". ")[2] for first in results]
    assert any(second.startswith(last) for last, second in zip(repeated, results[1:], strict=False))


def test_a_passage_knows_sixty_words_on_either_side() -> None:
    results = split_subject(node(), LONG)
    middle = results[len(results) // 2]
    at = LONG.index(middle.text)
    assert len(middle.before.split()) == len(middle.after.split()) == 60
    assert LONG[:at].rstrip().endswith(middle.before)
    assert LONG[at + len(middle.text) :].lstrip().startswith(middle.after)
    assert (results[0].before, results[-1].after) == ("", "")


def test_an_abbreviation_ends_no_sentence() -> None:
    text = "Mr. Smith met Dr. J. Jones, e.g. in May. They talked."
    sentence = "Filler words that are here for their number only, and nothing else at all."
    results = passages(" ".join([sentence] * 8 + [text] + [sentence] * 8))
    assert not any(text.endswith(("Mr.", "Dr.", "J.", "e.g.")) for text in results)


def test_turns_of_a_conversation_are_passages_under_the_speaker() -> None:
    text = "Caroline: Hello Mel!\nMelanie: Hi. How are you?\nCaroline: Fine.\nI painted a lake."
    results = split_subject(node(), text)
    assert [(piece.head, piece.text) for piece in results] == [
        ("Caroline", "Hello Mel!"),
        ("Melanie", "Hi. How are you?"),
        ("Caroline", "Fine.\nI painted a lake."),
    ]
    assert results[1].before == "Caroline: Hello Mel!\nMelanie:"
    assert results[1].after == "Caroline: Fine.\nI painted a lake."


def test_notes_with_labels_are_no_conversation() -> None:
    assert passages("Name: Ada\nBorn: 1815\nCity: London") == ["Name: Ada\nBorn: 1815\nCity: London"]


def test_messages_in_json_are_turns_without_escapes() -> None:
    results = [
        {"role": "user", "content": 'Say "hi"\nplease'},
        {"speaker": "Bo", "text": [{"type": "text", "text": "Hi"}]},
    ]
    expected = [("user", 'Say "hi"\nplease'), ("Bo", "Hi")]
    for text in (json.dumps(results), json.dumps({"messages": results}), "\n".join(map(json.dumps, results))):
        assert [(piece.head, piece.text) for piece in split_subject(node(ref("json")), text)] == expected


def test_other_json_is_split_as_it_stands() -> None:
    text = json.dumps([{"role": "cook", "age": number, "town": f"Town {number}"} for number in range(100)])
    results = split_subject(node(ref("json")), text)
    assert len(results) > 1
    assert all(piece.text in text for piece in results)


def test_functions_are_passages_under_their_signatures() -> None:
    body = "\n".join(f"    value_{number} = compute(value_{number}, {number})" for number in range(60))
    text = (
        f"import os\n\n\n@cached\ndef first(a):\n{body}\n\n\nclass Second:\n    def method(self):\n        return 1\n"
    )
    results = split_subject(node(ref("python")), text)
    assert results[0].text == "import os"
    assert results[1].text.startswith("@cached\ndef first(a):")
    assert results[2].head == "def first(a)"
    assert results[-1].text == "class Second:\n    def method(self):\n        return 1"


def test_definitions_of_other_languages_begin_passages() -> None:
    text = "package main\n\n// Runs it.\nfunc run(a int) {\n}\n\nfunc stop() {\n}\n"
    assert passages(text, "go") == ["package main", "// Runs it.\nfunc run(a int) {\n}", "func stop() {\n}"]


def test_fenced_code_in_markdown_is_kept_whole_where_it_fits() -> None:
    text = f"{LONG}\n\n```python\n# no heading\ndef f():\n    return 1\n```\n\nAfter it."
    assert any("# no heading\ndef f():\n    return 1\n```" in passage for passage in passages(text))


def test_rows_of_a_table_stand_under_its_header() -> None:
    text = "name,city\n" + "\n".join(f"person {number},town {number}" for number in range(200))
    results = split_subject(node(ref("csv")), text)
    assert results[0].head == ""
    assert {piece.head for piece in results[1:]} == {"name,city"}
    assert all(line in text.splitlines() for piece in results for line in piece.text.splitlines())
