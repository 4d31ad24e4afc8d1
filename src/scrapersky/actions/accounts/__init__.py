"""Who people are: users, passwords, sessions, API keys and setup links."""
