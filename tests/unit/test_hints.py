"""Hints: what they refer to exists, prose names no operation unmarked, and each edge renders them in its own words."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections.abc import Iterator, Mapping
from functools import cache
from string import Formatter

import pytest

from graph_memory.cli.errors import CALLED_BY_NAME, COMMANDS, OPTIONS, error_data, error_text
from graph_memory.mcp_server.advice import Advice
from graph_memory.mcp_server.prompts import PROMPTS
from graph_memory.model.errors import Code, GraphError, Hint, Reference
from graph_memory.model.rules import CONNECTION_RULES
from graph_memory.operations.table import OPERATIONS
from source import PACKAGE, syntax_trees
from unit.cli.test_cli_main import VISIBLE as COMMAND_LINES

DESCRIBING = {"Field", "Option", "Argument", "Doc"}
"""Calls whose texts describe an argument or a part of a result, so that every edge shows them as they are."""
IN_RESULTS = {
    "agent/sentences/sentence_router.py": "evidence of a result",
    "memory/entities/writes.py": "notes and questions of a result",
    "mcp_server/official.py": "a note that only the nine official tools add",
    "mcp_server/server.py": "instructions of a server of the nine official tools",
    "mcp_server/spans.py": "names in a table",
    "cli/removed.py": "commands that take the place of others",
}
"""Modules with texts that no edge renders, and what these are."""
NAME = re.compile(rf"(?<![\w`{{|])(?:{'|'.join(name for name in OPERATIONS if '_' in name)})(?![\w`])")
HOSTILE = "{delete_domain} {0} `graph-memory domain delete work` create_ontology"


def modules() -> Mapping[str, ast.Module]:
    """Return the syntax tree of each module by its path in the package."""
    return {path.relative_to(PACKAGE).as_posix(): tree for path, tree in syntax_trees().items()}


def constants(tree: ast.Module) -> Mapping[str, list[str]]:
    """Return the texts that each name is given in a module."""
    results: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant | ast.Tuple):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                names = target.elts if isinstance(target, ast.Tuple) else [target] * len(values)
                for name, value in zip(names, values, strict=False):
                    if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                        results.setdefault(name.id, []).append(value.value)
    return results


def hints(tree: ast.Module) -> Iterator[tuple[list[str], set[str]]]:
    """Yield the templates and the names of the values of each hint that a module writes out."""
    named = constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Hint":
            values = [argument for argument in node.args if not isinstance(argument, ast.Attribute | ast.Starred)]
            texts = [
                [value.value] if isinstance(value, ast.Constant) else named[ast.unparse(value)] for value in values
            ]
            yield [str(text) for some in texts for text in some], {keyword.arg or "" for keyword in node.keywords}


def references(templates: list[str], values: set[str]) -> list[Reference]:
    return Hint(*templates, **dict.fromkeys(values, "")).references  # pyright: ignore[reportArgumentType]


@cache
def all_hints() -> Mapping[str, list[tuple[list[str], set[str]]]]:
    """Return the hints of each module."""
    return {module: list(hints(tree)) for module, tree in modules().items()}


def written_references() -> list[tuple[str, Reference]]:
    """Return the references in the hints of all modules, each with its module."""
    return [
        (module, reference) for module, some in all_hints().items() for hint in some for reference in references(*hint)
    ]


ELSEWHERE = [
    *(
        ("rules", reference)
        for rule in CONNECTION_RULES.values()
        for reference in Hint(rule.hint, type="", source="", target="").references
    ),
    *(("prompts", reference) for prompt in PROMPTS.values() for reference in prompt.text(None).references),
]
VISIBLE = {" ".join(words) for words in COMMAND_LINES}


def described_lines(tree: ast.Module) -> set[int]:
    """Return the texts of a module that are docstrings, descriptions or templates."""
    named = {text for templates, _ in hints(tree) for text in templates}
    numbers: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) or (
            isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in DESCRIBING
        ):
            numbers |= {id(part) for part in ast.walk(node) if isinstance(node, ast.Call) or part is node.value}
        if isinstance(node, ast.Constant) and node.value in named:
            numbers.add(id(node))
    return numbers


def test_a_hint_refers_to_what_there_is():
    written = written_references()
    assert len(written) > 80
    for module, reference in [*written, *ELSEWHERE]:
        for name in reference.names:
            if reference.is_command:
                words = name.removeprefix("graph-memory ").partition(" --")[0].split()
                assert " ".join(words[:2]) in VISIBLE, (module, name)
            else:
                assert name in OPERATIONS or (name in OPTIONS and not reference.arguments), (module, name)
                assert all(OPERATIONS[name].takes(argument) for argument in reference.arguments), (module, reference)


def unmarked_texts(tree: ast.Module) -> list[str]:
    """Return the texts of a module that name an operation in prose."""
    known = described_lines(tree)
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in known]
    return [
        str(constant.value) for constant in texts if " " in str(constant.value) and NAME.search(str(constant.value))
    ]


def test_a_text_that_names_an_operation_marks_it():
    assert unmarked_texts(ast.parse('raise fault("a", f"{a} is none", "Use get_node.")')) == ["Use get_node."]
    assert unmarked_texts(ast.parse('raise fault("a", f"{a} is none", Hint("Use {get_node}."))')) == []
    results = {module: texts for module, tree in modules().items() if (texts := unmarked_texts(tree))}
    assert {module: texts for module, texts in results.items() if module not in IN_RESULTS} == {}
    assert results.keys() == IN_RESULTS.keys()


def test_a_command_in_a_text_is_marked_where_a_server_can_send_it():
    """So that it says who can run it."""
    plain = {
        module
        for module, tree in modules().items()
        if not module.startswith("cli/")
        for known in [described_lines(tree)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in known and "`graph-memory " in str(node.value)
    }
    warnings = {"memory/search/candidate_ranking.py", "memory/search/index/coverage.py"}
    to_people = {"mcp_server/viewer/gate.py", "mcp_server/transport/http_app.py"}
    of_the_command_line = {"local/backup/backup.py", "local/checks.py", "memory/transfer/load/load_pages.py"}
    assert plain == warnings | to_people | of_the_command_line


def test_every_command_in_the_table_is_one_that_a_hint_refers_to():
    assert COMMANDS.keys() <= {
        ":".join([name, *reference.arguments])
        for _, reference in [*written_references(), *ELSEWHERE]
        for name in reference.names
    }


def test_templates_are_no_text_of_a_caller():
    """The type checker takes only literals. This finds what is hidden from it."""
    dynamic = [
        ast.unparse(argument)
        for tree in modules().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Hint"
        for argument in node.args
        if not isinstance(argument, ast.Constant | ast.Name)
    ]
    assert sorted(dynamic) == ["*self.templates", "rule.hint"]


def test_in_python_a_hint_is_a_text_with_plain_names():
    hint = Hint(
        "Find {what} with {query_nodes|search_content}.",
        " {memory_log:subject,full} has more.",
        subject="mem_1",
        what=7,
    )
    assert hint == "Find 7 with query_nodes or search_content. memory_log with subject mem_1 and full has more."
    error = GraphError(Code.NODE_NOT_FOUND, "No", {"hint": hint})
    assert error.hint == hint
    assert str(error) == f"NODE_NOT_FOUND: No ({hint})"


@pytest.mark.parametrize("value", [HOSTILE, Hint("{value}", value=HOSTILE)])
def test_a_value_is_never_read_as_a_reference(value: str):
    hint = Hint("{value} is not it.", " Use {get_node:node_id}.", value=value, node_id=HOSTILE)
    assert [reference.names for reference in hint.references] == [["get_node"]]
    error = GraphError(Code.NODE_NOT_FOUND, Hint("No {value}", value=value), {"hint": hint})
    assert (
        Advice(["get_node"], ["graph"]).error(error).hint
        == f"{HOSTILE} is not it. Use get_node with node_id {HOSTILE}."
    )
    first, second = error_text(error).splitlines()
    assert first == f"NODE_NOT_FOUND: No {HOSTILE}"
    assert second == f"Hint: {HOSTILE} is not it. Use `graph-memory call get_node 'node_id:=\"{HOSTILE}\"'`."
    plain = GraphError(Code.NODE_NOT_FOUND, HOSTILE, {"hint": HOSTILE})
    assert Advice(["get_node"], ["graph"]).error(plain).hint == HOSTILE
    assert error_data(plain)["details"] == {"hint": HOSTILE}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda hint: pickle.loads(pickle.dumps(hint))])
def test_a_copy_of_a_hint_is_its_text(copied):
    hint = Hint("{value}: {get_node}", value=HOSTILE)
    assert (type(copied(hint)), copied(hint)) == (str, f"{HOSTILE}: get_node")


def test_a_hint_among_the_values_keeps_its_parts():
    hint = Hint("Not there.", " {more}", more=Hint("{get_node} reads it.", " {delete_node} deletes it."))
    assert Advice(["get_node"], ["graph"]).text(hint) == "Not there. get_node reads it."


def test_the_command_line_has_commands_and_calls():
    hint = Hint("{query_nodes} finds it with {max_results}.", " {memory_log:full} has ids; {select_domain}.")
    text = error_text(GraphError(Code.NODE_NOT_FOUND, "No", {"hint": hint})).splitlines()[1]
    assert text.startswith("Hint: `graph-memory query` finds it with --limit. ")
    assert text.endswith(" `graph-memory log --full` has ids; select_domain.")
    hint_of_two = Hint("Use {delete_observations|forget}.")
    assert error_text(GraphError(Code.INTERNAL, "No", {"hint": hint_of_two})).endswith("Use `graph-memory forget`.")
    CALLED_BY_NAME.set(True)
    try:
        text = error_text(GraphError(Code.NODE_NOT_FOUND, "No", {"hint": hint})).splitlines()[1]
    finally:
        CALLED_BY_NAME.set(False)
    assert text.startswith("Hint: `graph-memory call query_nodes` finds it with max_results.")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("valid_at is 7", "--valid-at is 7"),
        ('"x" is not a valid valid_at', '"x" is not a valid --valid-at'),
        ('"valid_at" is none', '"valid_at" is none'),
    ],
)
def test_a_message_has_the_option_of_the_argument_that_is_at_fault(message: str, text: str):
    assert (
        error_text(GraphError(Code.INVALID_ARGUMENT, message, {"argument": "valid_at"})) == f"INVALID_ARGUMENT: {text}"
    )


def test_what_is_left_of_a_hint_begins_a_sentence():
    """A template that continues a sentence stands behind a template that is always there."""
    for templates, values in (hint for some in all_hints().values() for hint in some):
        if len(templates) > 1 and references(templates[:1], values):
            assert templates[1][0] in " \n{", templates


def test_every_field_of_a_template_can_be_read():
    for templates, values in (hint for some in all_hints().values() for hint in some):
        for template in templates:
            fields = [
                (field, conversion) for _, field, _, conversion in Formatter().parse(template) if field is not None
            ]
            assert all(field and conversion is None for field, conversion in fields), (template, values)
