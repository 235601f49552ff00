"""What was kept, fetched again: a range, a page, a JSONPath, a search, as the tools of a model or for a program."""
