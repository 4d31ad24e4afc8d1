"""The way rows take through the stages, derived from the declared hand-overs."""

from __future__ import annotations

from scrapersky.declarations.stage import StageDeclaration
from scrapersky.declarations.stages import DECLARATIONS, DELIVER, READ_METADATA, SEARCH_PLACES


def stages_from(first: StageDeclaration) -> tuple[StageDeclaration, ...]:
    """A stage and every stage that its rows may reach, in the order of the pipeline."""
    by_name = {stage.name: stage for stage in DECLARATIONS}
    reached, pending = set[str](), [first.name]
    while pending:
        name = pending.pop()
        if name not in reached:
            reached.add(name)
            pending += [following.stage for following in by_name[name].queues]
    return tuple(stage for stage in DECLARATIONS if stage.name in reached)


# From a search to delivered contacts, and the part of it whose rows name a domain: deliveries do not.
PIPELINE_STAGES = stages_from(SEARCH_PLACES)
DOMAIN_STAGES = tuple(stage for stage in stages_from(READ_METADATA) if stage.table != DELIVER.table)


def domain_column(stage: StageDeclaration) -> str:
    """The column of a stage's table that names the domain; only for `DOMAIN_STAGES`."""
    return "id" if stage.table == READ_METADATA.table else "domain_id"
