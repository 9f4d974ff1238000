"""Readers of question sets, one per format."""

from __future__ import annotations
