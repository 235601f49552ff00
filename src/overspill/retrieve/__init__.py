"""What was kept, fetched again: a range, a page, a JSONPath, a search, as the tools of a model or for a program.

All of it goes through `access`, which says what may be asked for and logs what was. `fit`, `api` and all that comes
after them may import this package.
"""
