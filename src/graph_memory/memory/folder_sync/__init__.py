"""Markdown folders: export of entities as notes, and synchronisation of a folder with a domain."""
