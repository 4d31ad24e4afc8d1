"""One module for each resource of the API; each has a `router`."""
