"""Prompts for the language model behind `remember`, and validation of its replies."""
