"""What people keep for later: saved views, and rules that decide about new rows."""
