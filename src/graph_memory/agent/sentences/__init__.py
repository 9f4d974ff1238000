"""Sentences that `remember` and `forget` route to goals, patterns and profiles."""
