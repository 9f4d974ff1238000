"""Prints the results of commands for people, as tables, lists and lines."""
