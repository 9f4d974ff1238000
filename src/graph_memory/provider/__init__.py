"""Requests to model servers: retries, time limits and errors."""
