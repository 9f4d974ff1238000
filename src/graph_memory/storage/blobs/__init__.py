"""Stores large and binary content in a local folder or a remote bucket."""
