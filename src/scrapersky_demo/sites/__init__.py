"""The invented sites: their plan, pages, files, contacts and traps."""
