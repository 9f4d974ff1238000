"""Domains in files: exports, imports, folders."""
