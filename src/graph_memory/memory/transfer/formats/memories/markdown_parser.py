"""A CommonMark parser with tables, footnotes, Obsidian's links, comments and formulas.

Links become tokens of the type `wikilink`. A comment within one paragraph becomes a token of the type `comment`. If a
comment begins and ends in different paragraphs, each delimiter becomes a token of the type `comment_sign`. Formulas and
comments that begin a line produce no tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, cast

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.footnote import footnote_plugin

COMMENTS: Mapping[str, str] = MappingProxyType({"%%": "%%", "<!--": "-->"})
"""The closing delimiter of a comment for each opening delimiter."""
_HIDDEN = {**COMMENTS, "$$": "$$"}
_COMMENT_DELIMITERS = (*COMMENTS, *(end for begin, end in COMMENTS.items() if end != begin))
_LINK = re.compile(r"!?\[\[([^\[\]\n]{1,1000})\]\](?!\(\w+:)")
_FORMULA = re.compile(r"\$(?!\s)(?:[^$\\]|\\.)++(?<!\s)\$(?!\d)", re.DOTALL)
_BEGINNING = re.compile(
    rf"\\.|(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|(?P<sign>{'|'.join(map(re.escape, _HIDDEN))})|{_FORMULA.pattern}", re.DOTALL
)
"""An opening delimiter of a comment or formula, or text without delimiters: an escape, code or an inline formula."""
_MAX_NESTING = 40


@cache
def markdown_parser() -> MarkdownIt:
    """Return the parser. It keeps no state between notes."""
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    footnote_plugin(parser, inline=False, move_to_end=False)
    parser.block.ruler.at("html_block", _hidden_block, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.inline.ruler.before("link", "wikilink", _wikilink)
    parser.inline.ruler.before("link", "hidden", _read_hidden)
    return parser


def _wikilink(state: StateInline, silent: bool) -> bool:
    """Read `[[target|alias]]` and `![[target]]`. The parser's link rule reads `[[1]](https://…)`."""
    if state.src[state.pos] not in "[!" or (match := _LINK.match(state.src, state.pos)) is None:
        return False
    if not silent:
        state.push("wikilink", "", 0).content = match[1]
    state.pos = match.end()
    return True


def _read_hidden(state: StateInline, silent: bool) -> bool:
    """Read a comment or a formula. Also reads a comment delimiter whose counterpart is outside the paragraph."""
    begin = next((sign for sign in (*_HIDDEN, *_COMMENT_DELIMITERS) if state.src.startswith(sign, state.pos)), "")
    end = _end_of_hidden(state, begin)
    if end < 0 and begin not in _COMMENT_DELIMITERS:
        return False
    if not silent and begin in _COMMENT_DELIMITERS:
        token = state.push("comment_sign" if end < 0 else "comment", "", 0)
        token.content, token.meta = begin, {"begin": state.pos, "end": end, "hides": None}
    state.pos = end if end >= 0 else state.pos + len(begin)
    return True


def _end_of_hidden(state: StateInline, begin: str) -> int:
    """Return the end of the comment or formula at the parser's position, or -1 if there is none."""
    if begin in _HIDDEN:
        position = _find_delimiter(state.env, state.src, _HIDDEN[begin], state.pos + len(begin))
        return position + len(_HIDDEN[begin]) if position >= 0 else -1
    formula = _FORMULA.match(state.src, state.pos) if state.src[state.pos] == "$" else None
    return formula.end() if formula else -1


def _hidden_block(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Skip a comment or formula at the start of a line, over any number of lines, but not the text after it."""
    at = state.bMarks[first] + state.tShift[first]
    begin = next((sign for sign in _HIDDEN if state.src.startswith(sign, at)), None)
    if begin is None:
        return html_block(state, first, end, silent)
    if state.is_code_block(first) or _is_hidden(state, at):
        return False
    position = _find_delimiter(state.env, state.src, _HIDDEN[begin], at + len(begin))
    last = bisect_right(state.eMarks, position, first, end)
    if position < 0 or last == end or _leaves_list_item(state, first, last):
        return False
    if not silent:
        token = state.push("inline", "", 0)
        token.content = state.src[position + len(_HIDDEN[begin]) : state.eMarks[last]].strip()
        token.map, token.children = [last, last + 1], []
        state.line = last + 1
    return True


def _is_hidden(state: StateBlock, at: int) -> bool:
    """Return whether a position is in a comment that began in an earlier text, or in a formula of its paragraph."""
    env: Any = state.env
    seen, begin = cast("tuple[int, str]", env.get("seen", (0, "")))
    for token in state.tokens[seen:]:
        begin = _open_sign(token.content, begin, 0, len(token.content))[1] if token.type == "inline" else begin
        begin = begin if begin in COMMENTS else ""
    env["seen"] = len(state.tokens), begin
    start = state.bMarks[state.line]
    position = cast("tuple[int, str]", env.get(("open", start, begin), (start, begin)))
    _, begin = env["open", start, begin] = _open_sign(state.src, position[1], position[0], at)
    return begin != "" and _find_delimiter(env, state.src, _HIDDEN[begin], at) >= 0


def _open_sign(text: str, begin: str, at: int, end: int) -> tuple[int, str]:
    """Return the position where reading stopped, and the delimiter that is open there. `begin` is open at the start."""
    while at < end:
        if begin:
            position = text.find(_HIDDEN[begin], at, end)
            if position < 0:
                break
            at, begin = position + len(_HIDDEN[begin]), ""
        elif match := _BEGINNING.search(text, at, end):
            at, begin = match.end(), match["sign"] or ""
        else:
            break
    return end, begin


def _leaves_list_item(state: StateBlock, first: int, last: int) -> bool:
    """Return whether a line after `first`, up to `last`, is outside the list item of `first`."""
    lines = range(first + 1, last + 1)
    return any(state.sCount[line] < state.blkIndent and not state.isEmpty(line) for line in lines)


def _find_delimiter(env: Any, text: str, sign: str, at: int) -> int:  # noqa: ANN401 - the parser's own type
    """Return the next position of a delimiter in a text, or -1. Searches are cached."""
    begin, position = env.get((sign, text), (0, 0))
    if not (begin <= at and (at <= position or position < 0)):
        begin, position = env[sign, text] = at, text.find(sign, at)
    return position
