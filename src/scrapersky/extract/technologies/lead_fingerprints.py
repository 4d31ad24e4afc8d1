"""Our own fingerprints for what matters to a sales person: how a small business runs its site and bookings.

One line is one technology: name, categories, then signs. A sign is a place and a plain text, or the name of
a header, meta or cookie; "!" behind the place says that this sign alone is proof of a CMS or shop.
"""

import re
from typing import Any

_TABLE = r"""
Wix | CMS | script! static.parastorage.com | html static.wixstatic.com/media | header:x-wix-request-id
Squarespace | CMS | html! <!-- This is Squarespace. --> | html! static1.squarespace.com/static
Squarespace | CMS | script! assets.squarespace.com
Jimdo | CMS | html! assets.jimstatic.com | html jimdo-storage | html jimcdn.com | meta:generator jimdo
IONOS MyWebsite | CMS | html! mywebsite-editor.com | html! cm4all.com | html! diy-business-website
Webflow | CMS | html! data-wf-site= | html! data-wf-page= | html! js/webflow | meta:generator webflow
Weebly | CMS | html! cdn2.editmysite.com | html! wsite-menu
GoDaddy Website Builder | CMS | html img1.wsimg.com/isteam | html img1.wsimg.com/blobby | header:server DPS/
GoDaddy Website Builder | CMS | meta:generator Go Daddy Website Builder
GoDaddy Website Builder | CMS | meta:generator Starfield Technologies
Duda | CMS | html! irp.cdn-website.com | html! multiscreensite.com | html! dmBody
Duda | CMS | html! lirp.cdn-website.com
Strato Website | CMS | html! strato-editor.com | meta:generator STRATO
WebNode | CMS | link webnode.com/ | html webnode.page | meta:generator webnode
SITE123 | CMS | html! cdn-cms-s.f-static.net | meta:generator SITE123
Strikingly | CMS | html! static-assets.strikinglycdn.com | html! strikingly.com
Tilda | CMS | html! static.tildacdn.com | html! tilda-blocks
Zyro | CMS | html! assets.zyrosite.com | meta:generator zyro
Hostinger Website Builder | CMS | meta:generator Hostinger Website Builder
Framer Sites | CMS | html! framerusercontent.com | meta:generator framer
Carrd | CMS | link carrd.co/build | meta:generator carrd
Google Sites | CMS | html! www.gstatic.com/_/atari
One.com Website Builder | CMS | html! onewebstatic.com
Homepage-Baukasten | CMS | html! homepage-baukasten.de | html! img.webme.com
Neos CMS | CMS | html! data-neos- | meta:generator neos
Contao | CMS | meta:generator contao
TYPO3 CMS | CMS | html! typo3conf/ext/ | html! typo3temp/assets | html This website is powered by TYPO3
Shopify | Ecommerce | html cdn.shopify.com/s/files | html! Shopify.theme | html! shopify-digital-wallet
Shopify | Ecommerce | header:x-shopid
WooCommerce | Ecommerce | html! plugins/woocommerce/ | html! woocommerce-page
PrestaShop | Ecommerce | html! var prestashop = | meta:generator prestashop | html /modules/ps_
Shopware | Ecommerce | html! /bundles/storefront/ | html! themes/frontend/responsive
Shopware | Ecommerce | html! window.salesChannelId
JTL Shop | Ecommerce | html! jtl_token | html jtl-shop | cookie:jtlshop
Gambio | Ecommerce | html! gm_javascript.js.php | html! gambio_ | cookie:gxid
Ecwid | Ecommerce | script! app.ecwid.com
Magento | Ecommerce | html! mage/cookies | html! text/x-magento-init | cookie:mage-cache-storage
Calendly | Appointment scheduling | script assets.calendly.com | html calendly-inline-widget
Calendly | Appointment scheduling | link calendly.com/
Doctolib | Appointment scheduling | link doctolib.de/ | link doctolib.fr/ | link doctolib.it/
Doctolib | Appointment scheduling | html doctolib.net
Jameda | Appointment scheduling | script platform.docplanner.com | link jameda.de/ | html zl-url
Acuity Scheduling | Appointment scheduling | link acuityscheduling.com | script embed.acuityscheduling.com
SimplyBook.me | Appointment scheduling | link simplybook.me | link simplybook.it | script widget.simplybook
Setmore | Appointment scheduling | link setmore.com/ | script storage.googleapis.com/fullintegration
Treatwell | Appointment scheduling | link treatwell. | link salonized.com
Shore | Appointment scheduling | script connect.shore.com | link connect.shore.com
Timify | Appointment scheduling | script widget.timify.com | link timify.com/
Booksy | Appointment scheduling | script booksy.com/widget | link booksy.com/
Fresha | Appointment scheduling | link fresha.com/
Square Appointments | Appointment scheduling | link squareup.com/appointments | link book.squareup.com
Eversports | Appointment scheduling | link eversports. | script eversports.
Mindbody | Appointment scheduling | script widgets.mindbodyonline.com | link mindbodyonline.com
Microsoft Bookings | Appointment scheduling | link outlook.office365.com/owa/calendar
Microsoft Bookings | Appointment scheduling | link outlook.office365.com/book
OpenTable | Reservations & delivery | script opentable.com/widget | link opentable.
Resy | Reservations & delivery | script widgets.resy.com | link resy.com/cities
Thefork | Reservations & delivery | link thefork. | link lafourchette.com | script module.lafourchette.com
Quandoo | Reservations & delivery | link quandoo. | script booking-widget.quandoo
resmio | Reservations & delivery | script static.resmio.com | link resmio.com | link app.resmio.com
SevenRooms | Reservations & delivery | link sevenrooms.com | script sevenrooms.com
Lieferando | Reservations & delivery | link lieferando.de | link takeaway.com
Uber Eats | Reservations & delivery | link ubereats.com/
DoorDash | Reservations & delivery | link doordash.com/store
Booking.com | Reservations & delivery | link booking.com/hotel | script booking.com/static/affiliate
Intercom | Live chat | script widget.intercom.io | inline widget.intercom.io | html intercomSettings
Tawk.to | Live chat | html embed.tawk.to
Drift | Live chat | html js.driftt.com
HubSpot | Marketing automation, CRM | script js.hs-scripts.com | script js.hsforms.net
HubSpot | Marketing automation, CRM | html js.hs-analytics.net
Crisp Live Chat | Live chat | html client.crisp.chat
Tidio | Live chat | html code.tidio.co
LiveChat | Live chat | html cdn.livechatinc.com
Zendesk Chat | Live chat | html static.zdassets.com/ekr | html v2.zopim.com
UserLike | Live chat | html userlike-cdn-widgets
Smartsupp | Live chat | html smartsuppchat.com
WhatsApp Business Chat | Live chat | link wa.me/ | link api.whatsapp.com/send
Google Analytics | Analytics | html google-analytics.com/ | html googletagmanager.com/gtag/js?id=G-
Google Analytics | Analytics | html gtag/js?id=UA-
Google Tag Manager | Tag managers | html googletagmanager.com/gtm.js | html googletagmanager.com/ns.html
Matomo Analytics | Analytics | html matomo.js | html piwik.js | html matomo.php
Plausible | Analytics | script plausible.io/js
Fathom | Analytics | script cdn.usefathom.com
Hotjar | Analytics | html static.hotjar.com
Microsoft Clarity | Analytics | html clarity.ms/tag
etracker | Analytics | html code.etracker.com
Jetpack | WordPress plugins, Analytics | script stats.wp.com
Facebook Pixel | Analytics, Advertising | html connect.facebook.net/en_US/fbevents.js | html fbevents.js
Facebook Pixel | Analytics, Advertising | html facebook.com/tr?id=
Google Ads | Advertising | html googleadservices.com/pagead/conversion | html gtag/js?id=AW-
Google AdSense | Advertising | html pagead2.googlesyndication.com/pagead/js/adsbygoogle
Linkedin Insight Tag | Advertising, Analytics | html snap.licdn.com
TikTok Pixel | Advertising, Analytics | html analytics.tiktok.com
Microsoft Advertising | Advertising | html bat.bing.com
Pinterest Tag | Advertising | html s.pinimg.com/ct
Cookiebot | Cookie compliance | html consent.cookiebot.com
Usercentrics | Cookie compliance | html app.usercentrics.eu | html usercentrics-cmp
Usercentrics | Cookie compliance | html web.cmp.usercentrics.eu
Borlabs Cookie | Cookie compliance | html borlabs-cookie | html BorlabsCookieBox
OneTrust | Cookie compliance | html cdn.cookielaw.org | html otSDKStub
Complianz | Cookie compliance | html complianz-gdpr | html cmplz-
CookieYes | Cookie compliance | html cdn-cookieyes.com | html cookie-law-info
Real Cookie Banner | Cookie compliance | html real-cookie-banner
iubenda | Cookie compliance | html cdn.iubenda.com | html iubenda.com/privacy-policy
consentmanager | Cookie compliance | html consentmanager.net
Klaro | Cookie compliance | script klaro.js | html klaroConfig
Osano | Cookie compliance | html cmp.osano.com | html cookieconsent.min.js
Axeptio | Cookie compliance | html static.axept.io
tarteaucitron.js | Cookie compliance | html tarteaucitron.js
MailChimp | Marketing automation, Email | html list-manage.com/subscribe | html chimpstatic.com
MailChimp | Marketing automation, Email | html mc_embed_signup
Brevo | Marketing automation, Email | html sibforms.com | html sibautomation.com
CleverReach | Marketing automation, Email | html cleverreach.com/f/
rapidmail | Marketing automation, Email | html emailsys1a.net | html emailsys2a.net
Klaviyo | Marketing automation, Email | html static.klaviyo.com
ActiveCampaign | Marketing automation, Email | html activehosted.com
MailerLite | Marketing automation, Email | html static.mailerlite.com | html assets.mailerlite.com
Newsletter2Go | Marketing automation, Email | html static.newsletter2go.com
Stripe | Payment processors | html js.stripe.com
PayPal | Payment processors | html paypal.com/sdk/js | html paypalobjects.com | link paypal.me/
PayPal | Payment processors | html paypal.com/donate
Klarna | Payment processors, Buy now pay later | html klarnaservices.com | html klarna.com/web-sdk
SumUp | Payment processors | link pay.sumup.com | html gateway.sumup.com
Trustpilot | Reviews | html widget.trustpilot.com
ProvenExpert | Reviews | html provenexpert.com
Trusted Shops | Reviews | html widgets.trustedshops.com | html integrations.etrusted.com
Elementor | Page builders | meta:generator Elementor
Elfsight | Widgets | html static.elfsight.com | html elfsight-app
POWR | Widgets | html powr.io/powr.js
Jotform | Surveys | html form.jotform.com | script jotfor.ms
Typeform | Surveys | html embed.typeform.com | link typeform.com/to/
Google Forms | Surveys | link docs.google.com/forms | html docs.google.com/forms
reCAPTCHA | Security | html google.com/recaptcha | html gstatic.com/recaptcha
Friendly Captcha | Security | html friendly-challenge | html frc-captcha
hCaptcha | Security | html hcaptcha.com/1/api.js
Google Maps | Maps | html maps.googleapis.com/maps | html google.com/maps/embed
OpenStreetMap | Maps | html openstreetmap.org/export | html tile.openstreetmap.org
Personio | Recruitment & staffing | link jobs.personio.de | link jobs.personio.com
Netlify | PaaS | header:x-nf-request-id | header:server Netlify
Vercel | PaaS | header:x-vercel-id | header:server Vercel
GitHub Pages | PaaS | header:x-github-request-id | header:server GitHub.com
WP Engine | PaaS | header:x-powered-by WP Engine | header:wpe-backend
Kinsta | PaaS | header:x-kinsta-cache
Hostinger | Hosting | header:platform hostinger | header:x-powered-by Hostinger
Cloudflare | CDN | header:cf-ray | header:server cloudflare
Amazon CloudFront | CDN | header:x-amz-cf-id
Fastly | CDN | header:x-served-by cache- | header:x-fastly-request-id
"""

