"""Markdown notes, read: what each small note gives, and that nothing else of its text is lost."""

from __future__ import annotations

import time
import unicodedata
from pathlib import Path

import pytest

from graph_memory.memory.transfer.formats.memories.markdown import read_markdown
from graph_memory.memory.transfer.formats.memories.notes import note_of
from tables import for_rows
from unit.memory.transfer.test_memories import Read, write

NEL, LS, FF = "\x85", "\u2028", "\x0c"
FACT = "[fact] Ada likes tea"


def links(text: str) -> list[tuple[str, str]]:
    return [(link.type, link.names[-1]) for link in note_of(text).links]


def observations(text: str) -> list[str]:
    return [observation for _, observation in note_of(text).observations]


@for_rows(
    ("text", "names"),
    [
        ("[[Ada]]", ["Ada"]),
        ("[[Ada|the countess]] and [[Ada#Life]], [[Ada^a1]], [[Ada#^a1|x]]", ["Ada"] * 4),
        ("![[Ada]] and ![[Ada#Life]]", ["Ada", "Ada"]),
        ("| a | b |\n|---|---|\n| [[Ada\\|A]] | [[Tea]] |", ["Ada", "Tea"]),
        ("# See [[Ada]]\n\nSee\n===\n\n> - [[Tea]]", ["Ada", "Tea"]),
        ("[[Node.js]] [[2024.05.26]] [[v1.2]] [[St. John]]", ["Node.js", "2024.05.26", "v1.2", "St. John"]),
        ("[[C#]] [[F#|sharp]]", ["C#", "F#"]),
        ("[[memory://drinks/tea]]", ["drinks/tea"]),
        ("[x](Ada.md) [x](<../A b.md>) [x](../A%20b.md#c) [x][r]\n\n[r]: Tea.md", ["Ada", "../A b", "../A b", "Tea"]),
        ("[x](https://a.org/b.md) <https://a.org/c.md> [x](mailto:a@b.md) [x](#Life) [[#Life]] [[^a]]", []),
        ("[[1]](https://example.org) and [[Ada]](as it were)", ["Ada"]),
        ("\\[[Ada]] and `[[Ada]]` and ``[[Tea]] ` [[Ada]]``", []),
        ("%% [[Ada]] %% [[Tea]] %% [[Ada]] %%", ["Tea"]),
        ("%%\n[[Ada]]\n\n```\n\n%% [[Tea]]", ["Tea"]),
        ("before %% [[Ada]]\n\n[[Ada]]\n\n- [[Ada]] %% [[Tea]]", ["Tea"]),
        ("50%% of [[Tea]]\n\n[[Ada]]", ["Tea", "Ada"]),
        ("<!-- [[Ada]] --> [[Tea]]", ["Tea"]),
        ("x <!-- [[Ada]] --> [[Tea]]", ["Tea"]),
        ("<!--\n[[Ada]]\n\n~~~\n[[Ada]]\n-->\n[[Tea]]", ["Tea"]),
        ("x <!-- [[Ada]]\n\n[[Ada]] --> [[Tea]] a --> b [[Tea]]", ["Tea", "Tea"]),
        ("<!-- never closed [[Tea]]\n\n[[Ada]]", ["Tea", "Ada"]),
        ("- <!-- a\n- [[Ada]]\n- --> [[Tea]]", ["Tea"]),
        ("`%%` [[Tea]] `%%` and `<!--` [[Tea]]", ["Tea", "Tea"]),
        ("$[[Ada]]$ $$[[Ada]]$$ [[Tea]]", ["Tea"]),
        ("$$\n[[Ada]]\n\n[[Ada]]\n$$\n[[Tea]]", ["Tea"]),
        ("It costs $5 or [[Tea]] $6 and \\$7 [[Tea]]", ["Tea", "Tea"]),
        ("```[[Ada]]``` [[Tea]]", ["Tea"]),
        ("```\n[[Ada]]\n```\n[[Tea]]", ["Tea"]),
        ("~~~\n```\n[[Ada]]\n~~~\n[[Tea]]", ["Tea"]),
        ("````md\n```\n[[Ada]]\n```\n[[Ada]]\n````\n[[Tea]]", ["Tea"]),
        ("> ```\n> [[Ada]]\n> ```\n> [[Tea]]", ["Tea"]),
        ("> ```\n> [[Ada]]\n\n[[Tea]]", ["Tea"]),
        ("- a\n\n  ```\n  [[Ada]]\n  ```\n- [[Tea]]", ["Tea"]),
        ("a\n\n    [[Ada]]\n\n\t[[Ada]]\n\n[[Tea]]", ["Tea"]),
        ("<pre>\n[[Ada]]\n</pre>\n[[Tea]]", ["Tea"]),
        ("<details>\n\n[[Tea]]\n\n</details>", ["Tea"]),
        ("Text[^1] and [^2]\n\n[^1]: [[Tea]]\n[^2]: see [[Ada]]", ["Tea", "Ada"]),
        ("- [ ] call [[Ada]]\n- [/] drink [[Tea]]", ["Ada", "Tea"]),
        ("---\nsee: '[[Tea]]'\nother: [[Ada]]\ntitle: '[[No]]'\n---\n", ["Tea", "Ada"]),
    ],
)
def test_links_are_read_where_obsidian_shows_them(text: str, names: list[str]):
    note = note_of(text)
    assert [link.names[-1] for link in note.links] == names
    assert note.body().strip() == ("" if text.startswith("---") else text.strip())


