"""Indexes domains for search, and answers searches."""
