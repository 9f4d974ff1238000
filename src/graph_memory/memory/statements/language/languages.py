"""Detects the language of a statement from its script and common words."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from graph_memory.memory.statements.language.folding import fold_text, words_only
from graph_memory.memory.statements.language.lexicon.chinese import CHINESE
from graph_memory.memory.statements.language.lexicon.dutch import DUTCH
from graph_memory.memory.statements.language.lexicon.english import ENGLISH
from graph_memory.memory.statements.language.lexicon.french import FRENCH
from graph_memory.memory.statements.language.lexicon.german import GERMAN
from graph_memory.memory.statements.language.lexicon.italian import ITALIAN
from graph_memory.memory.statements.language.lexicon.japanese import JAPANESE
from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.language.lexicon.portuguese import PORTUGUESE
from graph_memory.memory.statements.language.lexicon.russian import RUSSIAN
from graph_memory.memory.statements.language.lexicon.spanish import SPANISH
from graph_memory.memory.statements.language.lexicon.swedish import SWEDISH

_LATIN = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, SWEDISH)
LANGUAGES = (*_LATIN, RUSSIAN, CHINESE, JAPANESE)
"""The supported languages."""
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_LETTERS = (
    ("ß", GERMAN),
    ("äöü", GERMAN),
    ("åäö", SWEDISH),
    ("ñ¿¡", SPANISH),
    ("ãõ", PORTUGUESE),
    ("çêèœ", FRENCH),
    ("ìòù", ITALIAN),
)
"""Letters that are typical of a language, with the language's lexicon."""
_LANGUAGE_COUNTS = Counter(word for lexicon in _LATIN for word in lexicon.vocabulary)
_LETTER_SCORE = 0.4


@lru_cache(maxsize=16_384)
def language_of(text: str) -> Lexicon:
    """Return the lexicon of a text's language. The default is English."""
    if _KANA.search(text):
        return JAPANESE
    if _HAN.search(text):
        return CHINESE
    if _CYRILLIC.search(text):
        return RUSSIAN
    words = words_only(fold_text(text)).split()
    scores = {
        lexicon: sum(1 / _LANGUAGE_COUNTS[word] for word in words if word in lexicon.vocabulary) for lexicon in _LATIN
    }
    lower_case = text.casefold()
    for letters, language in _LETTERS:
        scores[language] += _LETTER_SCORE * any(letter in lower_case for letter in letters)
    return max(_LATIN, key=scores.__getitem__)
