"""Walks over edges that were read: order, paths, weights and metrics."""