@for_rows(
    ("text", "lines"),
    [
        (f"- {FACT}", [FACT]),
        (f"* {FACT}\n+ {FACT} #tag (why)", [FACT, f"{FACT} #tag (why)"]),
        (f"1. text\n   - {FACT}\n     - [nested idea] Too", [FACT, "[nested idea] Too"]),
        (
            "- [tech/data-base] x\n- [Überblick] y\n- [श्रेणी] z\n- [node.js] n",
            ["[tech/data-base] x", "[Überblick] y", "[श्रेणी] z", "[node.js] n"],
        ),
        (f"- {FACT}{LS}and coffee{NEL}also{FF}more", [f"{FACT}{LS}and coffee{NEL}also{FF}more"]),
        (f"- {FACT}\n  and coffee\n\nText", [f"{FACT}\nand coffee"]),
        (f"- {FACT}\r\n- [fact] b\r- [fact] c", [FACT, "[fact] b", "[fact] c"]),
        ("- [fact] use `[[x]]` and **that**", ["[fact] use `[[x]]` and **that**"]),
        (f"- {FACT}\n\n## Other\n- [fact] b", [FACT, "[fact] b"]),
        (f"~~~ ```\n~~~\n- {FACT}", [FACT]),
        (f"```x```\n- {FACT}", [FACT]),
    ],
)
def test_items_with_a_category_are_observations(text: str, lines: list[str]):
    assert observations(text) == lines


@for_rows(
    "text",
    [
        *(f"- [{sign}] text" for sign in ' xX/>-<!?*"lbiSIpcfkwud1é'),
        *(f"- [{time}] text" for time in ("10:30", "2024-05-26", "10:30 AM", "Mon 10:30", "May 26", "1:02:03", "2pm")),
        "- [^1] text",
        "- [^note] text",
        "- [1] text\n- [12] text\n- [1, 2] text",
        "- [@smith] text",
        "- [!note] text",
        "- [due:: tomorrow] text",
        "- [site](https://example.org) is a link",
        "- [site][ref] text\n\n[ref]: https://example.org",
        "- [site] text\n\n[site]: https://example.org",
        "- [[Ada]] text",
        "- [fact]text",
        "- [fact]",
        f"{FACT}",
        f"1. {FACT}",
        f"> - {FACT}",
        f"```\n- {FACT}\n```",
        f"~~~\n- {FACT}\n~~~",
        f"> ```\n> - {FACT}\n> ```",
        f"````\n```\n- {FACT}\n```\n````",
        f"text\n\n    - {FACT}",
        f"<!--\n- {FACT}\n-->",
        f"%%\n- {FACT}\n%%",
        f"text %%\n\n- {FACT}\n\n%%",
        f"$$\n- {FACT}\n$$",
    ],
)
def test_other_items_stay_in_the_text(text: str):
    note = note_of(text)
    assert note.observations == []
    assert note.body() == text


