"""JSON, NDJSON and XML: where their elements lie, which of them a view keeps, and views that stay valid.

Pure: imports `_lite`, `errors`, `core` and `cut`. `fit`, `compat`, `retrieve` and the command line come in here.
"""
