"""Parsers for the files, errors, commits and other names in a line of a coding transcript.

Each expression has bounded or disjoint repetitions, so that the time grows linearly with the length of the line.
"""

from __future__ import annotations

import errno
import re
import shlex
from collections.abc import Iterator, Sequence

from graph_memory.agent.archetypes.extraction import words

Rules = Sequence[tuple[str, re.Pattern[str]]]
"""Patterns, each with a literal that occurs in every match. Lines without the literal are skipped quickly."""

_PATH = re.compile(r"(?:\b[A-Za-z]:[\\/])?[\w.~@+\-/\\]+")
_EXTENSIONS = words(
    "bat c cc cfg cjs clj conf cpp cs css csv cypher diff dll exe fs go gradle graphql gz h hpp htm html hs ini "
    "ipynb jar java jpg js json json5 jsonl jsx kt less lock log lua md mdx mjs ml mts patch pdf php pl png proto ps1 "
    "py pyi pyx r rb rs rst scala scss sh so sql svelte svg swift tar tf toml ts tsv tsx txt vue whl xml yaml yml zig "
    "zip"
)
_FILES = words(
    "Makefile Dockerfile Containerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile LICENSE go.mod go.sum "
    ".gitignore .gitattributes .gitmodules .dockerignore .editorconfig .env .npmrc .nvmrc .python-version"
)
_PRODUCT = re.compile(r"[A-Z]\w*\.js")
"""Matches product names such as Node.js, which are not file names."""
_DIFF = re.compile(r"(?:diff --git|---|\+\+\+) ")


def files_in(line: str) -> Iterator[str]:
    """Yield the paths of files, without line numbers and without the prefixes `a/` and `b/` of diffs."""
    is_diff = _DIFF.match(line) is not None
    for match in _PATH.finditer(line):
        path = match[0].rstrip(".")
        if "." not in path and path.rpartition("/")[2] not in _FILES:
            continue
        if is_diff and path[:2] in ("a/", "b/"):
            path = path[2:]
        path = path.removeprefix("./")
        is_cut = path.startswith(("...", "//")) or line[match.start() - 1 : match.start()] == "}"
        if not is_cut and line[match.end() : match.end() + 1] != "(" and _is_file(path):
            yield path


def _is_file(path: str) -> bool:
    base = path.replace("\\", "/").rpartition("/")[2]
    if base in _FILES:
        return True
    stem, dot, extension = base.rpartition(".")
    is_attribute = path == base and (stem in ("self", "cls", "this") or _PRODUCT.fullmatch(base) is not None)
    return bool(dot and stem) and extension in _EXTENSIONS and not is_attribute


_TEST = re.compile(r"(?:::|\bdef |^_+ )(test_\w+)|(?<![\w/\\.-])(test_\w+_\w+)(?![\w/\\]|\.\w)")
_OTHER_TEST = re.compile(r"--- (?:FAIL|PASS|SKIP): (Test\w+)|^test ([\w:]+) \.\.\. ")


def tests_in(line: str) -> Iterator[str]:
    """Yield the names of test functions, without the parameters of parametrized tests."""
    if "est" not in line:
        return
    for match in (*_TEST.finditer(line), *_OTHER_TEST.finditer(line)):
        yield next(filter(None, match.groups()))


