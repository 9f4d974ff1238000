"""What a memory can do: one facade a file, one call a method."""
