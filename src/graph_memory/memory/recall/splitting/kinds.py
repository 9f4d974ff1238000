"""Which way a text is split, by the format of the content and by what stands in it."""

from __future__ import annotations

from dataclasses import dataclass

from graph_memory.memory.recall.splitting import data
from graph_memory.memory.recall.splitting.code import LANGUAGES, code
from graph_memory.memory.recall.splitting.conversation import transcript, turns
from graph_memory.memory.recall.splitting.prose import markdown, plain
from graph_memory.memory.recall.splitting.units import Section

_MARKDOWN = frozenset({"markdown", "md", "mdx", "commonmark", "gfm"})
_YAML = frozenset({"yaml", "yml", "toml", "ini", "properties", "env", "conf"})
_TABLES = frozenset({"csv", "tsv", "comma-separated-values", "tab-separated-values"})
_JSON = frozenset({"json", "jsonl", "ndjson", "json5", "geojson"})


@dataclass(frozen=True, slots=True)
class Document:
    """A text as it is read, and its sections. It is another than that of the content for a conversation in JSON."""

    text: str
    sections: list[Section]


def is_markdown(content_format: str) -> bool:
    """Whether a text of this format has headings of Markdown."""
    return _word(content_format) in _MARKDOWN


def split(text: str, content_format: str) -> Document:
    """Return the sections of a text. A format that is not known is plain text."""
    word = _word(content_format)
    if word in LANGUAGES:
        return Document(text, code(text))
    if word in _YAML:
        return Document(text, data.yaml(text))
    if word in _TABLES:
        return Document(text, data.table(text))
    if text.lstrip()[:1] in ("[", "{") and (spoken := transcript(text)) is not None:
        return Document(*spoken)
    if word in _JSON:
        return Document(text, data.json(text))
    said = turns(text)
    if said is not None:
        return Document(text, said)
    return Document(text, markdown(text) if word in _MARKDOWN else plain(text))


def _word(content_format: str) -> str:
    """Return the word that matters in a format such as `text/markdown; charset=utf-8` or `.md`."""
    return content_format.partition(";")[0].rpartition("/")[2].strip().removeprefix("x-").lstrip(".").casefold()
