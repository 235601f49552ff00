"""A list of records: a page of it within a budget, and records in short form.

Pure: imports `_lite`, `errors` and `core`. Whatever answers with a list comes in here: workspace, `retrieve`, the API,
MCP and the command line.
"""
