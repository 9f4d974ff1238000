"""Permanent removal: erasure, log compaction, and scans for leftover text."""
