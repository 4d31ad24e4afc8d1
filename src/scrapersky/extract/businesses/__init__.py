"""Whether two listings are the same business: keys that find candidates, and the evidence that decides."""

from scrapersky.extract.businesses.listed_business import Listing, cell_of, nearby_cells, read_listing
from scrapersky.extract.businesses.similarity import Comparison, compare_listings

__all__ = ["Comparison", "Listing", "cell_of", "compare_listings", "nearby_cells", "read_listing"]
