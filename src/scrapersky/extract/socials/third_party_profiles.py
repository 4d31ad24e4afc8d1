"""Recognises profiles of software vendors and unfilled examples in templates."""

import re

# Handles without signs and in lower case. They stand on countless pages made with somebody's template.
_MAKERS = frozenset(
    """
    17track addthis adobe ajlkn amp apachefriends apple astrobuild bitnami bloggerdotcom bootsnipp
    bootstrapmade bootstrapious cloudflare codepen codrops colorlib contao cookiebot creativetim
    cssauthor depositphotos drupal dudamobile elegantthemes elementor elementorwp envato envatomarket
    facebook facebookapp flaticon fontawesome freehtml5co freepik froala gatsbyjs getbootstrap ghost
    github gitlab godaddy gohugoio google googleanalytics googlemaps hostinger html5up htmlcodex
    htmlstream hubspot instagram ionos jekyllrb jimdo jimdoofficial joomla joomlashine joomlart
    joomlacommunity jquery laravelphp linkedin magento mailchimp materialize medium meta microsoft
    mobirise mozilla netlify neocities nuxtjs onepagelove opencart osclass pexels pinterest pixelarity
    pixabay plesk plone plonecms prestashop publii reactjs rockettheme semplice shopify shopware
    shutterstock siteground squarespace stackbit startbootstrap strato strikingly styleshout tailwindcss
    templatemo templated templatemonster themeforest themeisle themefisher thenounproject thewebflow
    tilda tildacc tiktok tooplate tumblr twbootstrap twitter typo3 typo3org unsplash uicookies untreeco
    vercel vimeo w3layouts w3schools webflow webnode weebly whatsapp wix wixcom wordpress
    wordpressdotcom wordpressorg wpastra wpbakery wpengine wpforms x xing yoast yootheme youtube zendesk
    zurb zyro
    """.split()  # noqa: SIM905  A hundred quoted words are harder to read and to extend.
)

_EXAMPLE = re.compile(
    r"(?:your|my|dein|ihr|votre|tu|su|seu|jouw|company|business|page|user|account|profile?|insert|put|enter)"
    r"(?:[-_.]?(?:your|own|company|business|firma|brand|page|name|user|id|handle|profile?|account|channel|site|url"
    r"|website|seite|here|link|username|facebook|instagram|twitter|linkedin|youtube))+"
    r"|user ?name|example|sample|placeholder|lorem|ipsum|foo|bar|test|dummy|handle|profile?|user|page"
    r"|company|xxx+|000+|123|1234\d*|abc|your|nombre|nom|nome|channel|account",
    re.IGNORECASE,
)


def is_vendor_handle(handle: str) -> bool:
    """Whether the handle is that of a maker of websites, templates or networks."""
    return "".join(filter(str.isalnum, handle.lower())) in _MAKERS


def is_example_handle(handle: str) -> bool:
    """Whether the handle is only an example that was never filled in."""
    return _EXAMPLE.fullmatch(handle) is not None
