"""Technologies that a site is built with."""
