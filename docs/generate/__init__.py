"""The pages that are made from the code, one module each. `make reference` writes them."""
