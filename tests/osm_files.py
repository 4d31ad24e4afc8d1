"""Files of OpenStreetMap for tests: the same elements as JSON and as PBF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

BAKERY = {"shop": "bakery"}


def node(number: int, latitude: float = 52.5, longitude: float = 13.4, **tags: str) -> dict[str, Any]:
    return {"type": "node", "id": number, "lat": latitude, "lon": longitude, "tags": tags}


def way(number: int, nodes: list[int], **tags: str) -> dict[str, Any]:
    return {"type": "way", "id": number, "nodes": nodes, "tags": tags}


def relation(number: int, members: list[tuple[str, int]], **tags: str) -> dict[str, Any]:
    listed = [{"type": type_, "ref": ref, "role": "outer"} for type_, ref in members]
    return {"type": "relation", "id": number, "members": listed, "tags": tags}


def write_json(path: Path, elements: list[dict[str, Any]], **more: Any) -> Path:
    path.write_text(json.dumps({"version": 0.6, "generator": "test", "elements": elements, **more}), "utf-8")
    return path


def write_pbf(path: Path, elements: list[dict[str, Any]]) -> Path:
    import osmium
    from osmium.osm.mutable import Node, Relation, Way

    with osmium.SimpleWriter(str(path)) as writer:
        for one in elements:
            common = {"id": one["id"], "tags": one["tags"], "version": 1}
            if one["type"] == "node":
                writer.add_node(Node(location=(one["lon"], one["lat"]), **common))
            elif one["type"] == "way":
                writer.add_way(Way(nodes=one["nodes"], **common))
            else:
                members = [(member["type"][0], member["ref"], "") for member in one["members"]]
                writer.add_relation(Relation(members=members, **common))
    return path


WRITERS = {"json": write_json, "pbf": write_pbf}
