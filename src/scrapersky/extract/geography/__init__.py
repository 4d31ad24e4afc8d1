"""Countries by code, name, domain ending and place."""
