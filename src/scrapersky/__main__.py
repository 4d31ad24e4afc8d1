"""`python -m scrapersky` is the command `scrapersky`."""

from scrapersky.cli import main

main(prog_name="scrapersky")
