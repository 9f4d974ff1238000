"""Domains: creation, listing, deletion and ancestry."""
