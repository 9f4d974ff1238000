"""What a language model may decide for `remember`, and how its reply is checked."""
