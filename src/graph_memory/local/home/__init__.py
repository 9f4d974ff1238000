"""The files in a home folder."""
