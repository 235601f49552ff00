"""JSON, NDJSON and XML: where their elements lie, which of them a view keeps, and views that stay valid.

Pure: imports the values, `kinds` and `cut`. `fit`, `compat` and `retrieve` come in here.
"""
