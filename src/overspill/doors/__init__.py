"""The ways in. Each door parses, calls one function, and prints."""
