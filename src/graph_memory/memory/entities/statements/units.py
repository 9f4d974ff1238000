"""Units of measure in their spellings: what each measures, and how many of the smallest unit it is. Data."""

from __future__ import annotations

from decimal import Decimal

_SPELLED = """
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


def _units() -> dict[str, tuple[str, Decimal]]:
    found: dict[str, tuple[str, Decimal]] = {}
    for line in _SPELLED.strip().splitlines():
        kind, factor, *spellings = line.split()
        found |= {each: (kind, Decimal(factor)) for each in spellings}
    return found


UNITS = _units()
"""By each spelling: what it measures, and the factor to the base unit."""
