"""Domains: which there are, where they come from, how they end."""