_FIELDS = {
    "html": "html",
    "script": "scriptSrc",
    "inline": "scripts",
    "link": "link",
    "meta": "meta",
    "header": "headers",
    "cookie": "cookies",
}


# Makers write their version behind their name.
_VERSION_BEHIND = r"(?:[ /v]+(\d+(?:\.\d+)*))?\;version:\1"


def lead_fingerprints() -> dict[str, dict[str, Any]]:
    """The table in the shape of the vendored fingerprints."""
    entries: dict[str, dict[str, Any]] = {}
    for line in _TABLE.strip().splitlines():
        name, categories, *signs = (part.strip() for part in line.split(" | "))
        entry = entries.setdefault(name, {"cats": categories.split(", ")})
        for sign in signs:
            _add_sign(entry, sign)
    return entries


def _add_sign(entry: dict[str, Any], sign: str) -> None:
    place, _, text = sign.partition(" ")
    place, _, key = place.partition(":")
    pattern = re.escape(text) + ("\\;strong:1" if place.endswith("!") else "")
    if key:
        pattern += _VERSION_BEHIND if place == "meta" else ""
        keyed = entry.setdefault(_FIELDS[place], {})
        keyed.setdefault(key, []).append(pattern)
    else:
        entry.setdefault(_FIELDS[place.rstrip("!")], []).append(pattern)
