"""The frame that each builder puts around a page: head, header, navigation, wrappers and footer."""

from html import escape

from scrapersky_demo.sites.composition import Composition
from scrapersky_demo.sites.filler import settings_script, styles
from scrapersky_demo.sites.layout import SitePage
from scrapersky_demo.sites.plan import Plan
from scrapersky_demo.sites.sections import sections
from scrapersky_demo.sites.traps import agency, retina_image, tracker_scripts

_NAV = ("home", "about", "services", "team", "products", "blog", "location", "contact")
_FOOT = ("legal", "privacy", "career")
_WRAPPERS = {
    "wordpress-elementor": (
        '<section class="elementor-section elementor-top-section"><div class="elementor-container">'
        '<div class="elementor-column">'
        '<div class="elementor-widget elementor-widget-text-editor"><div class="elementor-widget-container">',
        "</div></div></div></div></section>",
    ),
    "wix": ('<div class="wixui-rich-text" data-testid="richTextElement">', "</div>"),
    "squarespace": (
        '<div class="sqs-block html-block sqs-block-html"><div class="sqs-block-content">',
        "</div></div>",
    ),
    "shopify": ('<section class="shopify-section"><div class="page-width rte">', "</div></section>"),
    "typo3": (
        '<div class="frame frame-default frame-type-text"><div class="frame-container">',
        "</div></div>",
    ),
    "joomla": ('<div class="item-page com-content-article">', "</div>"),
}
_WORDPRESS_WRAPPER = ('<div class="wp-block-group is-layout-flow">', "</div>")


class Frame:
    """The parts of a site's pages that are the same on each of them, made once."""

    def __init__(self, composition: Composition, pages: dict[str, SitePage]) -> None:
        self.composition, self.pages, self.plan = composition, pages, composition.plan
        draw = self.plan.draw("frame")
        self._styles = styles(self.plan.builder, draw)
        self._scripts = _builder_scripts(self.plan) + tracker_scripts(draw)
        self._generator = generator_of(self.plan)
        self._header = self._make_header()
        self._footer = self._make_footer()

    def page(self, page: SitePage) -> bytes:
        opening, closing = self._wrapper()
        pieces = sections(self.composition, self.pages, page)
        main = "\n".join(f"{opening}{piece}{closing}" for piece in pieces)
        return self.document(page, main)

    def document(self, page: SitePage, main: str) -> bytes:
        extra = "\n".join(self.composition.blocks.get((page.path, "head"), []))
        body_class = f"{self.plan.builder.split('-')[0]} page-{page.kind}"
        text = (
            f'<!DOCTYPE html>\n<html lang="{self.plan.locale.tag}">\n<head>\n<meta charset="utf-8">\n'
            f"{self._head(page)}{self._styles}\n{extra}\n{self._scripts}</head>\n"
            f'<body class="{body_class}">\n{self._header}\n<main id="content">\n{main}\n</main>\n'
            f"{self._footer}\n</body>\n</html>\n"
        )
        return text.encode()

    def _head(self, page: SitePage) -> str:
        plan, owner = self.plan, self.plan.owners[0]
        sentence = plan.locale.sentences[0].format(name=owner.name, city=owner.city.name)
        title = escape(owner.name if page.kind == "home" else f"{page.title} - {owner.name}")
        parts = [
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f'<meta name="description" content="{escape(sentence)}">',
            f'<link rel="canonical" href="{plan.origin}{page.path}">',
            '<link rel="icon" href="/favicon.ico" sizes="32x32">',
            f'<meta property="og:site_name" content="{escape(owner.name)}">',
        ]
        if self._generator:
            parts.append(f'<meta name="generator" content="{self._generator}">')
        return "\n".join([*parts, *_builder_links(plan), ""])

    def _wrapper(self) -> tuple[str, str]:
        default = (
            _WORDPRESS_WRAPPER if self.plan.builder.startswith("wordpress") else ("<section>", "</section>")
        )
        return _WRAPPERS.get(self.plan.builder, default)

    def _make_header(self) -> str:
        owner = self.plan.owners[0]
        phones = "".join(
            f'<div class="topbar">{line.markup}</div>' for line in self.composition.lines("/", "header")
        )
        links = self._links(_NAV)
        logo = retina_image("logo", owner.name)
        return (
            f'<header class="site-header">{phones}<a class="brand" href="/">{logo}</a>'
            f'<nav class="main-navigation" aria-label="main"><ul>{links}</ul></nav></header>'
        )

    def _make_footer(self) -> str:
        plan, lines = self.plan, self.composition.lines("/", "footer")
        social = "".join(line.markup for line in lines if line.kind == "social")
        own = [line for line in lines if line.kind != "social" and line.standing != "false"]
        rows = "".join(f"<p>{line.label}: {line.markup}</p>" for line in own)
        credit = ""
        if plan.agency is not None:
            firm = agency(plan.seed, plan.agency)
            marks = " ".join(line.markup for line in lines if line.standing == "false")
            made_by = plan.locale.words["made_by"]
            credit = (
                f'<p class="credit">{made_by} <a href="http://www.{firm.host}/">{firm.name}</a> {marks}</p>'
            )
        year = 2019 + plan.serial % 7
        return (
            f'<footer class="site-footer"><div class="widget">{rows}</div><div class="socials">{social}</div>'
            f'<ul class="footer-links">{self._links(_FOOT)}</ul>'
            f'<p class="copyright">&copy; {year} {escape(plan.owners[0].name)}</p>{credit}</footer>'
        )

    def _links(self, kinds: tuple[str, ...]) -> str:
        linked = [page for kind in kinds for page in self.pages.values() if page.kind == kind]
        words = self.plan.locale.words
        return "".join(f'<li><a href="{page.path}">{escape(words[page.kind])}</a></li>' for page in linked)


