"""Write the first migration's SQL from the tables; used until the first release, and never after it."""

from __future__ import annotations

from pathlib import Path

from scrapersky.tables.schema import schema_statements

TARGET = Path(__file__).parent / "versions" / "0001_initial.sql"

if __name__ == "__main__":
    TARGET.write_text(";\n\n".join(schema_statements()) + ";\n")
