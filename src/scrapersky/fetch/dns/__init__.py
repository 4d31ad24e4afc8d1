"""Address and MX lookups with a time limit."""
