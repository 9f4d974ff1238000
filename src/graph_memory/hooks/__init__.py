"""Hooks for coding agents. They store client events in a spool, without secrets. Only the standard library is used."""
