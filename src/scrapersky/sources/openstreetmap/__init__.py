"""OpenStreetMap as a source: extracts as files, in the answer format of Overpass or as PBF."""
