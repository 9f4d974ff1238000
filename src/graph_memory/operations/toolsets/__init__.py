"""The operations, one toolset a module."""
