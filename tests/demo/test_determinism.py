"""The same seed makes the same bytes in every process, and another seed other ones."""

import os
import subprocess
import sys

import pytest

from scrapersky_demo import World

PROGRAM = """
import hashlib, json
from scrapersky_demo import World
world = World(seed={seed}, size=30, huge_urls=50)
digest = hashlib.blake2b()
for domain in world.domains():
    site = world.site(domain)
    for target in ["/robots.txt", "/nowhere", *site.pages, *site.sitemaps]:
        answer = world.answer(site.plan.served_host, target)
        digest.update(repr((answer.status, answer.headers, answer.etag)).encode() + answer.body)
digest.update(json.dumps(world.truth().as_dict()).encode() + world.places_csv(layout=1).encode())
print(digest.hexdigest())
"""


@pytest.fixture
def digest():
    def run(seed: int, hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        program = [sys.executable, "-c", PROGRAM.format(seed=seed)]
        return subprocess.run(program, env=environment, check=True, capture_output=True, text=True).stdout

    return run


def test_the_same_seed_makes_the_same_bytes_in_every_process(digest):
    assert digest(7, "1") == digest(7, "4242")


def test_another_seed_makes_another_world(digest):
    assert digest(7, "1") != digest(8, "1")


def test_a_page_does_not_depend_on_what_was_asked_before():
    first, second = World(seed=3, size=20), World(seed=3, size=20)
    host = first.site(first.domains()[0]).plan.served_host

    for domain in reversed(second.domains()):
        second.answer(second.site(domain).plan.served_host, "/")

    assert first.answer(host, "/") == second.answer(host, "/")


def test_a_small_world_speaks_ten_languages():
    assert len({business.locale.tag for business in World(size=10).businesses}) == 10