@for_rows(
    ("text", "names"),
    [
        ("The energy is $$\nE=mc^2\n$$\nand more.\n\n- part_of [[X]]\n\nAlso $$\nF=ma\n$$\n", ["X"]),
        ("Text %%\n[[Ada]]\n%%\n\n[[X]]\n\n%% b %%\n[[Y]]", ["X", "Y"]),
        ("Text <!--\n[[Ada]]\n-->\n\n[[X]]\n\n<!-- b -->\n[[Y]]", ["X", "Y"]),
        ("$[[m]]$ and $$\n[[m2]]\n$$ cost $5 and [[real]] for $6\n\n$$\n- [fact] in math\n$$", ["real"]),
        ("Text %%\n\n[[Ada]]\n\n- [[Ada]]\n\n%%\n\n[[X]]\n\n%% b %%\n[[Y]]", ["X", "Y"]),
        ("- item $$\n  [[m]]\n  $$\n- [[X]]\n\n$$\n[[m]]\n$$", ["X"]),
        ("- item %%\n  [[Ada]]\n  %%\n- [[X]]\n\n%%\n[[Ada]]\n%%", ["X"]),
        ("> item $$\n> [[m]]\n> $$\n\n[[X]]\n\n$$\n[[m]]\n$$", ["X"]),
        ("a %% b %% c %%\n[[Ada]]\n%%\n[[X]]\n\n%%\n[[Ada]]\n%%", ["X"]),
        ("Text %% $$\n[[Ada]]\n%%\n[[X]]\n\n$$\n[[m]]\n$$", ["X"]),
        ("Use `$$` and \\$$5 or `%%` so:\n$$\n[[m]]\n\n[[m]]\n$$\n[[X]]", ["X"]),
        ("It costs 5$$ or so.\n\n$$\n[[m]]\n$$\n[[X]]", ["X"]),
        ("```\n%%\n```\n\n%%\n[[Ada]]\n\n%%\n[[X]]", ["X"]),
    ],
)
def test_a_closing_sign_ends_what_began_in_the_middle_of_a_line(text: str, names: list[str]):
    assert [end for _, end in links(text)] == names
    assert observations(f"{text}\n\n- {FACT}") == [FACT]


def test_a_comment_in_an_observation_is_left_out_of_it_and_stays_in_the_text():
    text = f"- {FACT} %% or [[Coffee]]? %% since 2020 <!-- [[Milk]] -->"
    note = note_of(text)
    assert note.observations == [(1, f"{FACT} since 2020")]
    assert note.links == []
    assert note.body() == text


def test_a_comment_may_begin_an_item_that_is_an_observation():
    text = f"- %% c %% {FACT}\n- <!-- c\n  d --> {FACT} too\n- %% c %%\n  %% d %% {FACT}"
    note = note_of(text)
    assert note.observations == [(1, FACT), (3, f"{FACT} too"), (5, FACT)]
    assert note.body() == text


def test_an_observation_ends_where_a_comment_begins_that_goes_on_elsewhere():
    note = note_of(f"- {FACT} %% or\n  [[Coffee]]\n- [fact] hidden\n\n%%\n- [fact] shown")
    assert note.observations == [(1, FACT), (6, "[fact] shown")]
    assert note.links == []
    assert note.body() == f"- {FACT} %% or\n  [[Coffee]]\n- [fact] hidden\n\n%%"


