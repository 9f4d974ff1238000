"""The search index and the work that keeps it complete."""
