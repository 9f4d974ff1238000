"""The content cache keeps what was used last, within a number of bytes."""

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.storage.blobs.cache import ENTRY_BYTES, ContentCache


def cache_for(entries: int, size: int) -> ContentCache:
    return ContentCache(entries * (ENTRY_BYTES + size))


def test_what_was_put_is_found():
    cache = ContentCache(10_000)
    cache.put("d", "h", b"data")
    assert cache.get("d", "h") == b"data"
    assert cache.get("d", "other") is None
    assert cache._size == 4 + ENTRY_BYTES


def test_domains_do_not_see_each_other():
    cache = ContentCache(10_000)
    cache.put("a", "h", b"data")
    assert cache.get("b", "h") is None


def test_the_least_recently_used_goes_first():
    cache = cache_for(2, size=10)
    cache.put("d", "1", b"x" * 10)
    cache.put("d", "2", b"x" * 10)
    cache.get("d", "1")
    cache.put("d", "3", b"x" * 10)
    assert [cache.get("d", key) is not None for key in "123"] == [True, False, True]


def test_a_large_one_moves_several_small_ones_out():
    cache = cache_for(3, size=10)
    for key in "123":
        cache.put("d", key, b"x" * 10)
    cache.put("d", "4", b"x" * (ENTRY_BYTES + 20))
    assert [cache.get("d", key) is not None for key in "1234"] == [False, False, True, True]


def test_one_larger_than_the_capacity_is_not_kept_and_moves_nothing_out():
    cache = cache_for(2, size=10)
    cache.put("d", "1", b"x" * 10)
    cache.put("d", "big", b"x" * 10_000)
    assert cache.get("d", "big") is None
    assert cache.get("d", "1") is not None


def test_no_capacity_keeps_nothing_not_even_the_empty():
    cache = ContentCache(0)
    cache.put("d", "h", b"")
    assert cache.get("d", "h") is None


def test_empty_content_is_a_hit():
    cache = ContentCache(10_000)
    cache.put("d", "h", b"")
    assert cache.get("d", "h") == b""


def test_putting_again_counts_once():
    cache = ContentCache(10_000)
    cache.put("d", "h", b"data")
    cache.put("d", "h", b"data")
    assert (len(cache._entries), cache._size) == (1, 4 + ENTRY_BYTES)


def test_content_can_be_forgotten():
    cache = ContentCache(10_000)
    cache.put("a", "1", b"data")
    cache.discard("a", "1")
    cache.discard("a", "1")
    assert cache.get("a", "1") is None
    assert cache._size == 0


@given(
    st.integers(0, 5 * ENTRY_BYTES),
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("12345"), st.integers(0, 600), st.booleans())),
)
def test_the_capacity_holds_whatever_is_done(capacity: int, steps: list[tuple[str, str, int, bool]]):
    cache = ContentCache(capacity)
    for domain, key, size, reads in steps:
        if reads:
            cache.get(domain, key)
        else:
            cache.put(domain, key, b"x" * size)
        assert 0 <= cache._size <= capacity
        assert len(cache._entries) * ENTRY_BYTES <= cache._size
