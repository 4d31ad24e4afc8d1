"""Social network profiles of an organisation."""
