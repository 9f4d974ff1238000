"""Asking servers that offer models: the requests, what their failures mean, and how long they are waited for."""
