"""The long-running programs: serve, worker, up, find; and what keeps, checks and saves them."""
