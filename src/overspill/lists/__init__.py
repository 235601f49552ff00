"""A list of records: a page of it within a budget, and records in short form. Pure."""
