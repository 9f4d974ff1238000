"""Backup of a home directory to one file, and restore."""
