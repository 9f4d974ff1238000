"""Parts of names, relations that a thing has once, and ids of questions, without a store."""

from __future__ import annotations

from graph_memory.memory.entities.names.similar_names import LIKE, SAME, ComparedEntity, evidence, is_part
from graph_memory.memory.entities.remember_results import ids_of_question, question_id
from graph_memory.memory.entities.single_valued_relations import is_outgoing_single_valued
from graph_memory.memory.remember.facts import request_from
from graph_memory.memory.remember.judged_facts import judge_facts
from graph_memory.memory.statements.statement_verdict import CurrentObservation, judge_statement
from graph_memory.storage.log.writing import utc_now
from tables import for_rows


@for_rows(
    ("part", "whole", "is_so"),
    [
        ("Lena", "Lena Vogt", True),
        ("Ana", "Ana Silva", True),
        ("Lena Vogt", "Lena", False),
        ("Release", "Release 2", False),
        ("C", "C API", False),
        ("Lena", "Helena Vogt", False),
    ],
)
def test_a_part_of_a_name_is_whole_words_of_it_with_the_same_numbers(part: str, whole: str, is_so: bool) -> None:
    assert is_part(part, whole) is is_so


def test_a_part_of_one_name_says_more_than_a_part_of_several_and_another_type_says_less() -> None:
    lena, vogt = ComparedEntity("Lena", "person"), ComparedEntity("Lena Vogt", "person")
    assert evidence(lena, vogt, 0, None, 1).score == SAME
    assert evidence(lena, vogt, 0, None, 2).score == LIKE
    assert evidence(ComparedEntity("Lena", "entity"), vogt, 0, None, 1).score == SAME
    assert evidence(ComparedEntity("Lena", "ship"), vogt, 0, None, 1).score < SAME


def test_kinds_of_relations_that_a_thing_has_once_are_known_in_every_spelling() -> None:
    assert [
        is_outgoing_single_valued(kind) for kind in ("LIVES_IN", "worksAt", "works for", "owned_by", "wohnt in")
    ] == [True] * 5
    assert [is_outgoing_single_valued(kind) for kind in ("owns", "MANAGES", "leads")] == [False] * 3
    assert [is_outgoing_single_valued(kind) for kind in ("knows", "uses", "part_of")] == [None] * 3


def test_the_id_of_a_question_is_made_of_what_it_is_about() -> None:
    assert ids_of_question(question_id("obs_2", "obs_1")) == ("obs_2", "obs_1")
    assert [ids_of_question(wrong) for wrong in ("obs_1", ":obs_1", "obs_1:", "a:b:c")] == [None] * 4


@for_rows(
    ("known", "new"),
    [
        ("Stripe is used for payments.", "The choice of Stripe was reversed."),
        ("Orders are stored in Postgres.", "Postgres for orders is superseded by MySQL."),
        ("Access to the archive is granted.", "Access to the archive was revoked."),
        ("Checkout uses REST.", "REST in checkout made way, in favour of GraphQL."),
        ("Das Team nutzt Kafka.", "Der Beschluss zu Kafka wurde widerrufen."),
        ("We decided to use Adyen.", "Stripe instead of Adyen because it would have cost twice as much."),
        ("We chose GraphQL for the API.", "REST rather than GraphQL because caching could get harder."),
        ("We decided to use MongoDB.", "Decided against MongoDB because the team knows SQL."),
        ("Wir haben uns für Kafka entschieden.", "Gegen Kafka entschieden, weil es teuer ist."),
        ("Nous avons choisi MongoDB.", "Nous avons décidé contre MongoDB parce que c'est cher."),
        ("Elegimos MongoDB para los pedidos.", "Nos decidimos en contra de MongoDB porque es caro."),
        ("Abbiamo scelto MongoDB.", "Abbiamo deciso contro MongoDB perché costa."),
        ("Escolhemos o MongoDB.", "Decidimos contra o MongoDB porque é caro."),
        ("We hebben voor MongoDB gekozen.", "We hebben tegen MongoDB besloten."),
        ("Vi har valt MongoDB.", "Vi har bestämt oss mot MongoDB."),
        ("Мы выбрали MongoDB.", "Мы решили против MongoDB, потому что дорого."),
        ("我们决定使用MongoDB。", "用MariaDB而不是MongoDB,因为更便宜。"),
        ("MongoDBの導入を決めた。", "MongoDBの導入を見送った。"),
    ],
)
def test_what_was_reversed_revoked_superseded_or_decided_against_is_asked_about(known: str, new: str) -> None:
    assert [
        doubt.known.text
        for doubt in judge_statement(new, [CurrentObservation("obs_1", known)], "Shop").possible_replacements
    ] == [known]


def test_statements_of_one_call_are_asked_about_only_if_they_exclude_each_other() -> None:
    texts = ["Lives in Oslo.", "Lives in Bergen.", "Moved house in May.", "The flat in Bergen is now rented."]
    facts = request_from({"name": "Lena", "observations": texts}, utc_now()).facts
    judged = judge_facts(facts, [], {}, "Lena", {})
    pairs = [(doubt.known.text, fact.fact.observation.text) for fact in judged for doubt in fact.open_replacements]
    assert pairs == [("Lives in Oslo.", "Lives in Bergen.")]
    assert judged[1].open_replacements[0].known.id == facts[0].observation.id
