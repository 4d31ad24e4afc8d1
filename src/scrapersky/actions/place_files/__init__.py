"""Files of businesses that people upload: what their columns mean, and the search in them."""
