"""Memories of other programs, one reader a program: what each keeps, as entities, relations and observations."""