def generator_of(plan: Plan) -> str:
    """The generator name with version, or nothing where the builder writes none."""
    version = f"6.{plan.serial % 8}.{plan.serial % 4 + 1}"
    if plan.builder.startswith("wordpress"):
        return f"WordPress {version}"
    names = {
        "wix": "Wix.com Website Builder",
        "joomla": "Joomla! - Open Source Content Management",
        "typo3": "TYPO3 CMS",
    }
    return names.get(plan.builder, "")


def theme_of(plan: Plan) -> str:
    if plan.builder == "wordpress-elementor":
        return "hello-elementor"
    if plan.builder == "wordpress-woocommerce":
        return "storefront"
    return (
        ("twentytwentyfour", "astra", "generatepress")[plan.serial % 3]
        if plan.builder.startswith("wordpress")
        else ""
    )


def _style(href: str) -> str:
    return f'<link rel="stylesheet" href="{href}">'


def _builder_links(plan: Plan) -> list[str]:
    builder, stamp = plan.builder, f"17489{plan.serial % 99999:05d}"
    links, plugins = [], "/wp-content/plugins"
    if builder.startswith("wordpress"):
        links.append(
            f'<link rel="stylesheet" href="/wp-content/themes/{theme_of(plan)}/style.css?ver={stamp}">'
        )
        links.append('<link rel="https://api.w.org/" href="/wp-json/">')
    if builder == "wordpress-elementor":
        links.append(_style(f"{plugins}/elementor/assets/css/frontend.min.css?ver=3.21.5"))
    if builder == "wordpress-woocommerce":
        links.append(_style(f"{plugins}/woocommerce/assets/css/woocommerce.css?ver=8.9.1"))
    if builder in ("wordpress-yoast", "wordpress-woocommerce"):
        site = f'{{"@context":"https://schema.org","@graph":[{{"@type":"WebSite","url":"{plan.origin}/"}}]}}'
        links.append("<!-- This site is optimized with the Yoast SEO plugin v22.7 -->")
        links.append(f'<script type="application/ld+json" class="yoast-schema-graph">{site}</script>')
    if builder == "joomla":
        links.append(
            '<script src="/media/system/js/core.min.js?37ffe4186289eba9c5df81bea44080aff77b9684"></script>'
        )
    if builder == "typo3":
        links.append('<link rel="stylesheet" href="/typo3temp/assets/compressed/merged-1f3a.css">')
    return links


def _builder_scripts(plan: Plan) -> str:
    draw = plan.draw("scripts")
    if plan.builder == "wix":
        library = (
            '<script src="https://static.parastorage.com/services/wix-thunderbolt/dist/main.js"></script>'
        )
        return library + settings_script("viewerModel", draw, 520) + "\n"
    if plan.builder == "shopify":
        library = (
            '<script src="https://cdn.shopify.com/shopifycloud/storefront/assets/load_feature.js"></script>'
        )
        model = settings_script("ShopifyAnalytics", draw, 260)
        return f"{library}<script>var Shopify = Shopify || {{}};</script>{model}\n"
    if plan.builder == "squarespace":
        library = '<script src="https://static1.squarespace.com/static/vta/scripts/site-bundle.js"></script>'
        return library + settings_script("Static_SQUARESPACE_CONTEXT", draw, 380) + "\n"
    if plan.builder.startswith("wordpress"):
        return '<script src="/wp-includes/js/jquery/jquery.min.js?ver=3.7.1"></script>\n'
    return '<script src="/js/main.js"></script>\n'
