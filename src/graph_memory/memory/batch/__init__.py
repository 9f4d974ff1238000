"""Many operations in one write: read, checked and folded to one change a subject."""
