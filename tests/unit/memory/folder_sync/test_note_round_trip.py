"""A folder of notes is read as the entities that it was written from, whatever their names and texts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from graph_memory.memory.folder_sync.entity_notes import EntityNote, entity_note
from graph_memory.memory.folder_sync.markdown_export import render_notes
from graph_memory.memory.folder_sync.snapshot import Snapshot
from graph_memory.memory.transfer.formats.memories.markdown import read_markdown
from graph_memory.memory.transfer.formats.memories.rows import EntityRow, ObservationRow, RelationRow
from profiles import examples
from tables import for_rows

Graph = dict[str, EntityNote]
"""Entities by name. Their relations lead to names."""

PIECES = [
    *(
        "a",
        "B",
        "é",
        "e\u0301",
        "日本",
        "👩‍🚀",
        "\u2028",
        "\x85",
        "\x00",
        "\x7f",
        "\ufeff",
        "\xa0",
        "I",
        "ı",
        "ß",
        "SS",
    ),
    *("[[", "]]", "[[a]]", "[[a|b]]", "|", "#", "^", "---", "...", "\n", "\n\n", "\r\n", "\r", "\t", " ", "  "),
    *(
        "- ",
        "- [fact] x",
        "- knows [[a]]",
        "## Observations",
        "## Relations",
        "```",
        "%%",
        "<!--",
        "$$",
        "\\",
        '"',
        "'",
    ),
    *(":", ",", ".", "..", "/", "../", ".md", "con", "CON.", "null", "true", "1e5", "~", "{a: 1}", "!tag", "&a", "*a"),
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
NAMES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join).filter(str.strip)
LONG = st.sampled_from(["x" * 300, "日" * 200, "[fact] " + "y" * 300])
KEYS = st.sampled_from(
    ["tags", "title", "type", "see", "created", "permalink", "graph_memory", "a b", "alias", "Ω", "-"]
)
VALUES = st.one_of(
    TEXTS, st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False), st.booleans()
)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    names = draw(st.lists(st.one_of(NAMES, LONG, st.sampled_from(["a", "A", "b", "d/a"])), max_size=4, unique=True))
    ends = st.one_of(st.sampled_from(names), NAMES) if names else NAMES
    return {
        name: entity_note(
            name=name,
            type=draw(st.one_of(st.sampled_from(["note", "person"]), NAMES)),
            text=draw(TEXTS),
            properties={
                **draw(st.dictionaries(KEYS, VALUES, max_size=3)),
                **draw(st.sampled_from([{}, {"aliases": "x, y"}, {"aliases": '["a, b", "x"]'}])),
            },
            observations=draw(st.lists(st.one_of(NAMES, LONG), max_size=3)),
            relations=draw(st.lists(st.tuples(st.one_of(st.just("links_to"), NAMES), ends), max_size=3)),
        )
        for name in names
    }


def write(graph: Graph, paths: dict[str, object] | None = None) -> dict[PurePosixPath, str]:
    """Return the folder of a graph."""
    ids = {name: str(number) for number, name in enumerate(graph)}
    relations = {
        name: tuple((kind, f"#{ids[end]}" if end in ids else f"={end}") for kind, end in note.relations)
        for name, note in graph.items()
    }
    notes = {ids[name]: replace(note, relations=relations[name]) for name, note in graph.items()}
    wanted = {ids[name]: path for name, path in (paths or {}).items()}
    return render_notes(Snapshot(1, notes, wanted))


def read(texts: dict[PurePosixPath, str]) -> tuple[Graph, dict[str, object]]:
    """Return the graph that the import reads from a folder, and the path of each entity."""
    with TemporaryDirectory() as folder:
        for path, text in texts.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_bytes(text.encode())
        rows = list(read_markdown(Path(folder)))
    entities = [row for row in rows if isinstance(row, EntityRow)]
    graph = {
        row.name: entity_note(
            name=row.name,
            type=row.type or "",
            text=row.description,
            properties=row.properties,
            observations=[item.text for item in rows if isinstance(item, ObservationRow) and item.entity == row.name],
            relations=[
                (item.type, item.end) for item in rows if isinstance(item, RelationRow) and item.start == row.name
            ],
        )
        for row in entities
    }
    assert len(entities) == len(graph)
    return graph, {row.name: row.properties["path"] for row in entities}


@settings(max_examples=examples(120), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(graphs())
@example({"a": entity_note(name="a", type="note", text="[[b]]", properties={}, relations=[("links_to", "b")])})
@example({"a\u2028": entity_note(name="a\u2028", type="note", text="", properties={}, relations=[("is", "a\u2028")])})
def test_a_written_folder_is_read_as_the_same_entities_and_written_again_byte_for_byte(graph: Graph) -> None:
    texts = write(graph)
    again, paths = read(texts)
    assert {name: note.key for name, note in again.items()} == {name: note.key for name, note in graph.items()}
    assert write(again, paths) == texts
    assert len({str(path).casefold() for path in texts}) == len(texts)


@for_rows(
    ("note", "text"),
    [
        (
            entity_note(
                name="Ada",
                type="person",
                text="Wrote [[Notes|the notes]].",
                properties={"tags": "math, poetry", "born": 1815},
                observations=["likes tea", "[fact] lived in London #uk (census)"],
                relations=[("knows", "Babbage"), ("links_to", "Notes")],
            ),
            "---\ntitle: Ada\ntype: person\nborn: 1815\ntags: [math, poetry]\n---\n\nWrote [[Notes|the notes]].\n\n"
            "## Observations\n- likes tea\n- [fact] lived in London #uk (census)\n\n## Relations\n- knows [[Babbage]]"
            "\n",
        ),
        (entity_note(name="Tea", type="note", text="", properties={}), "---\ntitle: Tea\n---\n"),
        (
            entity_note(
                name="Code", type="note", text="- [todo list] x", properties={}, observations=['"a"', "b\n\nc"]
            ),
            "---\ntitle: Code\ntype: note\ngraph_memory: exact\n---\n- [todo list] x\n\n## Observations\n"
            '- "\\"a\\""\n- "b\\n\\nc"\n\n## Relations\n',
        ),
    ],
)
def test_a_note_has_the_form_that_people_write_and_is_exact_only_if_needed(note: EntityNote, text: str) -> None:
    assert list(write({note.name: note}).values()) == [text]


def test_paths_are_safe_and_differ_regardless_of_case() -> None:
    names = ["Tea", "tea", "TEA", "a/b", "..", "con", ".x", "x" * 300, "日" * 200, "C:\\x", 'a?*|<>"b', "\x00"]
    graph = {name: entity_note(name=name, type="note", text="", properties={}) for name in names}
    wanted: dict[str, object] = {"Tea": "/etc/x.md", "tea": "../x.md", "TEA": "d/.git/x.md", "con": "d/tea.md", "..": 7}
    paths = [str(path) for path in write(graph, wanted)]
    assert len({path.casefold() for path in paths}) == len(names)
    assert "d/tea.md" in paths
    assert all("/" not in path for path in paths if path != "d/tea.md")
    assert all(len(path.encode()) < 140 and not path.startswith(".") and path.endswith(".md") for path in paths)
