"""Parses and writes ontologies as YAML text.

The reader builds plain data from the parser's events. It accepts a subset of YAML: lists, mappings and scalars. Every
scalar is text, except `null`, `true`, `false` and JSON numbers. A type can therefore be named `No` or `On`. The reader
rejects aliases, tags and duplicate keys, and limits nesting depth and size.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import yaml

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology, ontology_from
from graph_memory.model.ontology.types import AnyType, PropertyRule, definition, rule_definition
from graph_memory.model.text.wording import printable
from graph_memory.model.values.plain import entry_path

FILE_BYTES = 1024 * 1024
_MAX_DEPTH = 12
_WIDTH_WITHOUT_FOLDING = 2**31
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,99})", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_FILE_ERROR_CODES = frozenset({Code.INVALID_ARGUMENT, Code.INVALID_PROPERTY})
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
Events = Iterator[yaml.Event]


def parse(text: str, file: str = "ontology.yaml") -> Ontology:
    """Return the ontology that YAML text declares. `file` is the file name for messages.

    Every error has the message `file:line: …` and `file`, `line` and `name` in its details: INVALID_ONTOLOGY,
    INVALID_NODE_TYPE for a connection type with an undefined node type, or TYPE_ALREADY_EXISTS. If there are
    several errors, the message has one line per error, and `details["faults"]` lists them.
    """
    reader = _Reader(file)
    data = reader.read(text)
    if not isinstance(data, dict):
        hint = "Declare `node_types:` and `connection_types:`; either list may be empty."
        raise reader.error("an ontology must be a mapping with `node_types` and `connection_types`", 1, hint=hint)
    errors: list[GraphError] = []
    ontology = Ontology()
    try:
        ontology = ontology_from(cast("dict[str, object]", data), errors)
    except GraphError as error:
        errors.append(error)
    if errors:
        raise combine_errors([reader.locate(error) for error in errors])
    return ontology


def combine_errors(errors: Sequence[GraphError]) -> GraphError:
    """Return one error that combines a file's errors, in line order. A single error is returned unchanged."""
    first, *other_errors = sorted(errors, key=lambda error: cast("int", error.details["line"]))
    if not other_errors:
        return first
    lines = [f"{error.message} ({error.hint})" if error.hint else error.message for error in (first, *other_errors)]
    details = [{"code": str(error.code), "message": error.message, **error.details} for error in (first, *other_errors)]
    first_details = {name: value for name, value in first.details.items() if name != "hint"}
    return GraphError(first.code, "\n".join(lines), {**first_details, "faults": details})


def parse_bytes(data: bytes, file: str) -> Ontology:
    """Return the ontology that a YAML file's bytes declare. Raises the errors of `parse`."""
    try:
        return parse(data.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        line_number = data.count(b"\n", 0, error.start) + 1
        details = {"file": file, "line": line_number, "hint": "Save the file as UTF-8."}
        raise GraphError(Code.INVALID_ONTOLOGY, f"{file}:{line_number}: not UTF-8", details) from error


def read_yaml(text: str, file: str, as_text: Collection[str] = ()) -> object:
    """Parse YAML text into plain data. Raises INVALID_ONTOLOGY with file and line, like `parse`.

    Values of the keys in `as_text` are text even if they look like numbers.
    """
    return _Reader(file, as_text).read(text)


def to_yaml(ontology: Ontology) -> str:
    """Return YAML text that `parse` parses as the same ontology."""
    data: dict[str, object] = {"description": ontology.description} if ontology.description else {}
    data |= {"open": True} if ontology.open else {}
    data["node_types"] = [_type_data(declared_type) for declared_type in ontology.node_types]
    data["connection_types"] = [_type_data(declared_type) for declared_type in ontology.connection_types]
    return yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=110)


def dump_yaml(data: Mapping[str, object]) -> str:
    """Return YAML text that `read_yaml` parses as the same data. Lines are not folded."""
    return yaml.dump(dict(data), Dumper=_Writer, sort_keys=False, allow_unicode=True, width=_WIDTH_WITHOUT_FOLDING)


def _type_data(declared_type: AnyType) -> object:
    """Return a type as YAML data: its name if it declares nothing else, otherwise a mapping."""
    data = definition(declared_type)
    if declared_type.properties:
        data["properties"] = {rule.name: _rule_data(rule) for rule in declared_type.properties}
    return data if len(data) > 1 else declared_type.name


def _rule_data(rule: PropertyRule) -> object:
    data = rule_definition(rule)
    del data["name"]
    return data["type"] if list(data) == ["type"] else data


class _Writer(yaml.SafeDumper):
    """A YAML writer that never writes aliases, and quotes text that YAML would parse as another type."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Write several lines as a block, and quote text that YAML would parse as another type."""
    style = None if isinstance(_resolve(text), str) and text.isprintable() else '"'
    if "\n" in text and text.replace("\n", "").isprintable():
        style = "|"
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style)  # pyright: ignore[reportUnknownMemberType]


def _represent_list(writer: yaml.SafeDumper, items: list[object]) -> yaml.SequenceNode:
    is_on_one_line = not any(isinstance(item, dict) for item in items)
    return writer.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=is_on_one_line)


_Writer.add_representer(str, _represent_text)
_Writer.add_representer(list, _represent_list)


