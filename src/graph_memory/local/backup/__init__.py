"""Backup of a home folder to one file, and restore from it."""
