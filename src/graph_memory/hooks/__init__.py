"""Hooks of coding agents: store the content of client events, without secrets, in a spool. Standard library only."""
