"""Reading and writing ontologies as YAML text.

The reader builds plain data from the parser's events. It accepts a subset of YAML: lists, mappings and scalars. Only
`null`, `true`, `false` and JSON's numbers are not text, so that a type may be called `No` or `On`. It rejects aliases,
tags and duplicate keys, and bounds depth and size.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

import yaml

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.ontology.ontology import Ontology, ontology_from
from graph_memory.model.ontology.types import AnyType, PropertyRule, definition, rule_definition
from graph_memory.model.text.wording import printable
from graph_memory.model.values.plain import entry_path

FILE_BYTES = 1024 * 1024
_MOST_NESTED = 12
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,99})", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_FAULTS_OF_THE_FILE = frozenset({Code.INVALID_ARGUMENT, Code.INVALID_PROPERTY})
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
Events = Iterator[yaml.Event]


def parse(text: str, file: str = "ontology.yaml") -> Ontology:
    """Return the ontology that YAML text declares; `file` is its name in messages.

    Every error has the message `file:line: …` and `file`, `line` and `name` in its details: INVALID_ONTOLOGY,
    INVALID_NODE_TYPE for a connection type that names an undefined node type, TYPE_ALREADY_EXISTS. If there are several
    errors, the message has one line for each, and `details["faults"]` lists them.
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
    """Return one error for all errors of a file, in the order of its lines."""
    first, *others = sorted(errors, key=lambda error: cast("int", error.details["line"]))
    if not others:
        return first
    lines = [f"{error.message} ({error.hint})" if error.hint else error.message for error in (first, *others)]
    details = [{"code": str(error.code), "message": error.message, **error.details} for error in (first, *others)]
    own = {name: value for name, value in first.details.items() if name != "hint"}
    return GraphError(first.code, "\n".join(lines), {**own, "faults": details})


def parse_bytes(data: bytes, file: str) -> Ontology:
    """Return the ontology that the bytes of a YAML file declare. Raises as `parse` does."""
    try:
        return parse(data.decode("utf-8-sig"), file)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        details = {"file": file, "line": line, "hint": "Save the file as UTF-8."}
        raise GraphError(Code.INVALID_ONTOLOGY, f"{file}:{line}: not UTF-8", details) from error


def read_yaml(text: str, file: str, as_text: Collection[str] = ()) -> object:
    """Return the data of YAML text. Raises INVALID_ONTOLOGY with file and line, as `parse` does.

    Values under the keys in `as_text` are text even if they look like numbers.
    """
    return _Reader(file, as_text).read(text)


def to_yaml(ontology: Ontology) -> str:
    """Return YAML text that `parse` reads as the same ontology."""
    data: dict[str, object] = {"description": ontology.description} if ontology.description else {}
    data |= {"open": True} if ontology.open else {}
    data["node_types"] = [_declaration(declared) for declared in ontology.node_types]
    data["connection_types"] = [_declaration(declared) for declared in ontology.connection_types]
    return yaml.dump(data, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=110)


def _declaration(declared: AnyType) -> object:
    """Return a type as YAML data: its name alone, or a mapping with the properties by name."""
    data = definition(declared)
    if declared.properties:
        data["properties"] = {rule.name: _rule(rule) for rule in declared.properties}
    return data if len(data) > 1 else declared.name


def _rule(rule: PropertyRule) -> object:
    data = rule_definition(rule)
    del data["name"]
    return data["type"] if list(data) == ["type"] else data


