"""Indexes the domains for search, and answers searches."""
