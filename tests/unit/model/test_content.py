"""Content is checked as given, comes back as given, and is named by the hash of its bytes."""

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.model.errors import Code, GraphError
from graph_memory.model.values.content import ContentRef, content_from
from tables import for_rows


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_text_comes_back_as_given(text: str):
    content = content_from(text, "utf-8", "markdown")
    assert content.text == content.encoded == text
    assert content.data == text.encode()
    assert content.is_text
    assert content_from(content.data, "utf-8", "markdown") == content


@given(st.binary())
def test_binary_comes_back_as_the_same_base64(data: bytes):
    text = base64.b64encode(data).decode()
    content = content_from(text, "base64", "pdf")
    assert content.data == data
    assert content.encoded == text
    assert content.text is None
    assert not content.is_text
    assert content_from(data, "base64", "pdf") == content


def is_canonical(text: str) -> bool:
    """Say by the letter of RFC 4648 whether the text is base64 as an encoder writes it."""
    digits = text.rstrip("=")
    padding = len(text) - len(digits)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    unused = {0: 0, 1: 2, 2: 4}.get(padding)
    if len(text) % 4 or unused is None or not set(digits) <= set(alphabet):
        return False
    return not digits or alphabet.index(digits[-1]) % 2**unused == 0


@given(st.text(alphabet="ABab01+/=-_ \n", max_size=12))
def test_base64_is_taken_only_if_it_can_come_back_the_same(text: str):
    if is_canonical(text):
        assert content_from(text, "base64", "pdf").encoded == text
    else:
        with pytest.raises(GraphError):
            content_from(text, "base64", "pdf")


def test_size_and_hash_are_of_the_bytes():
    content = content_from("ß€", "utf-8", "text")
    assert content.size == 5
    assert content.sha256 == hashlib.sha256("ß€".encode()).hexdigest()
    assert content.ref == ContentRef(format="text", encoding="utf-8", size=5, sha256=content.sha256)
    assert content.ref.is_text


def test_equal_bytes_of_another_encoding_have_one_hash_but_are_not_equal():
    text, binary = content_from("a", "utf-8", "x"), content_from(b"a", "base64", "x")
    assert text.sha256 == binary.sha256
    assert text != binary


def test_data_stays_out_of_the_repr():
    assert "secret" not in repr(content_from("secret", "utf-8", "text"))


@for_rows(
    ("value", "encoding"),
    [
        ("a\ud800", "utf-8"),
        (b"a\xff", "utf-8"),
        (b"\xed\xa0\x80", "utf-8"),
        ("YQ", "base64"),
        ("YQ==\n", "base64"),
        ("Y Q==", "base64"),
        ("YR==", "base64"),
        ("_-8=", "base64"),
        ("€", "base64"),
        ("YQ==YQ==", "base64"),
        ("a", "latin-1"),
        ("a", "UTF-8"),
        ("a", ""),
        ("a", "\ud800"),
    ],
)
def test_content_not_of_its_encoding_is_refused_with_a_hint(value: str | bytes, encoding: str):
    with pytest.raises(GraphError) as failure:
        content_from(value, encoding, "text")
    assert failure.value.code is Code.INVALID_ENCODING
    assert failure.value.hint
    failure.value.message.encode()


def test_an_unknown_encoding_is_answered_with_the_two_there_are():
    with pytest.raises(GraphError) as failure:
        content_from("a", "latin-1", "text")
    assert "latin-1" in failure.value.message
    assert "utf-8" in str(failure.value.hint)
    assert "base64" in str(failure.value.hint)


@for_rows("word", ["x", "meeting notes", "é" * 100, 'application/json; a="b"', "💡"])
def test_any_format_of_1_to_100_characters_is_kept(word: str):
    assert content_from("a", "utf-8", word).format == word


@for_rows("word", ["", "x" * 101, "a\nb", "a\x00", "\x7f", "a\x9f", "\ud800"])
def test_other_formats_are_refused(word: str):
    with pytest.raises(GraphError) as failure:
        content_from("a", "utf-8", word)
    assert failure.value.code is Code.INVALID_ARGUMENT
    assert failure.value.details["argument"] == "format"
