"""The files of a home directory."""