_EXCEPTION: Rules = (
    ("Error", re.compile(r"\b([A-Z]\w{0,80}?[a-z0-9]Error)\b")),
    ("Exception", re.compile(r"\b([A-Z]\w{0,80}?[a-z0-9]Exception(?:Group)?|ExceptionGroup)\b")),
    ("Interrupt", re.compile(r"\b([A-Z]\w{0,80}?[a-z0-9]Interrupt)\b")),
    ("Exit", re.compile(r"\b(SystemExit)\b")),
)
_ERRNO_NAMES = frozenset(errno.errorcode.values())
_UPPERCASE_WORD = re.compile(r"\b[A-Z][A-Z0-9]{2,40}(?:_[A-Z0-9]{1,40}){0,10}\b")
_ERROR_CODE_WORD = re.compile(
    r"_(?:ERROR|FAILED|FAILURE|FOUND|INVALID|REFUSED|CONFLICT|EXISTS?|EXCEEDED|DENIED|UNAVAILABLE|MISMATCH)\b"
    r"|\b(?:INVALID|UNKNOWN|MISSING|ERR|ERROR)_"
)
_BEFORE_CODE = re.compile(r"(?:\bCode\.|\bcode['\"]?[:=] ?['\"]?|✗ )$")
_NPM = re.compile(r"\bnpm (?:error|ERR!) (code )?(E[A-Z0-9]{3,20}|e[a-z]{3,20})\b")
_DIAGNOSTIC: Rules = (
    (":", re.compile(r":\d+:\d+:? (?:error |warning )?\[?([A-Z]{1,7}\d{2,4})\b")),
    ("", re.compile(r"^([A-Z]{1,3}\d{3,4}) (?:\[\*\] )?[A-Z`]")),
    ("error", re.compile(r"\berror(?:\[|: | )\[?((?:E|TS|CS)\d{4})\b")),
    ("(report", re.compile(r"\((report[A-Z]\w+)\)")),
    ("s.", re.compile(r"\b(?:errors|exceptions)\.([A-Z]\w+)(?=:|$)")),
    ("error: ", re.compile(r"\berror: .* \[([a-z]+(?:-[a-z]+)+)\]$")),
)
"""Patterns for the codes of ruff and flake8, for ruff's full output, for the codes of Rust, TypeScript and C#, for
pyright's rules, for errors of Python modules, and for mypy's codes, in this order.
"""


def errors_in(line: str) -> Iterator[str]:
    """Yield exception names without their modules, error codes, and rule names of linters and type checkers."""
    yield from _matches(_EXCEPTION, line)
    yield from (match[0] for match in _UPPERCASE_WORD.finditer(line) if _is_error_code(line, match))
    for match in _NPM.finditer(line):
        if match[1] or match[2].upper() in _ERRNO_NAMES:
            yield match[2].upper()
    yield from _matches(_DIAGNOSTIC, line)


def _is_error_code(line: str, match: re.Match[str]) -> bool:
    if "_" not in match[0]:
        return match[0] in _ERRNO_NAMES
    return bool(
        _ERROR_CODE_WORD.search(match[0]) or _BEFORE_CODE.search(line[max(0, match.start() - 12) : match.start()])
    )


def _matches(rules: Rules, line: str) -> Iterator[str]:
    """Yield the first capture group of each match. Skips rules whose literal does not occur in the line."""
    for text, rule in rules:
        if text in line:
            for match in rule.finditer(line):
                yield match[1]


_HASH = re.compile(r"(?<![\w:@/=#~-])(?<!\w\.)[0-9a-f]{7,40}(?![\w-])")
_GRAPH_LINE_START = re.compile(r"[ |\\/]{0,40}\* ")
"""Matches the text before the hash in a line of `git log --graph`."""
_COMMIT_LINE_START = re.compile(r"[ |\\/+^<>-]{0,40}\[?|[*+ ] [\w./-]{1,80} +|\[[\w./-]{1,80} (?:\([\w-]{1,80}\) )?")
"""Matches the text before the hash in lines of `git log --oneline`, `cherry`, `blame`, `branch -v` and `commit`."""
_SUBJECT = re.compile(r" \S|\] ")
_NO_COMMIT = re.compile(r"\s*(?:index|tree|blob|sha\d*|shasum|--hash|digest)\b")
_BEFORE_COMMIT = words("commit commits commit: revert reverts reverted cherry-pick cherry-picked merge: parent")
_BEFORE_HASH = words(
    "and at bad bisect by checkout fix fixed fixes fixup from good --hard in into merge of onto --onto or rebase "
    "reset rev revision see sha show since"
)
_AFTER_HASH = re.compile(r" \[| \(| refs/| HEAD@|\.{2,3}\w")
_SHORT_HASH_LENGTH = 7


def commits_in(line: str) -> Iterator[str]:
    """Yield commit hashes, shortened to 7 digits so that each commit always has the same name."""
    if _NO_COMMIT.match(line):
        return
    for match in _HASH.finditer(line):
        is_mixed = not (match[0].isdigit() or match[0].isalpha())
        if len(match[0]) == 40 or _is_commit(line, match) or (is_mixed and _may_be_commit(line, match)):
            yield match[0][:_SHORT_HASH_LENGTH]


