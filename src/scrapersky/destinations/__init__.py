"""Where contacts are delivered: one module for each destination, found by its `kind`."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from scrapersky.destinations.destination import (
    DeliveryPayload,
    Destination,
    DestinationContext,
    SkippedDelivery,
)

__all__ = ["DeliveryPayload", "Destination", "DestinationContext", "SkippedDelivery", "make_destinations"]


def make_destinations(context: DestinationContext) -> dict[str, Destination]:
    """Every destination by its kind: each class of this package that has one."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    names: list[Any] = [value for module in modules for value in vars(module).values()]
    classes = [made for made in names if isinstance(made, type) and isinstance(getattr(made, "kind", 0), str)]
    return {made.kind: made(context) for made in classes}  # type: ignore[attr-defined]
