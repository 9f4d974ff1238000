"""The search index, and the background work that completes it."""