def _is_commit(line: str, match: re.Match[str]) -> bool:
    """Return whether the text before the hash proves that it is a commit."""
    prefix = line[: match.start()]
    return (
        bool(_GRAPH_LINE_START.fullmatch(prefix)) or line.startswith("Merge: ") or _last_word(prefix) in _BEFORE_COMMIT
    )


def _may_be_commit(line: str, match: re.Match[str]) -> bool:
    """Return whether the hash is in a usual place for commits. Plain numbers can also be in these places."""
    prefix = line[: match.start()]
    is_first = bool(_COMMIT_LINE_START.fullmatch(prefix)) and bool(_SUBJECT.match(line, match.end()))
    is_listed = prefix.endswith("..") or bool(_AFTER_HASH.match(line, match.end()))
    return is_first or is_listed or _last_word(prefix) in _BEFORE_HASH


def _last_word(text: str) -> str:
    """Return the last word of a text that ends with a space, in lower case. Returns "" for other texts."""
    unquoted = text[-40:].rstrip("([`'\"")
    return unquoted[:-1].rpartition(" ")[2].casefold() if unquoted.endswith(" ") else ""


_ENVIRONMENT = r"(?:[A-Z_][A-Z0-9_]*=\S*\s+)*"
_PROMPT = re.compile(r"^(?:\([\w.-]+\) )?(?:[\w.-]+@[\w.-]+:\S* ?)?(?:([$❯➜]) +|\++ )(?=\S)")
_TYPED = re.compile(rf"^\s*{_ENVIRONMENT}(?=\S)")
_ENVIRONMENT_PREFIX = re.compile(rf"^{_ENVIRONMENT}")
_QUOTED_COMMANDS: Rules = (
    ("`", re.compile(r"`([^`]{3,120})`")),
    ("'", re.compile(r"'([a-z][^']{3,120})'")),
    ("make ", re.compile(r"\b(make [a-z][\w-]*)(?= [A-Z_]+=)")),
)
_WITH_SUBCOMMAND = words(
    "apt apt-get brew bun cargo conda docker dotnet gem gh git go gradle helm kubectl make mvn npm npx pip pip3 pipx "
    "pnpm podman poetry terraform uv yarn"
)
_WITHOUT_SUBCOMMAND = words(
    "awk bash basedpyright black cat chmod cmake cp curl diff env eslint find gcc g++ grep head java jest kill ls "
    "mkdir mv mypy node perl pyright pytest python python3 rm rsync ruby ruff rustc sed sh shellcheck sort ssh sudo "
    "tail tar touch tox tsc vitest wc wget xargs"
)
_PROGRAMS = _WITH_SUBCOMMAND | _WITHOUT_SUBCOMMAND
_ARGUMENT = re.compile(r"-{1,2}[A-Za-z]|\.{0,2}/|\w+/|\.\w")
_BUILTIN = words("cd echo eval exec exit export false for if local printf set source status test trap true while")
_WORD = re.compile(r"[a-z][a-z0-9_:-]*")
_SEPARATOR = re.compile(r" (?:&&|\|\||[|;]) ")


def commands_in(line: str) -> Iterator[str]:
    """Yield the programs that the line runs, with their subcommands, such as `pytest` or `git push`."""
    for text, is_typed in _command_lines(line):
        for part in _SEPARATOR.split(text)[:5]:
            if command := _command_name(part, is_typed=is_typed):
                yield command


