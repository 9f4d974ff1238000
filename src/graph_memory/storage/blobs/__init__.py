"""Large and binary content, in files or buckets."""
