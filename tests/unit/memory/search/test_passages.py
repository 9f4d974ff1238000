"""Which passages a subject has, and what stands at their heads."""

from __future__ import annotations

import json

from graph_memory.memory.search.passages.passages import Piece, pieces
from unit.memory.search.passage_builders import connection, node, passages, ref

LONG = " ".join(f"Sentence number {number} says a little about one thing or another." for number in range(40))


def places(found: list[Piece]) -> list[str]:
    return [each.place.partition("/")[0] for each in found]


def by_place(found: list[Piece]) -> dict[str, Piece]:
    return {each.place: each for each in found}


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
    found = by_place(pieces(subject, "She wrote notes."))
    assert {place: each.text for place, each in found.items() if not place.startswith("content/")} == {
        "title": "Ada",
        "tags": "maths, london",
        "properties": "home town: London\nname: Ada L.\nrole: engineer",
        "summary": "In short.",
    }
    assert [each.head for place, each in found.items() if place != "title"] == ["Ada"] * 4
    assert [each.text for place, each in found.items() if place.startswith("content/")] == ["She wrote notes."]


def test_a_property_that_is_the_title_is_no_second_passage() -> None:
    assert [(each.place, each.text) for each in pieces(node(name="Ada"), None)] == [("title", "Ada")]


def test_a_title_that_was_made_of_the_first_line_is_no_passage_and_no_head() -> None:
    (found,) = pieces(node(), "First line.\nSecond line.")
    assert (found.place.startswith("content/"), found.head) == (True, "")


def test_binary_content_gives_no_passages() -> None:
    assert pieces(node(ref("pdf", is_text=False)), None) == []
    assert pieces(connection(ref("pdf", is_text=False)), None) == []


def test_a_connection_has_passages_of_its_texts_and_content() -> None:
    found = pieces(connection(ref(), since="the war", weight=2.5), "They met at school.")
    assert [(each.text, each.head) for each in found] == [("since: the war", ""), ("They met at school.", "")]


def test_an_observation_has_a_passage_of_its_text() -> None:
    assert pieces({"_text": "He likes tea."}, None) == [Piece("text", "He likes tea.", "", "", "")]


def test_a_long_property_has_several_passages() -> None:
    found = pieces(node(title="T", bio=LONG), None)[1:]
    assert len(found) > 1
    assert all(each.place.startswith("property/bio/") for each in found)


def test_sections_of_markdown_begin_passages_under_their_headings() -> None:
    text = f"# Guide\n\n## Setup\n\nInstall it.\n\n## Use\n\n{LONG}"
    found = [each for each in pieces(node(), text) if each.place.startswith("content")]
    assert found[0].text == "# Guide\n\n## Setup\n\nInstall it."
    assert found[0].head == "Setup"
    assert found[1].text.startswith("## Use\n\nSentence number 0")
    assert found[1].head == "Guide"
    assert {each.head for each in found[2:]} == {"Guide\nUse"}


def test_a_section_that_fits_into_one_passage_is_one() -> None:
    text = "\n\n".join(f"Paragraph {number} has these six words." for number in range(15))
    assert passages(text) == [text]


def test_a_passage_inside_a_paragraph_repeats_the_sentence_before_it() -> None:
    found = passages(LONG)
    repeated = [first.rpartition(". ")[2] for first in found]
    assert any(second.startswith(last) for last, second in zip(repeated, found[1:], strict=False))


def test_a_passage_knows_sixty_words_on_either_side() -> None:
    found = pieces(node(), LONG)
    middle = found[len(found) // 2]
    at = LONG.index(middle.text)
    assert len(middle.before.split()) == len(middle.after.split()) == 60
    assert LONG[:at].rstrip().endswith(middle.before)
    assert LONG[at + len(middle.text) :].lstrip().startswith(middle.after)
    assert (found[0].before, found[-1].after) == ("", "")


def test_an_abbreviation_ends_no_sentence() -> None:
    text = "Mr. Smith met Dr. J. Jones, e.g. in May. They talked."
    sentence = "Filler words that are here for their number only, and nothing else at all."
    found = passages(" ".join([sentence] * 8 + [text] + [sentence] * 8))
    assert not any(each.endswith(("Mr.", "Dr.", "J.", "e.g.")) for each in found)


def test_turns_of_a_conversation_are_passages_under_the_speaker() -> None:
    text = "Caroline: Hello Mel!\nMelanie: Hi. How are you?\nCaroline: Fine.\nI painted a lake."
    found = pieces(node(), text)
    assert [(each.head, each.text) for each in found] == [
        ("Caroline", "Hello Mel!"),
        ("Melanie", "Hi. How are you?"),
        ("Caroline", "Fine.\nI painted a lake."),
    ]
    assert found[1].before == "Caroline: Hello Mel!\nMelanie:"
    assert found[1].after == "Caroline: Fine.\nI painted a lake."


def test_notes_with_labels_are_no_conversation() -> None:
    assert passages("Name: Ada\nBorn: 1815\nCity: London") == ["Name: Ada\nBorn: 1815\nCity: London"]


def test_messages_in_json_are_turns_without_escapes() -> None:
    said = [
        {"role": "user", "content": 'Say "hi"\nplease'},
        {"speaker": "Bo", "text": [{"type": "text", "text": "Hi"}]},
    ]
    expected = [("user", 'Say "hi"\nplease'), ("Bo", "Hi")]
    for text in (json.dumps(said), json.dumps({"messages": said}), "\n".join(map(json.dumps, said))):
        assert [(each.head, each.text) for each in pieces(node(ref("json")), text)] == expected


def test_other_json_is_split_as_it_stands() -> None:
    text = json.dumps([{"role": "cook", "age": number, "town": f"Town {number}"} for number in range(100)])
    found = pieces(node(ref("json")), text)
    assert len(found) > 1
    assert all(each.text in text for each in found)


def test_functions_are_passages_under_their_signatures() -> None:
    body = "\n".join(f"    value_{number} = compute(value_{number}, {number})" for number in range(60))
    text = (
        f"import os\n\n\n@cached\ndef first(a):\n{body}\n\n\nclass Second:\n    def method(self):\n        return 1\n"
    )
    found = pieces(node(ref("python")), text)
    assert found[0].text == "import os"
    assert found[1].text.startswith("@cached\ndef first(a):")
    assert found[2].head == "def first(a)"
    assert found[-1].text == "class Second:\n    def method(self):\n        return 1"


def test_definitions_of_other_languages_begin_passages() -> None:
    text = "package main\n\n// Runs it.\nfunc run(a int) {\n}\n\nfunc stop() {\n}\n"
    assert passages(text, "go") == ["package main", "// Runs it.\nfunc run(a int) {\n}", "func stop() {\n}"]


def test_fenced_code_in_markdown_is_kept_whole_where_it_fits() -> None:
    text = f"{LONG}\n\n```python\n# no heading\ndef f():\n    return 1\n```\n\nAfter it."
    assert any("# no heading\ndef f():\n    return 1\n```" in each for each in passages(text))


def test_rows_of_a_table_stand_under_its_header() -> None:
    text = "name,city\n" + "\n".join(f"person {number},town {number}" for number in range(200))
    found = pieces(node(ref("csv")), text)
    assert found[0].head == ""
    assert {each.head for each in found[1:]} == {"name,city"}
    assert all(line in text.splitlines() for each in found for line in each.text.splitlines())