def _command_lines(line: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of the line that may be commands, each with a flag: whether it may run an unknown program."""
    if prompt := _PROMPT.match(line):
        yield line[prompt.end() :], prompt[1] is not None
    elif (typed := _TYPED.match(line)) and not line.startswith(("diff --git", "#!")):
        program = line[typed.end() :].split(" ", 1)[0]
        if "bin/" in program or "=" in typed[0] or _runs_known_program(line.strip()):
            yield line.strip(), "bin/" in program
    for text in _matches(_QUOTED_COMMANDS, line):
        yield text, False


def _runs_known_program(line: str) -> bool:
    """Return whether the line runs a known program. A sentence that begins with its name does not."""
    program, *arguments = line.split(" ")
    is_known = program in _PROGRAMS and line[-1] not in ".:"
    return is_known and any(_ARGUMENT.match(argument) for argument in arguments)


def _command_name(text: str, *, is_typed: bool) -> str:
    """Return the program and subcommand of the command line, or "" if it runs no known program."""
    parts = _split(_ENVIRONMENT_PREFIX.sub("", text.strip()))
    if not parts:
        return ""
    is_path = "bin/" in parts[0]
    program, *arguments = [parts[0].rpartition("/")[2], *parts[1:]]
    if arguments[:1] == ["-m"] and arguments[1:] and arguments[1] in _PROGRAMS:
        program, arguments = arguments[1], arguments[2:]
    if (
        not (program in _PROGRAMS or is_typed or is_path)
        or program in _BUILTIN
        or not re.fullmatch(r"[\w.+-]{2,40}", program)
    ):
        return ""
    if arguments and program not in _WITHOUT_SUBCOMMAND and _WORD.fullmatch(arguments[0]):
        return f"{program} {arguments[0]}"
    return program


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text[:1_000])
    except ValueError:  # an open quotation mark
        return text[:1_000].split()


_NAME = r"[A-Za-z0-9@](?:[\w./-]{0,80}[A-Za-z0-9])?"
_PACKAGE: Rules = (
    ("==", re.compile(rf"(?<![\w=./-])({_NAME})(?:\[[\w,-]{{1,80}}\])?==\d")),
    ("  ", re.compile(r"^([A-Za-z0-9][\w.-]{0,80}) {2,}v?\d+(?:\.\w+)+$")),
    ("No module", re.compile(r"\bNo module named ['\"](\w+)")),
    ("Cannot find", re.compile(r"\bCannot find (?:module|package) ['\"]([@a-z][\w/-]*)")),
    ("ing ", re.compile(rf"^(?:Collecting|Downloading|Installing) ({_NAME})(?=[\s\[=<>~!;(]|$)")),
    ("already", re.compile(rf"^Requirement already satisfied: ({_NAME})")),
    ("site-packages", re.compile(r"\bsite-packages[/\\]([A-Za-z0-9][\w-]*)(?=[/\\])")),
    ("node_modules", re.compile(r"\bnode_modules[/\\](@[\w.-]+/[\w.-]+|[A-Za-z0-9][\w-]*)(?=[/\\])")),
    ("No matching", re.compile(rf"\bNo matching distribution found for ({_NAME})")),
)
_INSTALL: Rules = (
    ("install", re.compile(r"\b(?:pip3?|npm) install ([^|;&]{1,300})")),
    (" add ", re.compile(r"\b(?:uv|cargo|poetry|yarn|pnpm) add ([^|;&]{1,300})")),
)
_LIST = re.compile(r"(?:plugins: |Requires: |Successfully installed )(.{1,1000})$")
_VERSION = re.compile(r"(?:-\d[\w.]*|@[\d^~][\w.]*|[=<>~!]=?.*|\[.*)$")


def packages_in(line: str) -> Iterator[str]:
    """Yield package names, normalised as in package indexes."""
    yield from map(_normalise_package, _matches(_PACKAGE, line))
    listing = _LIST.match(line)
    package_names = re.split(r"[ ,]+", listing[1]) if listing else []
    for arguments in _matches(_INSTALL, line):
        values = arguments.split()
        is_file = any(word in ("-r", "-e", "--requirement", "--editable") for word in values)
        package_names += [] if is_file else [word for word in values if re.match(r"[A-Za-z@]", word)]
    for word in package_names:
        if re.fullmatch(_NAME, name := _VERSION.sub("", word)):
            yield _normalise_package(name)


def _normalise_package(name: str) -> str:
    return name.lower() if name.startswith("@") else re.sub(r"[-_.]+", "-", name).lower()


_FUNCTION: Rules = (
    (", in ", re.compile(r"(?:^| )File \".{1,300}\", line \d+, in (\w+)$")),
    (": in ", re.compile(r"\.\w+:\d+: in (\w+)$")),
    ("(", re.compile(r"(?:\bdef|\bfunc|\bfn|\bfunction) \(?(?:\w+ \*?\w+\) )?(\w+)\(")),
    ("at ", re.compile(r"^\s*at (?:async )?([\w.$]+) \(")),
    ("function", re.compile(r"\bfunction [\"`'](\w+)[\"`']")),
    ("() {", re.compile(r"^(\w+)\(\) \{$")),
)


def functions_in(line: str) -> Iterator[str]:
    """Yield the functions named in tracebacks, definitions and messages, except tests and special methods."""
    yield from (name for name in _matches(_FUNCTION, line) if not name.startswith(("test_", "__")))
