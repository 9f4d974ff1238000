"""Domains in files: exports, imports and folders."""
