"""Routes the sentences of `remember` and `forget` to goals, patterns and preferences."""
