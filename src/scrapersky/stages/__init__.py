"""One file or folder per stage: a function from one row to new rows. No stage imports another."""
