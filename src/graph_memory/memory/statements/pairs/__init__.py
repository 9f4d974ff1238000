"""Features of a pair of sentences and their judgement."""
