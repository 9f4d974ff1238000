"""Languages: folding, stems and word lists."""