@for_rows(
    ("line", "kind"),
    [
        ("pairs_with [[Tea]]", "pairs_with"),
        ("is part of [[Tea]]", "is part of"),
        ("inspired by [[Tea]] (long ago)", "inspired by"),
        ("depends-on: [[Tea]]", "depends-on"),
        ("Author: [[Tea]]", "Author"),
        ("author:: [[Tea]]", "author"),
        ("WORKS_AT [[Tea]]", "WORKS_AT"),
        ("gehört zu [[Tea|x]]", "gehört zu"),
        ("[[Tea]]", "links_to"),
        ("Yesterday I talked about [[Tea]]", "links_to"),
        ("I met [[Tea]]", "links_to"),
        ("See [[Tea]]", "links_to"),
        ("we all went for some [[Tea]]", "links_to"),
        ("well, then [[Tea]]", "links_to"),
        ("10:30 [[Tea]]", "links_to"),
        ("2024-05-26 [[Tea]]", "links_to"),
        ("pairs_with [[Tea]] in the morning", "links_to"),
        ("**bold** [[Tea]]", "links_to"),
        ("[x] done [[Tea]]", "links_to"),
        ("%% old %% likes [[Tea]]", "likes"),
        ("likes [[Tea]] %% c %%", "likes"),
        ("likes [[Tea]]<!-- [[c]] -->", "likes"),
        ("likes <!-- c --> [[Tea]]", "likes"),
        ("is %% c %%part of [[Tea]] (long %% c %% ago)", "is part of"),
        ("likes [[Tea]] %% c %% in the morning", "links_to"),
    ],
)
def test_only_a_short_type_before_a_link_is_the_type_of_a_relation(line: str, kind: str):
    note = note_of(f"- {line}")
    assert [(link.type, link.names[-1]) for link in note.links] == [(kind, "Tea")]
    is_taken = kind != "links_to" and not any(sign in line for sign in ("(", "%%", "<!--"))
    assert note.body() == ("" if is_taken else f"- {line}")


def test_a_comment_that_begins_beside_a_relation_and_ends_elsewhere_hides_what_is_between():
    text = "- likes [[Tea]] %% c\n- hates [[Ada]]\n- [fact] hidden\n\n%%\n- likes [[X]]"
    note = note_of(text)
    assert links(text) == [("likes", "Tea"), ("likes", "X")]
    assert note.observations == []
    assert note.body() == text.removesuffix("\n- likes [[X]]")


@pytest.mark.parametrize("value", ['"[[D|x]], [[E]]"', '"[[D]][[E#h]]"', '["[[D]] and [[E]]"]', "see [[D]] or [[E]]"])
def test_each_link_in_a_text_of_the_front_matter_is_a_relation(value: str):
    assert links(f"---\nup: {value}\n---\n") == [("up", "D"), ("up", "E")]


def test_body_omits_extracted_lines_and_empty_sections():
    text = f"# A\n## Observations\n- {FACT}\n\n### Sub\nx\n## Relations\n- likes [[Tea]]\n## Observations\n#tag\n"
    assert note_of(text).body() == "# A\n## Observations\n\n### Sub\nx\n## Observations\n#tag"
    code = f"- {FACT}\n```\n## Observations\n```\n# End"
    assert note_of(code).body() == "```\n## Observations\n```\n# End"


@for_rows(
    ("front", "title", "properties"),
    [
        ("title: 1984", "1984", {}),
        ("title: 007.50", "007.50", {}),
        ("title: true", "true", {}),
        ("title: 2024-05-26", "2024-05-26", {}),
        ("title:", "Note", {}),
        ("aliases: Mom, Mum", "Note", {"aliases": "Mom, Mum"}),
        ("aliases: Mom", "Note", {"aliases": "Mom"}),
        ("alias: [1984, x]", "Note", {"aliases": "1984, x"}),
        ("tags: a, b", "Note", {"tags": "a, b"}),
        ("tags: 2024", "Note", {"tags": "2024"}),
        ("tags:\n  - a\n  - 1.0", "Note", {"tags": "a, 1.0"}),
        ("rating: 4\nis: true", "Note", {"rating": 4, "is": True}),
        ("authors: [Ann, '[[Bo]]', [[Cy]], 5]", "Note", {"authors": "Ann, [[Bo]], [[Cy]], 5"}),
        ("isbn: 99999999999999999999\nnone:\nempty: []", "Note", {"isbn": "99999999999999999999"}),
    ],
)
def test_front_matter_is_read_with_names_as_text(front: str, title: str, properties: dict[str, object], tmp_path: Path):
    read = Read(write(tmp_path, "Note.md", f"---\n{front}\n---\nText"))
    (entity,) = read.entities
    assert (entity.name, entity.description) == (title, "Text")
    assert entity.properties == {**properties, "path": "Note.md"}


