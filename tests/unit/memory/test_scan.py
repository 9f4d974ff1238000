"""Texts within base64 data."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.memory.retention.scan import base64_forms


@given(st.binary(max_size=9), st.text(min_size=5, max_size=20), st.binary(max_size=9))
def test_the_base64_of_data_contains_a_form_of_each_text_in_it(before: bytes, text: str, after: bytes) -> None:
    encoded = base64.b64encode(before + text.encode() + after).decode()
    form = base64_forms(text)[len(before) % 3]
    assert form in encoded
    assert len(form) >= 6


def test_a_short_text_has_no_form_because_it_would_match_unrelated_data() -> None:
    assert base64_forms("Rome") == []
    assert len(base64_forms("Romeo")) == 3
