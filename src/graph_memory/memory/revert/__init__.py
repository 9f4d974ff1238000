"""Earlier states are written again."""
