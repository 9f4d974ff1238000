"""Reads GraphML as a stream. Rejects declarations and expansions of XML entities.

The type of a node is the data of the key `labels`, as Neo4j's APOC writes it (`:Person:Author`). The type of an edge is
the data of the key `label`. If there is no such data, the attributes `labels` and `label` are used.
"""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from xml.parsers import expat

from graph_memory.memory.transfer.formats.files import MAX_BYTES, open_source, too_long_error, translate_unpack_errors
from graph_memory.memory.transfer.formats.records import (
    RESERVED_CONNECTION_NAMES,
    RESERVED_NODE_NAMES,
    ConnectionRecord,
    InvalidRecord,
    InvalidSourceValue,
    Item,
    Items,
    Key,
    NodeRecord,
    SourceOptions,
    SourcePosition,
    UnreadableSource,
)
from graph_memory.memory.transfer.formats.values import PARSERS, Parser, parse_string, parse_value
from graph_memory.model.text.wording import printable, quote
from graph_memory.model.values.properties import PropertyValue

CHUNK = 64 * 1024
TAG_SEPARATOR = "\n"
_ENCODING_FAULTS = (expat.errors.XML_ERROR_UNKNOWN_ENCODING, expat.errors.XML_ERROR_INCORRECT_ENCODING)
_XML_ENCODING = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.-]+)")
_NO_CHARACTER_SETS = frozenset(
    {"charmap", "idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)
"""Python codecs that the parser would mistake for character sets."""
_TYPE_KEYS = {"node": "labels", "edge": "label"}
_RESERVED = {"node": RESERVED_NODE_NAMES, "edge": RESERVED_CONNECTION_NAMES}


@dataclass(frozen=True, slots=True)
class _Key:
    """A `<key>` element: the property of its `<data>` elements, and the parser for their values."""

    name: str
    parse: Parser
    default: str | None


@dataclass(slots=True)
class _Element:
    """An open node or edge element."""

    kind: str
    place: SourcePosition
    attributes: Mapping[str, str]
    data: dict[str, str] = field(default_factory=dict[str, str])


def read_graphml(path: Path, options: SourceOptions) -> Items:
    """Yield the nodes, connections and rejected records of a GraphML file. Raises UnreadableSource."""
    with open_source(path) as stream:
        yield from _Parser(path.name, options).items(stream)


class _Parser:
    def __init__(self, file: str, options: SourceOptions) -> None:
        self._file = file
        self._options = options
        self._keys: dict[tuple[str, str], _Key] = {}
        self._element: _Element | None = None
        self._key: dict[str, str] | None = None
        self._text: list[str] | None = None
        self._size = 0
        self._data_key = ""
        self._has_root = False
        self._encoding = "UTF-8"
        self._items: deque[Item] = deque()
        self._expat = self._create_parser(None)

    def _create_parser(self, encoding: str | None) -> expat.XMLParserType:
        """Return a parser for an encoding, by default the encoding that the file declares."""
        parser = expat.ParserCreate(encoding, " ")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.XmlDeclHandler = self._declare_encoding
        return parser

    @property
    def _place(self) -> SourcePosition:
        return SourcePosition(self._file, self._expat.CurrentLineNumber, str(self._expat.CurrentColumnNumber + 1))

    def items(self, stream: IO[bytes]) -> Iterator[Item]:
        bytes_read = 0
        while True:
            # A long tag is parsed again from its start, so each chunk must be larger than the one before.
            unparsed = bytes_read - self._expat.CurrentByteIndex
            with translate_unpack_errors(self._place):
                chunk = stream.read(max(CHUNK, min(unparsed, MAX_BYTES - unparsed)))
            encoding_match = None if bytes_read else _XML_ENCODING.match(chunk)
            codec = _codec(encoding_match[1].decode()) if encoding_match else ""
            if codec in ("utf-8", "utf-8-sig"):  # the parser knows only one spelling
                self._expat = self._create_parser("utf-8")
            self._parse(chunk)
            bytes_read += len(chunk)
            if bytes_read - self._expat.CurrentByteIndex > MAX_BYTES:
                raise too_long_error(self._place)
            while self._items:
                yield self._items.popleft()
            if not chunk:
                return

    def _parse(self, chunk: bytes) -> None:
        try:
            self._expat.Parse(chunk, not chunk)
        except expat.ExpatError as error:
            if expat.errors.messages[error.code] in _ENCODING_FAULTS:
                raise self._encoding_error() from error
            message = f"The file is not valid XML: {expat.errors.messages[error.code]}"
            place = SourcePosition(self._file, error.lineno, str(error.offset + 1))
            raise UnreadableSource(place, message, "Export it again: it is damaged or truncated.") from error
        except (LookupError, ValueError) as error:  # the parser does not support the declared encoding
            raise self._encoding_error() from error

    def _declare_encoding(self, _version: str, encoding: str | None, _standalone: int) -> None:
        self._encoding = encoding or "UTF-8"
        if _codec(self._encoding) in _NO_CHARACTER_SETS:
            raise self._encoding_error()

    def _encoding_error(self) -> UnreadableSource:
        message = f"The file says that its encoding is {quote(self._encoding)}, which cannot be read"
        return UnreadableSource(
            SourcePosition(self._file, 1), message, "Save the file as UTF-8, and declare that in its first line."
        )

    def _refuse_doctype(self, *_: object) -> None:
        message = "The file contains a DOCTYPE, which may declare entities"
        raise UnreadableSource(self._place, message, "Remove the DOCTYPE.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "graphml":
                self._has_root = True
            case _ if not self._has_root:
                raise UnreadableSource(self._place, "The file is not GraphML", "Its first element must be <graphml>.")
            case "key":
                self._key = attributes
            case "node" | "edge" as kind:
                self._begin_element(kind, attributes)
            case "data" if self._element is not None:
                self._data_key, self._text, self._size = attributes.get("key", ""), [], 0
            case "default" if self._key is not None:
                self._data_key, self._text, self._size = "", [], 0
            case "hyperedge":
                message = "Hyperedges join more than two nodes, but a connection joins two"
                raise UnreadableSource(self._place, message, "Replace each hyperedge with a node and edges.")
            case _:
                pass

    def _begin_element(self, kind: str, attributes: dict[str, str]) -> None:
        if self._element is not None:
            raise UnreadableSource(self._place, "Nodes within nodes are not supported", "Pass a flat graph.")
        self._element = _Element(kind, self._place, attributes)

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._size += len(text)
            if self._size > MAX_BYTES:
                raise too_long_error(self._place)
            self._text.append(text)

    def _end(self, name: str) -> None:
        match name.rpartition(" ")[2]:
            case "data" if self._text is not None and self._element is not None:
                self._element.data[self._data_key], self._text = "".join(self._text), None
            case "default" if self._text is not None and self._key is not None:
                self._key["default"], self._text = "".join(self._text), None
            case "key" if self._key is not None:
                self._add_key(self._key)
                self._key = None
            case "node" | "edge" if self._element is not None:
                self._items.append(self._read_item(self._element))
                self._element = None
            case _:
                pass

    def _add_key(self, key: Mapping[str, str]) -> None:
        key_id, kind = key.get("id", ""), key.get("attr.type", "string")
        if kind not in PARSERS or not key_id:
            message = f"The key {quote(key_id)} has the type {quote(kind)}, which is unknown"
            raise UnreadableSource(self._place, message, "Use boolean, int, long, float, double or string.")
        graphml_key = _Key(key.get("attr.name") or key_id, PARSERS[kind], key.get("default"))
        element_kinds = key.get("for", "all")
        for kind_of_element in ("node", "edge") if element_kinds == "all" else (element_kinds,):
            self._keys[kind_of_element, key_id] = graphml_key

    def _read_item(self, element: _Element) -> NodeRecord | ConnectionRecord | InvalidRecord:
        try:
            return self._record(element)
        except InvalidSourceValue as error:
            return error.at(element.place)

    def _record(self, element: _Element) -> NodeRecord | ConnectionRecord:
        reserved, properties = self._values(element)
        attributes = element.attributes
        type_text = reserved.pop(_TYPE_KEYS[element.kind], None) or attributes.get(_TYPE_KEYS[element.kind])
        if element.kind == "edge":
            kind = type_text or self._options.connection_type
            if kind is None:
                raise InvalidSourceValue("The edge has no label", "Add one, or use --connection-type.")
            ends = (Key(_require_attribute(attributes, "source")), Key(_require_attribute(attributes, "target")))
            return ConnectionRecord.of(element.place, kind, ends, attributes.get("id"), properties, reserved)
        labels = tuple(filter(None, (type_text or self._options.node_type or "").split(":")))
        if not labels:
            raise InvalidSourceValue("The node has no label", "Add one, or use --node-type.")
        tags = reserved["_tags"].split(TAG_SEPARATOR) if reserved.get("_tags") else ()
        return NodeRecord.of(
            element.place, Key(_require_attribute(attributes, "id")), labels, properties, reserved, tags
        )

    def _values(self, element: _Element) -> tuple[dict[str, str], dict[str, PropertyValue]]:
        """Return an element's values of reserved keys, and its properties, both keyed by name."""
        defaults = {
            reserved: key.default
            for (kind, reserved), key in self._keys.items()
            if kind == element.kind and key.default is not None
        }
        reserved: dict[str, str] = {}
        properties: dict[str, PropertyValue] = {}
        for name, text in (defaults | element.data).items():
            key = self._keys.get((element.kind, name))
            if name in _RESERVED[element.kind] or name == _TYPE_KEYS[element.kind]:
                reserved[name] = text
            elif key is None:
                raise InvalidSourceValue(f"The key {printable(name)} is not declared", "Add a <key> for it.", name)
            else:
                stripped_text = text if key.parse is parse_string else text.strip()
                properties[key.name] = parse_value(stripped_text, key.parse, key.name)
        return reserved, properties


def _codec(encoding: str) -> str:
    """Return Python's canonical name of an encoding, or "" if Python does not know it."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return ""


def _require_attribute(attributes: Mapping[str, str], name: str) -> str:
    if not attributes.get(name):
        raise InvalidSourceValue(f"There is no {name}", column=name)
    return attributes[name]
