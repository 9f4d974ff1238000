"""Values that indexes refuse, and the effect on other writers of creating an index in the write path."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from neo4j.exceptions import Neo4jError

from benchmarks.choices.servers import Bench

HOLD = 4.0
APART = 0.8
HIGH = 40_000
INDEXES = (
    "CREATE INDEX key_value IF NOT EXISTS FOR (k:KeyRow) ON (k._domain, k._type, k._property, k._value)",
    "CREATE INDEX range_one IF NOT EXISTS FOR (n:RangeOne) ON (n.value)",
    "CREATE INDEX range_two IF NOT EXISTS FOR (n:RangeTwo) ON (n._domain, n.value)",
    "CREATE TEXT INDEX text_one IF NOT EXISTS FOR (n:TextOne) ON (n.value)",
)


def hazards(bench: Bench) -> str:
    """Return the outcome as text, with seconds."""
    bench.apply(INDEXES)
    lines = [
        f"- Longest text that an index takes, in bytes: {_longest(bench, 'RangeOne'):,} (RANGE on one property), "
        f"{_longest(bench, 'RangeTwo'):,} (RANGE on a domain and a property), {_longest(bench, 'TextOne'):,} (TEXT).",
        f"- The refusal: {_refusal(bench)}",
        f"- A value of 9,000 bytes in a domain that declared no index, on a label that another domain has indexed: "
        f"{'taken' if _takes(bench, 'RangeTwo', 9_000, 'bystander') else 'refused'}.",
        f"- A transaction holds a label for {HOLD:.0f} s. Beside it, seconds until done: "
        f"{_render_seconds(_making(bench))}.",
        f"- The same while nobody makes an index: {_render_seconds(_writing(bench))}.",
    ]
    return "\n".join([*lines, ""])


def _longest(bench: Bench, label: str) -> int:
    low, high = 1, HIGH
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _takes(bench, label, middle) else (low, middle)
    return low


def _takes(bench: Bench, label: str, size: int, domain: str = "d") -> bool:
    try:
        bench.run("CREATE (n:$($label)) SET n._domain = $domain, n.value = $value", **_long(label, size, domain))
    except Neo4jError:
        return False
    return True


def _refusal(bench: Bench) -> str:
    try:
        bench.run("CREATE (n:$($label)) SET n._domain = $domain, n.value = $value", **_long("RangeTwo", 9_000, "d"))
    except Neo4jError as refused:
        return f"`{refused.code}`"
    return "none"


def _long(label: str, size: int, domain: str) -> Mapping[str, object]:
    return {"label": label, "domain": domain, "value": "x" * size}


def _making(bench: Bench) -> Mapping[str, float]:
    """Make an index on a label that a transaction holds, with writers behind it."""
    making = {"making the index": "CREATE INDEX held_code FOR (n:Held) ON (n._domain, n.code)"}
    return _beside(bench, "CREATE (:Held {_domain: 'a', code: 1})", making | _WRITERS)


_WRITERS = {
    "a write of that label in another domain": "CREATE (:Held {_domain: 'b', code: 1})",
    "a read of that label": "MATCH (n:Held {_domain: 'b'}) RETURN count(n)",
    "a write of another label": "CREATE (:Free {_domain: 'b', code: 1})",
}


def _writing(bench: Bench) -> Mapping[str, float]:
    """Hold a label that has a static index already, as `_Key` has."""
    held = "CREATE (:KeyRow {_domain: 'a', _type: 'Held', _property: 'code', _value: 'n:1'})"
    writer = "CREATE (:KeyRow {_domain: 'b', _type: 'Held', _property: 'code', _value: 'n:1'})"
    return _beside(bench, held, {"a `_Key` row of that type in another domain": writer})


def _beside(bench: Bench, held: str, statements: Mapping[str, str]) -> Mapping[str, float]:
    """Return the seconds of each statement, started one after the other while a transaction is open."""
    for statement in (held, *_WRITERS.values()):
        bench.run(statement)  # so that labels and plans are there
    with bench.driver.session() as session, ThreadPoolExecutor(len(statements)) as pool:
        transaction = session.begin_transaction()
        transaction.run(held).consume()  # pyright: ignore[reportArgumentType]
        taken = {}
        for name, statement in statements.items():
            taken[name] = pool.submit(_seconds, lambda text=statement: bench.run(text))
            time.sleep(APART)
        time.sleep(HOLD - APART * len(statements))
        transaction.commit()
        return {name: future.result() for name, future in taken.items()}


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _render_seconds(seconds: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {taken:.2f}" for name, taken in seconds.items())