class _Writer(yaml.SafeDumper):
    """Writes no aliases. Quotes text that a version of YAML would read as another type."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent_text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return writer.represent_scalar("tag:yaml.org,2002:str", text, _style(text))  # pyright: ignore[reportUnknownMemberType]


def _style(text: str) -> str | None:
    """Return `|` for text with several lines, and quotes for text that YAML would read as another type."""
    if "\n" in text and text.replace("\n", "").isprintable():
        return "|"
    return None if isinstance(_resolve(text), str) and text.isprintable() else '"'


def _represent_list(writer: yaml.SafeDumper, items: list[object]) -> yaml.SequenceNode:
    on_one_line = not any(isinstance(item, dict) for item in items)
    return writer.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=on_one_line)


_Writer.add_representer(str, _represent_text)
_Writer.add_representer(list, _represent_list)


@dataclass(slots=True)
class _Reader:
    """Converts parser events to plain data. Records the line of every place."""

    file: str
    as_text: Collection[str] = ()
    lines: dict[str, int] = field(default_factory=dict)

    def read(self, text: str) -> object:
        if len(text.encode(errors="surrogatepass")) > FILE_BYTES:
            raise self.error(f"the file is larger than {FILE_BYTES:,} bytes", 1)
        try:
            return self._document(yaml.parse(text, Loader=yaml.SafeLoader))
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            raise self.error(f"the character U+{error.character:04X} is not allowed in YAML", line) from error
        except yaml.MarkedYAMLError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: yaml.MarkedYAMLError) -> GraphError:
        mark = error.problem_mark or error.context_mark
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        return self.error(f"invalid YAML: {problem}", mark.line + 1 if mark else 1, hint=error.note)

    def _document(self, events: Events) -> object:
        data: object = None
        count = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                count += 1
                if count > 1:
                    raise self.error("a second YAML document starts here; a file declares one ontology", _line(event))
                data = self._value(events, next(events), "", 0)
        return data

    def _value(self, events: Events, event: yaml.Event, at: str, depth: int) -> object:
        self.lines.setdefault(at, _line(event))
        if depth > _MOST_NESTED:
            raise self.error(f"nested more than {_MOST_NESTED} levels deep", _line(event))
        match event:
            case yaml.ScalarEvent():
                return self._scalar(event, at)
            case yaml.SequenceStartEvent():
                return self._sequence(events, event, at, depth)
            case yaml.MappingStartEvent():
                return self._mapping(events, event, at, depth)
            case _:
                hint = "Write the value out in full."
                raise self.error("aliases (*name) are not supported", _line(event), hint=hint)

    def _scalar(self, event: yaml.ScalarEvent, at: str) -> object:
        if event.tag is not None:
            self._check_tag(event.tag, _line(event), allowed=_TEXT_TAGS)
            return event.value
        is_text = event.style or (at.partition("[")[0] in self.as_text and event.value not in _NULL)
        return event.value if is_text else _resolve(event.value)

    def _sequence(self, events: Events, start: yaml.SequenceStartEvent, at: str, depth: int) -> list[object]:
        self._check_tag(start.tag, _line(start))
        results: list[object] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            results.append(self._value(events, event, entry_path(at, len(results)), depth + 1))
        return results

    def _mapping(self, events: Events, start: yaml.MappingStartEvent, at: str, depth: int) -> dict[str, object]:
        self._check_tag(start.tag, _line(start))
        result: dict[str, object] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self._key(event, at)
            if key in result:
                line = self.lines[entry_path(at, key)]
                problem = f"{entry_path(at, key)} appears twice; the first is in line {line}"
                raise self.error(problem, _line(event), name=key)
            self.lines[entry_path(at, key)] = _line(event)
            result[key] = self._value(events, next(events), entry_path(at, key), depth + 1)
        return result

    def _key(self, event: yaml.Event, at: str) -> str:
        if isinstance(event, yaml.ScalarEvent):
            self._check_tag(event.tag, _line(event), allowed=_TEXT_TAGS)
            return event.value
        raise self.error(f"a key in {at or 'the file'} is not a plain name", _line(event))

    def _check_tag(self, tag: str | None, line: int, allowed: frozenset[str] = frozenset()) -> None:
        if tag is not None and tag not in allowed:
            hint = "Leave the tag out; put text in quotes."
            raise self.error(f"the tag {printable(tag)} is not supported", line, name=tag, hint=hint)

    def locate(self, error: GraphError) -> GraphError:
        """Add the file and the line of the faulty data to an error."""
        at = str(error.details.get("at", ""))
        code = Code.INVALID_ONTOLOGY if error.code in _FAULTS_OF_THE_FILE else error.code
        name = error.details.get("name") or error.details.get("property") or at
        line = self.lines.get(at, 1)
        details = {**error.details, "file": self.file, "line": line, "name": name}
        return GraphError(code, f"{self.file}:{line}: {error.message}", details)

    def error(self, problem: str, line: int, name: str = "", hint: str | None = None) -> GraphError:
        """Return the error for a problem in a line of the file."""
        details: dict[str, object] = {"file": self.file, "line": line, "name": printable(name)}
        advice = {} if hint is None else {"hint": hint}
        return GraphError(Code.INVALID_ONTOLOGY, f"{self.file}:{line}: {problem}", {**details, **advice})


def _resolve(text: str) -> object:
    """Return the value of an unquoted scalar."""
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _line(event: yaml.Event) -> int:
    mark = event.start_mark
    return mark.line + 1 if mark else 1
