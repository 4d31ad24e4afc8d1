"""What runs: serve, worker, up, a pipeline in this process; the supervisor, the doctor and backups."""