_SYNTAX_PROBLEMS = {
    "mapping values are not allowed": "a colon is not allowed here: put text that contains a colon in quotes",
    "could not find expected ':'": "the line needs a colon after its key",
    "'\\t' that cannot start": "the line is indented with a tab, but YAML allows only spaces",
    "unexpected end of stream": "a quoted text has no closing quote",
    "expected <block end>": "the line does not fit the indentation of the lines above",
    "expected ',' or ']'": "a list in square brackets lacks a comma or its closing bracket",
    "expected ',' or '}'": "a mapping in braces lacks a comma or its closing brace",
    "expected the node content": "a value is missing",
    "expected '<document start>'": "text follows the end of the document",
}
"""Our descriptions of syntax errors, keyed by parts of the messages of the YAML parser."""


@dataclass(slots=True)
class _Reader:
    """Converts parser events to plain data. Records the line number of each location."""

    file: str
    as_text: Collection[str] = ()
    line_numbers: dict[str, int] = field(default_factory=dict)

    def read(self, text: str) -> object:
        if len(text.encode(errors="surrogatepass")) > FILE_BYTES:
            raise self.error(f"the file is larger than {FILE_BYTES:,} bytes", 1)
        try:
            return self._read_document(yaml.parse(text, Loader=yaml.SafeLoader))
        except yaml.reader.ReaderError as error:
            line_number = text.count("\n", 0, error.position) + 1
            raise self.error(f"the character U+{error.character:04X} is not allowed in YAML", line_number) from error
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            problems = [text for part, text in _SYNTAX_PROBLEMS.items() if part in (error.problem or "")]
            problem = problems[0] if problems else f"the YAML is not valid ({error.problem})"
            raise self.error(problem, mark.line + 1 if mark else 1, hint=error.note) from error

    def _read_document(self, events: Events) -> object:
        data: object = None
        count = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                count += 1
                if count > 1:
                    raise self.error(
                        "a second YAML document starts here; a file declares one ontology", _line_number(event)
                    )
                data = self._read_value(events, next(events), "", 0)
        return data

    def _read_value(self, events: Events, event: yaml.Event, at: str, depth: int) -> object:
        self.line_numbers.setdefault(at, _line_number(event))
        if depth > _MAX_DEPTH:
            raise self.error(f"nested more than {_MAX_DEPTH} levels deep", _line_number(event))
        match event:
            case yaml.ScalarEvent():
                return self._read_scalar(event, at)
            case yaml.SequenceStartEvent():
                return self._read_sequence(events, event, at, depth)
            case yaml.MappingStartEvent():
                return self._read_mapping(events, event, at, depth)
            case _:
                hint = "Write the value out in full."
                raise self.error("aliases (*name) are not supported", _line_number(event), hint=hint)

    def _read_scalar(self, event: yaml.ScalarEvent, at: str) -> object:
        if event.tag is not None:
            self._check_tag(event.tag, _line_number(event), allowed=_TEXT_TAGS)
            return event.value
        is_text = event.style or (at.partition("[")[0] in self.as_text and event.value not in _NULL)
        return event.value if is_text else _resolve(event.value)

    def _read_sequence(self, events: Events, start: yaml.SequenceStartEvent, at: str, depth: int) -> list[object]:
        self._check_tag(start.tag, _line_number(start))
        results: list[object] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            results.append(self._read_value(events, event, entry_path(at, len(results)), depth + 1))
        return results

    def _read_mapping(self, events: Events, start: yaml.MappingStartEvent, at: str, depth: int) -> dict[str, object]:
        self._check_tag(start.tag, _line_number(start))
        result: dict[str, object] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self.error(f"a key in {at or 'the file'} is not a plain name", _line_number(event))
            self._check_tag(event.tag, _line_number(event), allowed=_TEXT_TAGS)
            key = event.value
            if key in result:
                line_number = self.line_numbers[entry_path(at, key)]
                problem = f"{entry_path(at, key)} appears twice; the first is in line {line_number}"
                raise self.error(problem, _line_number(event), name=key)
            self.line_numbers[entry_path(at, key)] = _line_number(event)
            result[key] = self._read_value(events, next(events), entry_path(at, key), depth + 1)
        return result

    def _check_tag(self, tag: str | None, line_number: int, allowed: frozenset[str] = frozenset()) -> None:
        if tag is not None and tag not in allowed:
            hint = "Leave the tag out; put text in quotes."
            raise self.error(f"the tag {printable(tag)} is not supported", line_number, name=tag, hint=hint)

    def locate(self, error: GraphError) -> GraphError:
        """Return the error with the invalid data's file and line, and with a code that `parse` raises."""
        at = str(error.details.get("at", ""))
        code = Code.INVALID_ONTOLOGY if error.code in _FILE_ERROR_CODES else error.code
        name = error.details.get("name") or error.details.get("property") or at
        line_number = self.line_numbers.get(at, 1)
        details = {**error.details, "file": self.file, "line": line_number, "name": name}
        return GraphError(code, f"{self.file}:{line_number}: {error.message}", details)

    def error(self, problem: str, line_number: int, name: str = "", hint: str | None = None) -> GraphError:
        details: dict[str, object] = {"file": self.file, "line": line_number, "name": printable(name)}
        advice = {} if hint is None else {"hint": hint}
        return GraphError(Code.INVALID_ONTOLOGY, f"{self.file}:{line_number}: {problem}", {**details, **advice})


def _resolve(text: str) -> object:
    """Return the value of an unquoted scalar: None, a boolean or a number, otherwise the text."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _line_number(event: yaml.Event) -> int:
    mark = event.start_mark
    return mark.line + 1 if mark else 1
