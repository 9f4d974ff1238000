"""A domain as a folder of readable files."""
