"""What commands take."""
