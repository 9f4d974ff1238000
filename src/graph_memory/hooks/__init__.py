"""Hooks for coding agents. They store clients' events in a spool, without secrets, using only the standard library."""
