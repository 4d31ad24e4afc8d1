"""ScraperSky: from a kind of business and a place to verified contacts, with evidence."""

from pathlib import Path

__version__ = "0.1.0"


def checkout() -> Path | None:
    """The folder of the checkout that this program runs from; nothing when it was installed as a package."""
    package = Path(__file__).resolve().parent
    return package.parents[1] if package.parent.name == "src" else None
