"""Numbers in digits or words, with scales and units, converted to base units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from graph_memory.memory.statements.language.lexicon.lexicon import Lexicon
from graph_memory.memory.statements.values.number_words import number_words, numbers_by_name, scale_words

_DIGITS = r"\d+(?:[ .,']\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?"
_ORDINAL = r"(?:st|nd|rd|th|er|ere|eme|\.(?= [a-z]{3,}))?"
_NUMBER = re.compile(rf"(?<![\w.,#])([$€£]?) ?(-?(?:{_DIGITS})){_ORDINAL}(?![\w]*\.\d+\.)")
_WORD = re.compile(r"[^\W\d_]+")
_NEXT_WORD = re.compile(r"[ -]*([^\W\d_]+\b|%|€|\$|£|°c?)")

_IDENTIFIER = re.compile(r"0\d+|\d+\.\d*0")
"""Digits that identify an item, such as a postal code or a version. Their zeros are significant."""

Quantity = tuple[int, int, str, str]
"""A quantity's start and end in a text, its unit and its amount."""


def find_quantities(text: str, language: Lexicon) -> Iterator[Quantity]:
    """Yield the numbers in a plain text with their units, in order.

    `one` without a unit is skipped, because it may be an article or a pronoun.
    """
    position = 0
    while (next_number := _next_number(text, position, language)) is not None:
        start, end, amount, sign, is_word = next_number
        if _is_ordinal(text[start:end], language):
            yield start, end, "rank", f"{amount:f}"
            position = end
            continue
        amount, end = _apply_scale(text, amount, end, language)
        kind, factor, end_of_unit = _parse_unit(text, sign, end)
        if not (is_word and amount == 1 and not kind):
            is_name = not kind and _IDENTIFIER.fullmatch(text[start:end])
            base_amount = text[start:end] if is_name else f"{(amount * factor).normalize():f}"
            yield start, end_of_unit, kind or "number", base_amount
        position = end_of_unit


def _is_ordinal(text: str, language: Lexicon) -> bool:
    return (text[0].isdigit() and not text[-1].isdigit()) or text.split()[-1] in numbers_by_name(language.ordinals)


def _next_number(text: str, at: int, language: Lexicon) -> tuple[int, int, Decimal, str, bool] | None:
    """Return the next number: its start and end, amount and sign, and whether it is written as a word."""
    words = number_words(language)
    number_match = next(
        (match for match in _NUMBER.finditer(text, at) if _parse_amount(match[2], language) is not None), None
    )
    before = len(text) if number_match is None else number_match.start()
    word = next((match for match in _WORD.finditer(text, at) if match.start() < before and match[0] in words), None)
    if word is not None:
        amount, end = _with_ones(text, word.end(), Decimal(words[word[0]]), words)
        return word.start(), end, amount, "", True
    if number_match is None:
        return None
    amount = _parse_amount(number_match[2], language) or Decimal(0)
    return *number_match.span(), amount, number_match[1], False


def _with_ones(text: str, end: int, amount: Decimal, words: Mapping[str, int]) -> tuple[Decimal, int]:
    """Add the ones word after a tens word, as in `twenty three`. Return the amount and its end in the text."""
    after = _NEXT_WORD.match(text, end)
    if amount >= 20 and amount % 10 == 0 and after and 0 < words.get(after[1], 0) < 10:
        return amount + words[after[1]], after.end()
    return amount, end


def _apply_scale(text: str, amount: Decimal, end: int, language: Lexicon) -> tuple[Decimal, int]:
    """Multiply a number by a following word such as `thousand`. Return the amount and its end in the text."""
    after, scales = _NEXT_WORD.match(text, end), scale_words(language)
    return (amount * scales[after[1]], after.end()) if after and after[1] in scales else (amount, end)


