"""What a stage may reach the world with: the wiring builds it, tests fill it with fakes."""

from scrapersky.stage_context.context import StageContext
from scrapersky.stage_context.handover import GATE_SETTINGS, HandOver
from scrapersky.stage_context.limits import StageLimits

__all__ = ["GATE_SETTINGS", "HandOver", "StageContext", "StageLimits"]
