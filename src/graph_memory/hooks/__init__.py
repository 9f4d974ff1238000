"""Hooks of coding agents: what a client's event says, without secrets, in a spool. Standard library only."""
