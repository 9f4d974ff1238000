"""Evaluation on public question sets: which answers search and recall return, in how many tokens, and how fast."""

from __future__ import annotations
