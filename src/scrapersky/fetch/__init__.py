"""The one door to other people's hosts: guarded, polite, bounded."""
