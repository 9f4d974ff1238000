"""What follows from what connections mean: those that chains of them stand for, and what contradicts what."""
