"""Values and their arithmetic: sizes, budgets, spans, marks, reports. No I/O.

Everybody may import it; it imports `errors`, `tokens` and nothing else of ours.
"""
