"""Writing GraphML, as NetworkX, Gephi and APOC read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from graph_memory.memory.transfer.formats.graphml_reading import TAG_SEPARATOR
from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.memory.transfer.formats.shape import kind_of_value, uncarried
from graph_memory.model.values.properties import PropertyValue
from graph_memory.model.values.strength import NUMBERS

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_START = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
_KeyId = tuple[str, str, str]
"""Of what it is, the name of the property, and the type of its values."""


def write_graphml(records: Callable[[], Iterable[Record]], stream: IO[bytes]) -> None:
    """Write records; they are gone through twice, as the keys come first. Raises INVALID_ARGUMENT."""
    own, keys = _keys(records())
    stream.write(_START.encode())
    named = {(about, name) for about, name, _ in keys}
    for (about, name), kind in own.items():
        stream.write(_declaration(name, about, f"_{name}" if (about, name) in named else name, kind))
    for (about, name, kind), key in keys.items():
        stream.write(_declaration(key, about, name, kind))
    stream.write(b'<graph id="G" edgedefault="directed">\n')
    for record in records():
        _check(record)
        stream.write(f"{''.join(_element(record, keys))}\n".encode())
    stream.write(b"</graph>\n</graphml>\n")


def _declaration(key: str, about: str, name: str, kind: str) -> bytes:
    declared = f"<key id={_attribute(key)} for={_attribute(about)} attr.name={_attribute(name)}"
    return f"{declared} attr.type={_attribute(kind)}/>\n".encode()


def _keys(records: Iterable[Record]) -> tuple[dict[tuple[str, str], str], dict[_KeyId, str]]:
    """Return the types of the keys of our own, whose ids are their names, and the ids of the keys of properties."""
    own: dict[tuple[str, str], str] = {}
    found: dict[_KeyId, str] = {}
    for record in records:
        about = _about(record)
        own |= {(about, name): "double" if name in NUMBERS else "string" for name in _own(record)}
        for name, value in record.properties.items():
            found.setdefault((about, name, kind_of_value(value)), f"p{len(found)}")
    return own, found


def _element(record: Record, keys: Mapping[_KeyId, str]) -> Iterator[str]:
    about = _about(record)
    if isinstance(record, NodeRecord):
        yield f"<node id={_attribute(str(record.key))}>"
    else:
        own = "" if record.id is None else f" id={_attribute(record.id)}"
        yield f"<edge{own} source={_attribute(str(record.start))} target={_attribute(str(record.end))}>"
    for name, text in _own(record).items():
        yield _data(name, text)
    for name, value in record.properties.items():
        yield _data(keys[about, name, kind_of_value(value)], _text(value))
    yield f"</{about}>"


def _about(record: Record) -> str:
    return "node" if isinstance(record, NodeRecord) else "edge"


def _own(record: Record) -> dict[str, str]:
    """Return what is no property, under the ids of the keys that say so."""
    own: dict[str, str | None] = {}
    if isinstance(record, NodeRecord):
        own |= {"labels": f":{record.labels[0]}", "_format": record.format, "_encoding": record.encoding}
        own |= {"_tags": TAG_SEPARATOR.join(record.tags) or None, **record.own_fields}
    else:
        own |= {
            "label": record.type,
            **{name: repr(value) for name, value in record.numbers().items()},
            **record.own_made,
        }
    own |= {"_content": record.content, "_valid_from": record.valid_from, "_valid_to": record.valid_to}
    return {name: text for name, text in own.items() if text is not None}


def _data(key: str, text: str) -> str:
    return f"<data key={_attribute(key)}>{escape(text, {chr(13): '&#13;'})}</data>"


def _attribute(text: str) -> str:
    return quoteattr(text)


def _text(value: PropertyValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check(record: Record) -> None:
    """Raise INVALID_ARGUMENT for what no XML can hold, or what is told by a separator and has it."""
    texts = {**_own(record), **{name: str(value) for name, value in record.properties.items()}}
    for name, text in texts.items():
        if _NOT_XML.search(text) or _NOT_XML.search(name):
            raise uncarried(record, "GraphML", f"{name} has a character that XML cannot hold")
    if isinstance(record, NodeRecord):
        if ":" in record.labels[0]:
            raise uncarried(record, "GraphML", "its type has a colon")
        if any(TAG_SEPARATOR in tag for tag in record.tags):
            raise uncarried(record, "GraphML", "one of its tags has a line break")
