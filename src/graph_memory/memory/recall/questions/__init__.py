"""The kinds of questions that recall understands."""
