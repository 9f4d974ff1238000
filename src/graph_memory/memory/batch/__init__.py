"""Batches: many operations in one atomic write, with at most one change per subject."""
