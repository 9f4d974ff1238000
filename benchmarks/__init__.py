"""The measured comparisons: what an operation of graph-memory costs beside the raw driver, in the same run."""
