"""Statements that name the earlier value of a property."""

from __future__ import annotations

from graph_memory.memory.remember.outdated import find_contradicted_properties, find_possibly_outdated
from graph_memory.memory.statements.statement_verdict import CurrentObservation
from graph_memory.model.values.properties import PropertyValue
from tables import for_rows


@for_rows(
    ("text", "was", "now", "is_asked"),
    [
        ("Works at KESTREL health.", "Kestrel Health", "Fernblick", True),
        ("Was at Kestrel Health, is at Fernblick.", "Kestrel Health", "Fernblick", False),
        ("Works at Kestrel.", "Kestrel Health", "Fernblick", False),
        ("Lives in Kestrelton.", "Kestrel", "Fernblick", False),
        ("Wohnt in Köln.", "koln", "Bonn", True),
        ("Has the cat A B.", "A B", "Tom", True),
        ("Plays go.", "go", "chess", False),
        ("Has 1000 books.", 1000, 2000, False),
        ("Is true to her word.", True, False, False),
        ("她在阿里巴巴工作。", "阿里巴巴", "腾讯公司", True),
        ("Her e-mail address is ida@x.org.", "ida@x.org", "ida@y.org", True),
        ("Call 0171 234567", "0171/234567", "0171 234568", True),
        ("Her birthday is 14 May 1990", "1990-05-14", "1990-05-15", True),
        ("Her birthday is 14 May 1991", "1990-05-14", "1990-05-15", False),
        ("Works at Kestrel Health. " + "x" * 2_000, "Kestrel Health", "Fernblick", False),
    ],
)
def test_whole_words_of_a_telling_text_are_looked_for(
    text: str, was: PropertyValue, now: PropertyValue, is_asked: bool
) -> None:
    doubtful = find_possibly_outdated(
        {"k": was, "same": was}, {"k": now, "same": was, "new": now}, [CurrentObservation("1", text)]
    )
    assert [doubt.known.id for doubts in doubtful.values() for doubt in doubts] == ["1"] * is_asked


@for_rows(
    ("text", "key", "value", "is_told"),
    [
        ("The budget for Valencia has been raised to 5,000 euros.", "budget_eur", 4200, True),
        ("Das Budget wurde auf 5.000 Euro erhöht.", "budgetEur", 4200, True),
        ("The port is now 9090.", "port", 8080, True),
        ("The TTL is now 60 minutes.", "ttl_minutes", 15, True),
        ("The TTL is now 15 minutes.", "ttl_minutes", 15, False),
        ("The budget is now 4,200 euros.", "budget_eur", 4200, False),
        ("The rate is now 12.5 percent.", "rate", 12.5, False),
        ("The budget is 5,000 euros.", "budget_eur", 4200, False),
        ("The budget meeting has moved to 10:00.", "budget_eur", 4200, False),
        ("The rent has been raised to 5,000 euros.", "budget_eur", 4200, False),
        ("Has the budget been raised to 5,000 euros?", "budget_eur", 4200, False),
        ("They hope that the budget will be raised to 5,000 euros.", "budget_eur", 4200, False),
        ("The budget has been raised to 5,000 euros.", "budget", "4200", False),
        ("The budget has been raised to 5,000 euros.", "budget", True, False),
        ("Her email is ida@y.org", "email", "ida@x.org", True),
        ("Email: ida@x.org", "email", "ida@x.org", False),
        ("Her phone number is +49 40 555 0199.", "phone_number", "+49 40 5550143", True),
        ("Her phone number is 040 555 0143.", "phoneNumber", "040/5550143", False),
        ("Her birthday is 15 May 1990", "birthday", "1990-05-14", True),
        ("Her birthday is 14 May 1990", "birthday", "1990-05-14", False),
        ("Her work email is ida@y.org", "email", "ida@x.org", False),
        ("They say that her email is ida@y.org", "email", "ida@x.org", False),
    ],
)
def test_a_change_that_says_another_number_tells_of_the_property_that_it_names(
    text: str, key: str, value: PropertyValue, is_told: bool
) -> None:
    assert find_contradicted_properties(text, {key: value, "other": 7}) == [key] * is_told