def _parse_unit(text: str, sign: str, end: int) -> tuple[str, Decimal, int]:
    """Return the kind of the unit after a number, the factor to its base unit, and its end in the text.

    If there is no unit, the kind is empty and the factor is 1.
    """
    after = _NEXT_WORD.match(text, end)
    if after and after[1] in UNITS:
        return *UNITS[after[1]], after.end()
    return UNITS[sign][0] if sign else "", Decimal(1), end


@lru_cache(maxsize=4_096)
def _parse_amount(number_text: str, language: Lexicon) -> Decimal | None:
    """Parse digits with the language's separators. Returns None if they are not a number."""
    clean = number_text.replace(" ", "").replace("'", "")
    decimal, other = (",", ".") if language.comma_is_decimal else (".", ",")
    is_thousands = re.fullmatch(rf"\d{{1,3}}(?:{re.escape(other)}\d{{3}})+(?:{re.escape(decimal)}\d+)?", clean)
    clean = clean.replace(other, "") if is_thousands else clean.replace(other, decimal)
    try:
        return Decimal(clean.replace(decimal, "."))
    except InvalidOperation:
        return None


_UNIT_LINES = """
length 0.001 mm millimetre millimetres millimeter millimeters milimetros millimetri
length 0.01 cm centimetre centimetres centimeter centimeters zentimeter centimetros centimetri
speed 1 kmh
length 1 m м metre metres meter meters metro metros metri meters метр метра метров
length 1000 km км kilometre kilometres kilometer kilometers kilometro kilometros
length 1000 chilometro chilometri quilometro quilometros километров километра 公里 キロ
length 10000 mil
length 1609.344 mile miles mi
mass 0.001 mg milligram milligrams milligramm milligrammes miligramos milligrammi
mass 1 g gram grams gramm grammes gramos grammi gramas
mass 1000 kg kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos chili chilogrammi quilos кг
mass 1000000 t tonne tonnes tonnen
time 0.001 ms millisecond milliseconds millisekunden millisecondes milisegundos millisecondi
time 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi sekunder секунд 秒
time 60 min mins minute minutes minuten minuto minutos minuti minuter minuut минут 分钟 分間
time 3600 h hour hours hrs stunde stunden heure heures hora horas ora ore uur timmar часов 小时 時間
time 86400 day days tag tage tagen jour jours dia dias giorno giorni dag dagen dagar дней 天 日間
time 604800 week weeks wk wks woche wochen semaine semaines semana semanas settimana settimane weken vecka veckor недель
months 1 month months monat monate monaten mois mes meses mese mesi maand maanden manad manader месяцев
months 12 year years yr yrs jahr jahre jahren an ans annee annees ano anos anno anni jaar jaren ar лет года год 歳 岁
data 0.001 kb
data 0.001024 kib
data 1 mb megabyte megabytes
data 1.048576 mib
data 1073.741824 gib
data 1000 gb gigabyte gigabytes
data 1000000 tb
data 1099511.627776 tib
volume 0.001 ml
area 1 m2 m² qm sqm quadratmeter quadratmetern quadratmetre
volume 1 l litre litres liter liters litro litros litri
energy 1 kwh
power 1 kw
charge 1 mah
charge 1000 ah
power 0.001 watt watts
degrees 1 degree degrees grad °c ° celsius degre degres grado grados gradi graus graden grader градусов 度
times 1 x times mal fois veces volte vezes keer ganger раз 次 回
percent 1 % percent prozent pourcent procent процентов
euros 1 € eur euro euros
dollars 1 $ usd dollar dollars dolares dollari
pounds 1 £ gbp pounds quid
francs 1 chf franken francs
kronor 1 kr sek kronor
"""


def _load_units() -> dict[str, tuple[str, Decimal]]:
    pairs: dict[str, tuple[str, Decimal]] = {}
    for line in _UNIT_LINES.strip().splitlines():
        kind, factor, *spellings = line.split()
        pairs |= {spelling: (kind, Decimal(factor)) for spelling in spellings}
    return pairs


UNITS = _load_units()
"""The kind of unit and the factor to the base unit, by spelling."""
