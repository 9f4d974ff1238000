"""Parses the arguments and options of commands, and asks for input."""
