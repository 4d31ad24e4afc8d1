"""Claims rows, runs one function on each and writes what came back; knows no table and no stage."""
