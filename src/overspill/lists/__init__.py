"""A list of records: a page of it within a budget, records in short form, conditions and orders.

Pure: imports `_lite`, `errors` and `core`. Whatever answers with a list comes in here: workspace, `retrieve`, the API,
MCP and the command line.
"""