@pytest.mark.parametrize(
    "key", ["a: {b: 1}", "a: [{b: 1}]", "name: Ada", "_id: 5", "path: x", "title: [x]", "tags: {a: 1}"]
)
def test_front_matter_that_no_property_can_hold_is_reported(key: str, tmp_path: Path):
    read = Read(write(tmp_path, "Note.md", f"---\n{key}\nb: 1\n---\nText"))
    assert read.entities[0].properties == {"path": "Note.md", "b": 1}
    assert [note.partition(" in the front matter: ")[0] for note in read.notes] == [f"skipped {key.partition(':')[0]}"]


@pytest.mark.parametrize(
    "entry",
    [
        r'"a\nb": 1',
        r'"a\tb": "[[X]]"',
        '"": 1',
        '"": "[[Z]]"',
        f"{'k' * 300}: 1",
        r'"\ud800": "[[X]]"',
        *(rf'{key}: "\ud800"' for key in ("a", "title", "type", "permalink", "aliases")),
        r'up: "[[\ud800]]"',
        r'tags: [a, "\udfff"]',
        f"a: [{('b' * 100 + ',') * 10_330}]",
        f"tags: [{('b' * 100 + ',') * 10_330}]",
    ],
)
def test_front_matter_that_cannot_be_stored_is_left_out_and_reported_and_the_note_is_kept(entry: str, tmp_path: Path):
    read = Read(write(tmp_path, "Note.md", f"---\n{entry}\nb: 1\n---\nText"))
    (entity,) = read.entities
    assert (read.refused, read.relations) == ([], [])
    assert (entity.name, entity.type, entity.description) == ("Note", "note", "Text")
    assert entity.properties == {"path": "Note.md", "b": 1}
    (note,) = read.notes
    assert note.startswith("skipped ")
    assert " in the front matter: " in note


def test_excess_front_matter_keys_are_skipped_and_reported(tmp_path: Path):
    front = "\n".join(f"k{number}: 1" for number in range(1_001))
    read = Read(write(tmp_path, "Note.md", f"---\n{front}\n---\nText"))
    assert len(read.entities[0].properties) == 1_000
    assert read.notes[0].startswith("skipped k999, k1000 in the front matter: ")


def test_a_relation_to_a_file_that_is_no_note_stays_in_the_text(tmp_path: Path):
    text = "- photo [[a.png]]\n- data [[b.xyz]]\n- likes [[Tea]]"
    write(tmp_path, "b.xyz", "x")
    write(tmp_path, "Note.md", text)
    read = Read(tmp_path)
    assert read.relations == [("Note", "Tea", "likes")]
    assert read.entities[0].description == "- photo [[a.png]]\n- data [[b.xyz]]"


def test_of_notes_that_differ_in_case_a_link_leads_to_the_one_that_is_written_so(tmp_path: Path):
    for name in ("Tea", "tea", "TEA"):
        write(tmp_path, f"{name}.md", "text")
    write(tmp_path, "Note.md", "[[tea]] [[TEA]] [x](Tea.md) [[tEA]]")
    if len(list(tmp_path.iterdir())) == 4:  # the file system tells case apart
        assert [end for _, end, _ in Read(tmp_path).relations] == ["tea", "TEA", "Tea", "TEA"]


def test_aliases_in_one_text_are_names_that_links_may_have(tmp_path: Path):
    write(tmp_path, "Mother.md", "---\naliases: Mom, Mum\n---\n")
    write(tmp_path, "a.md", "[[mum]] [[MOM]]")
    assert Read(tmp_path).relations == [("a", "Mother", "links_to")] * 2


@for_rows(
    ("front", "line"),
    [
        ("title: Foo: Bar", 2),
        ("a: 1\ntags: [a, b", 3),
        ("a: 1\na: 2", 3),
        ("a: &x [1]\nb: *x", 3),
        ("just text", 1),
        ("- a\n- b", 1),
        ("a:\n\t- b", 3),
        ("a: \x01", 2),
    ],
)
def test_faulty_front_matter_is_reported_with_its_line_and_loses_nothing(front: str, line: int, tmp_path: Path):
    write(tmp_path, "bad.md", f"---\n{front}\n---\nBody with [[good]]\n- {FACT}")
    write(tmp_path, "good.md", "text")
    rows = list(read_markdown(tmp_path))
    read = Read(tmp_path)
    assert read.refused == []
    assert read.types == {"bad": "note", "good": "note"}
    assert read.entities[0].description == f"---\n{front}\n---\nBody with [[good]]"
    assert (read.texts, read.relations) == ([("bad", FACT)], [("bad", "good", "links_to")])
    assert [str(row.place) for row in rows if row.place.line == line and "front matter of bad.md" in str(row)]
    assert read.observations[0].place.line == front.count("\n") + 5


