"""The styles, scripts and settings that make real pages large, in the manner of each builder."""

from json import dumps

from scrapersky_demo.draws import Draw

_SIZES = {
    "wordpress-elementor": 300,
    "wordpress-woocommerce": 230,
    "wordpress-yoast": 170,
    "wordpress": 150,
    "wix": 220,
    "shopify": 200,
    "squarespace": 200,
    "joomla": 110,
    "typo3": 110,
    "plain": 50,
    "single": 80,
}
_PREFIXES = {
    "wix": "._",
    "squarespace": ".sqs-block-",
    "shopify": ".shopify-section-",
    "joomla": ".moduletable-",
    "typo3": ".frame-",
}
_PROPERTIES = (
    "margin",
    "padding",
    "font-size",
    "line-height",
    "border-radius",
    "max-width",
    "letter-spacing",
    "gap",
    "inset",
)


def styles(builder: str, draw: Draw) -> str:
    prefix = _PREFIXES.get(builder, ".elementor-" if "elementor" in builder else ".wp-block-")
    rules = [_rule(prefix, draw) for _ in range(_SIZES[builder])]
    rules.append(
        f"@media (max-width:{draw.between(600, 900)}px){{{''.join(_rule(prefix, draw) for _ in range(12))}}}"
    )
    return "<style>" + "\n".join(rules) + "</style>"


def _rule(prefix: str, draw: Draw) -> str:
    body = ";".join(f"{name}:{draw.between(1, 64)}px" for name in draw.sample(_PROPERTIES, 4))
    return f"{prefix}{draw.hexes(7)}{{{body};color:#{draw.hexes(6)}}}"


def settings_script(name: str, draw: Draw, entries: int) -> str:
    """A large object of a builder's own settings, with many numbers in it."""
    values = {
        f"{draw.hexes(6)}": [draw.below(10**9), draw.hexes(16), draw.chance(0.5)] for _ in range(entries)
    }
    return f"<script>window.{name} = {dumps(values, separators=(',', ':'))};</script>"
