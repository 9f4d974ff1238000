"""Importers for other memory programs, one reader per program."""
