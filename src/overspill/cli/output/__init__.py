"""What commands read and write: streams, tables, pages of records, envelopes."""