@for_rows(
    ("link", "end"),
    [
        ("[[Node.js]]", "Node.js"),
        ("[[2024.05.26]]", "2024.05.26"),
        ("[[node.JS#Install|x]]", "Node.js"),
        ("[x](../Node.js.md)", "Node.js"),
        ("[x](../Some%20Note.md)", "Some Note"),
        ("[x](../Some%20Note)", "Some Note"),
        ("[x](<../Some Note.md#a b>)", "Some Note"),
        ("[x](/Some%20Note.md)", "Some Note"),
        ("[x](./deep/Inner.md)", "Inner"),
        ("[[deep/Inner]]", "Inner"),
        ("[[Inner]]", "Inner"),
        ("[[sub/deep/Inner.md]]", "Inner"),
        ("[[C#]]", "C#"),
        ("[x](../C%23.md)", "C#"),
        (f"[[{unicodedata.normalize('NFC', 'Café')}]]", "Café"),
        (f"[[{unicodedata.normalize('NFD', 'café')}]]", "Café"),
        (f"[x](../{unicodedata.normalize('NFC', 'Café')}.md)", "Café"),
        ("[x](../Caf%C3%A9.md)", "Café"),
        ("[[New.Note]]", "New.Note"),
        ("[x](New%20Note.md)", "sub/New Note"),
        ("[x](../../../New.md)", "New"),
        ("![[picture.png]]", None),
        ("[[talk.PDF#page=3]]", None),
        ("[[data.xyz]] and [x](../files/data.xyz)", None),
        ("[x](about.html) [x](../files/)  [x](.md)", None),
    ],
)
def test_a_link_leads_to_the_note_that_is_there(link: str, end: str | None, tmp_path: Path):
    for name in ("Node.js", "2024.05.26", "Some Note", "C#", unicodedata.normalize("NFD", "Café"), "sub/deep/Inner"):
        write(tmp_path, f"{name}.md", "text")
    write(tmp_path, "files/data.xyz", "x")
    write(tmp_path, "sub/From.md", link)
    assert Read(tmp_path).relations == ([] if end is None else [("From", end, "links_to")])


@for_rows(
    ("link", "end"),
    [
        ("[[Issue #12#H]]", "Issue #12"),
        ("[[Issue #12]]", "Issue #12"),
        ("[[Issue #12#H#^b1|x]]", "Issue #12"),
        ("[[C##Head]]", "C#"),
        ("[[C#Head]]", "C"),
        ("[[a^b^c]]", "a^b"),
        ("[[C#Head#More]]", "C"),
        ("[[New#Head#More]]", "New"),
    ],
)
def test_a_link_to_a_heading_leads_to_the_note_with_the_longest_name(link: str, end: str, tmp_path: Path):
    for name in ("Issue #12", "C#", "sub/C", "a^b"):
        write(tmp_path, f"{name}.md", "text")
    write(tmp_path, "sub/From.md", link)
    assert Read(tmp_path).relations == [("From", end, "links_to")]


def test_links_with_very_many_headings_are_resolved_in_time_that_grows_with_their_length(tmp_path: Path):
    began = time.process_time()
    Read(write(tmp_path, "a.md", f"[[a{'#' * 900}b]]\n" * 2_000))
    assert time.process_time() - began < 5


@for_rows(
    "part",
    [
        "[",
        "[[",
        "![",
        "%%\n",
        "<!--",
        "- <!--\n",
        "$$\n",
        "$$ab\n",
        "$a ",
        "a $$\n",
        "a %%\n$$\n",
        "`$$\n",
        "a $$\n$$ b ``\n\n",
        "> ",
        "- ",
        "`",
        "~~~\n",
        "*",
        "|a",
        "[^a]: ",
    ],
)
def test_a_hostile_note_is_read_in_time_that_grows_with_its_length(part: str):
    began = time.process_time()
    note_of(part * 8_000)
    assert time.process_time() - began < 5
