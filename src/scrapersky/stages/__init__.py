"""One file per stage: a declaration and one function, one row in, new rows out. No stage imports another."""
