"""What the documents list is what the code has."""

from __future__ import annotations

import ast
import inspect
import os
from pathlib import Path

from graph_memory.cli.exits import EXIT_STATUS
from graph_memory.model import errors
from graph_memory.model.errors import Code
from graph_memory.settings import Settings

ROOT = Path(__file__).parents[2]
ERRORS = ROOT / "docs" / "errors.md"


def sentences() -> dict[str, str]:
    """Return each code with the sentence below it in the source."""
    (enum,) = [node for node in ast.parse(inspect.getsource(errors)).body if getattr(node, "name", "") == "Code"]
    found: dict[str, str] = {}
    for member, sentence in zip(enum.body, enum.body[1:], strict=False):
        if isinstance(member, ast.Assign) and isinstance(sentence, ast.Expr):
            found[ast.unparse(member.targets[0])] = ast.literal_eval(sentence.value)
    return found


def error_page() -> str:
    """Return the page of error codes."""
    rows = [f"| `{code}` | {text} | {EXIT_STATUS[Code(code)]} |" for code, text in sentences().items()]
    return "\n".join(
        [
            "# Error codes",
            "",
            "Every failure is one of these. A tool error carries `{code, message, details}`; `details.hint` says what",
            "to do next. In Python it is `GraphError` with the same three. The last column is the exit status of the",
            "command line.",
            "",
            "| code | meaning | exit |",
            "|---|---|---|",
            *rows,
            "",
        ]
    )


def test_every_code_has_a_sentence_and_the_page_of_codes_is_up_to_date() -> None:
    assert set(sentences()) == {str(code) for code in Code}
    if os.environ.get("UPDATE_GOLDEN"):
        ERRORS.write_text(error_page())
    assert ERRORS.read_text() == error_page(), "run: UPDATE_GOLDEN=1 pytest tests/unit/test_docs.py"


def test_every_setting_has_a_description() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


def test_every_document_that_is_linked_exists() -> None:
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        for link in page.read_text().split("](")[1:]:
            target = link.partition(")")[0].partition("#")[0]
            if target and "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
