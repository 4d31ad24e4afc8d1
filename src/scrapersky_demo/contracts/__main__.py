"""Runs the contract servers on loopback: `python -m scrapersky_demo.contracts`.

Google knows a city in which the businesses of the demo world stand, so that a search leads to their sites.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import AsyncExitStack
from dataclasses import replace

import click
from aiohttp import web

from scrapersky_demo.contracts.brevo import BrevoServer
from scrapersky_demo.contracts.debounce import DebounceServer
from scrapersky_demo.contracts.google_city import BOX, InventedCity, clustered_city
from scrapersky_demo.contracts.google_places import GooglePlacesServer
from scrapersky_demo.contracts.hubspot import HubSpotServer
from scrapersky_demo.contracts.n8n import N8NServer
from scrapersky_demo.contracts.scraper_api import ScraperAPIServer
from scrapersky_demo.contracts.server import running
from scrapersky_demo.server.server import serve_world
from scrapersky_demo.world import World


def city_of(world: World, places: int) -> InventedCity:
    """So many bakeries, the first of which are the businesses of the world with a site of their own."""
    city = clustered_city(places)
    owners = [business for business in world.businesses if business.host]
    known = [
        replace(place, website=f"http://{owner.host}/", phone="", country=owner.locale.country)
        for place, owner in zip(city.places, owners, strict=False)
    ]
    return InventedCity([*known, *city.places[len(known) :]])


async def _run(seed: int, size: int, places: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    world = World(seed, size)
    google, debounce = GooglePlacesServer(city_of(world, places)), DebounceServer()
    servers: dict[str, web.Application] = {
        "google": google.application(),
        "hubspot": HubSpotServer().application(),
        "brevo": BrevoServer().application(),
        "n8n": N8NServer().application(),
        "scraper-api": ScraperAPIServer().application(),
    }
    async with AsyncExitStack() as stack:
        ports = {name: await stack.enter_async_context(running(each)) for name, each in servers.items()}
        ports["debounce"] = (await stack.enter_async_context(debounce)).port
        site = (await stack.enter_async_context(serve_world(world))).port
        for name, value in _settings(ports, site).items():
            click.echo(f"{name}={value}")
        click.echo(
            f"# n8n: http://n8n.example:{ports['n8n']}/webhook/leads; HubSpot: pat-demo; Brevo: xkeysib-demo"
        )
        click.echo(
            f"# bakery in the box {','.join(str(BOX[side]) for side in ('south', 'west', 'north', 'east'))}"
        )
        await stopped.wait()


def _settings(ports: dict[str, int], site: int) -> dict[str, str]:
    """The settings under which every call leads here, and nothing leaves the machine."""
    services = [f"{name}.example:*:127.0.0.1:{port}" for name, port in ports.items()]
    return {
        "GOOGLE_MAPS_API_KEY": "test-key",
        "GOOGLE_PLACES_URL": f"http://google.example:{ports['google']}/",
        "HUBSPOT_URL": f"http://hubspot.example:{ports['hubspot']}",
        "BREVO_URL": f"http://brevo.example:{ports['brevo']}/v3",
        "DEBOUNCE_API_KEY": "key",
        "DEBOUNCE_URL": f"http://debounce.example:{ports['debounce']}/v1/",
        "SCRAPER_API_KEY": "scraper-demo",
        "SCRAPER_API_URL": f"http://scraper-api.example:{ports['scraper-api']}/",
        "EGRESS_ALLOW": ",".join(f"127.0.0.1:{port}" for port in (*ports.values(), site)),
        "CONNECT_TO": ",".join([*services, f"*:80:127.0.0.1:{site}"]),
    }


@click.command()
@click.option("--seed", default=1, show_default=True, help="The same seed makes the same world and city.")
@click.option("--size", default=20, show_default=True, help="How many businesses have sites.")
@click.option("--places", default=200, show_default=True, help="How many bakeries Google knows.")
def main(seed: int, size: int, places: int) -> None:
    """Serves Google Places, HubSpot, Brevo, n8n, DeBounce and ScraperAPI until it is stopped.

    The lines that it prints belong into the environment of the program; keys and tokens are invented.
    """
    asyncio.run(_run(seed, size, places))


if __name__ == "__main__":
    main()
