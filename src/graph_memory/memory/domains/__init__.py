"""Domains: create, list, delete, and their ancestry."""
