"""Writes GraphML for NetworkX, Gephi and APOC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from graph_memory.memory.transfer.formats.graphml_reading import TAG_SEPARATOR
from graph_memory.memory.transfer.formats.records import NodeRecord, Record
from graph_memory.memory.transfer.formats.values import kind_of_value, unsupported_value_error
from graph_memory.model.values.strength import NUMBERS

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_START = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
_KeyId = tuple[str, str, str]
"""The identity of a property key: the element name, the property name, and the type of the values."""


def write_graphml(records: Callable[[], Iterable[Record]], stream: IO[bytes]) -> None:
    """Write records as GraphML. Reads them twice, since a file declares its keys before the data.

    Raises INVALID_ARGUMENT if a record cannot be represented in GraphML.
    """
    reserved, keys = _collect_keys(records())
    stream.write(_START.encode())
    property_names = {(element_name, name) for element_name, name, _ in keys}
    for (element_name, name), kind in reserved.items():
        stream.write(
            _declaration(name, element_name, f"_{name}" if (element_name, name) in property_names else name, kind)
        )
    for (element_name, name, kind), key in keys.items():
        stream.write(_declaration(key, element_name, name, kind))
    stream.write(b'<graph id="G" edgedefault="directed">\n')
    for record in records():
        _check_record(record)
        stream.write(f"{''.join(_element(record, keys))}\n".encode())
    stream.write(b"</graph>\n</graphml>\n")


def _declaration(key: str, element_name: str, name: str, kind: str) -> bytes:
    key_start = f"<key id={quoteattr(key)} for={quoteattr(element_name)} attr.name={quoteattr(name)}"
    return f"{key_start} attr.type={quoteattr(kind)}/>\n".encode()


def _collect_keys(records: Iterable[Record]) -> tuple[dict[tuple[str, str], str], dict[_KeyId, str]]:
    """Return the types of the reserved keys, whose ids are their names, and the ids of the property keys."""
    reserved: dict[tuple[str, str], str] = {}
    keys: dict[_KeyId, str] = {}
    for record in records:
        element_name = _element_name(record)
        reserved |= {
            (element_name, name): "double" if name in NUMBERS else "string" for name in _reserved_values(record)
        }
        for name, value in record.properties.items():
            keys.setdefault((element_name, name, kind_of_value(value)), f"p{len(keys)}")
    return reserved, keys


def _element(record: Record, keys: Mapping[_KeyId, str]) -> Iterator[str]:
    element_name = _element_name(record)
    if isinstance(record, NodeRecord):
        yield f"<node id={quoteattr(str(record.key))}>"
    else:
        id_attribute = "" if record.id is None else f" id={quoteattr(record.id)}"
        yield f"<edge{id_attribute} source={quoteattr(str(record.start))} target={quoteattr(str(record.end))}>"
    for name, text in _reserved_values(record).items():
        yield _data(name, text)
    for name, value in record.properties.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        yield _data(keys[element_name, name, kind_of_value(value)], text)
    yield f"</{element_name}>"


def _element_name(record: Record) -> str:
    return "node" if isinstance(record, NodeRecord) else "edge"


def _reserved_values(record: Record) -> dict[str, str]:
    """Return the record's values that are not properties, keyed by reserved key."""
    reserved: dict[str, str | None] = {}
    if isinstance(record, NodeRecord):
        reserved |= {"labels": f":{record.labels[0]}", "_format": record.format, "_encoding": record.encoding}
        reserved |= {"_tags": TAG_SEPARATOR.join(record.tags) or None, **record.reserved_fields}
    else:
        reserved |= {"label": record.type, **record.reserved_texts()}
    reserved |= {"_content": record.content, "_valid_from": record.valid_from, "_valid_to": record.valid_to}
    return {name: text for name, text in reserved.items() if text is not None}


def _data(key: str, text: str) -> str:
    return f"<data key={quoteattr(key)}>{escape(text, {chr(13): '&#13;'})}</data>"


def _check_record(record: Record) -> None:
    """Raise INVALID_ARGUMENT for a character that XML forbids, a colon in the type, or a line break in a tag."""
    texts = {**_reserved_values(record), **{name: str(value) for name, value in record.properties.items()}}
    for name, text in texts.items():
        if _NOT_XML.search(text) or _NOT_XML.search(name):
            raise unsupported_value_error(record, "GraphML", f"{name} contains a character that XML does not allow")
    if isinstance(record, NodeRecord):
        if ":" in record.labels[0]:
            raise unsupported_value_error(record, "GraphML", "its type contains a colon")
        if any(TAG_SEPARATOR in tag for tag in record.tags):
            raise unsupported_value_error(record, "GraphML", "one of its tags contains a line break")
