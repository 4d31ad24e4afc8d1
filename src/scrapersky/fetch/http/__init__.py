"""One HTTP request within its limits: connection, redirects, headers, content encoding."""
