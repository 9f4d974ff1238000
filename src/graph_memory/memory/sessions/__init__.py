"""Sessions, blocks and the primer."""
