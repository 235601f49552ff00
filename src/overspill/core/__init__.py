"""Values and their arithmetic: sizes, budgets, spans, marks, reports. No I/O.

Every package may import it; it imports `_lite` and nothing else of the package.
"""
