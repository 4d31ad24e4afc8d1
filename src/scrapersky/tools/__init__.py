"""Adapters of the fetcher to the database; each moves beside its protocol."""
