"""Kinds of subjects that events describe."""
