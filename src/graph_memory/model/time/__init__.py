"""Times of events, and parsing of times and log positions."""
