"""One file per table, in the order the data flows."""
