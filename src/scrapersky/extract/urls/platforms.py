"""Platforms where businesses have a page instead of a domain."""

from __future__ import annotations

import re

# Brands with a website in many countries: the label decides, under .com and the country endings.
_BRANDS = frozenset(
    """
    airbnb amazon blablacar deliveroo doctolib ebay etsy eventbrite expedia facebook foodpanda
    foursquare fresha glassdoor glovoapp google groupon gumtree holidaycheck houzz indeed instagram
    just-eat justeat kununu leboncoin lieferando linkedin marktplaats mercadolibre mercadolivre olx
    opentable pinterest quandoo shopee skyscanner thefork thuisbezorgd treatwell tripadvisor trivago
    trustpilot twitter ubereats yandex yellowpages yelp youtube zomato
    """.split()  # noqa: SIM905  A list of fifty quoted words is harder to read and to extend.
)
_BRAND_ENDING = re.compile(r"(?:com|(?:com?\.)?[a-z]{2})")

_ENTRIES = """
facebook: facebook.com fb.com fb.me m.me fb.watch
instagram: instagram.com instagr.am
threads: threads.net threads.com
twitter: twitter.com x.com t.co
linkedin: linkedin.com lnkd.in
youtube: youtube.com youtu.be youtube-nocookie.com
tiktok: tiktok.com
snapchat: snapchat.com
pinterest: pinterest.com pin.it
whatsapp: whatsapp.com wa.me wa.link
telegram: t.me telegram.me telegram.org telegram.dog
signal: signal.me signal.group
viber: viber.com
line: line.me lin.ee
wechat: wechat.com
weibo: weibo.com weibo.cn
xiaohongshu: xiaohongshu.com
bilibili: bilibili.com
douyin: douyin.com
zhihu: zhihu.com
vk: vk.com vkontakte.ru vk.ru
odnoklassniki: ok.ru
xing: xing.com
reddit: reddit.com redd.it
quora: quora.com
discord: discord.com discord.gg
twitch: twitch.tv
vimeo: vimeo.com
soundcloud: soundcloud.com
spotify: spotify.com
bandcamp: bandcamp.com
mixcloud: mixcloud.com
flickr: flickr.com flic.kr
behance: behance.net
dribbble: dribbble.com
deviantart: deviantart.com
medium: medium.com
substack: substack.com
tumblr: tumblr.com
patreon: patreon.com
kofi: ko-fi.com
bluesky: bsky.app
mastodon: mastodon.social
github: github.com
gitlab: gitlab.com
bitbucket: bitbucket.org
stackoverflow: stackoverflow.com
producthunt: producthunt.com
crunchbase: crunchbase.com
wikipedia: wikipedia.org
wikidata: wikidata.org
linktree: linktr.ee
beacons: beacons.ai
biolink: bio.link lnk.bio bio.site
milkshake: msha.ke
taplink: taplink.cc taplink.at
campsite: campsite.bio
aboutme: about.me
solo: solo.to
allmylinks: allmylinks.com
google: goo.gl g.page g.co business.google
apple: apple.com apple.co
waze: waze.com
openstreetmap: openstreetmap.org
bitly: bit.ly bitly.com
shortener: tinyurl.com ow.ly is.gd buff.ly cutt.ly rebrand.ly rb.gy
calendly: calendly.com
booksy: booksy.com
vagaro: vagaro.com
mindbody: mindbodyonline.com
setmore: setmore.com
doordash: doordash.com
grubhub: grubhub.com
seamless: seamless.com
toasttab: toasttab.com
chownow: chownow.com
slice: slicelife.com
vrbo: vrbo.com
hostelworld: hostelworld.com
agoda: agoda.com
jameda: jameda.de
gelbeseiten: gelbeseiten.de
dasoertliche: dasoertliche.de
golocal: golocal.de
provenexpert: provenexpert.com
herold: herold.at
localch: local.ch
pagesjaunes: pagesjaunes.fr
planity: planity.com
lafourchette: lafourchette.com
paginegialle: paginegialle.it
paginasamarillas: paginasamarillas.es
treatwell: treatwell.com
goldenpages: goldenpages.ie goldenpages.be
yellow: yellow.co.nz yellow.pl
bbb: bbb.org
angi: angi.com angieslist.com
thumbtack: thumbtack.com
nextdoor: nextdoor.com
checkatrade: checkatrade.com
healthgrades: healthgrades.com
zocdoc: zocdoc.com
avvo: avvo.com
homeadvisor: homeadvisor.com
justdial: justdial.com
indiamart: indiamart.com
alibaba: alibaba.com aliexpress.com
gofundme: gofundme.com
issuu: issuu.com
dropbox: dropbox.com
canva: canva.com
typeform: typeform.com
notion: notion.so
booking: booking.com
hotels: hotels.com
takeaway: takeaway.com
resy: resy.com
yell: yell.com
bing: bing.com
kayak: kayak.com
meetup: meetup.com
wolt: wolt.com
"""

_DOMAINS: dict[str, str] = {
    domain: network.strip()
    for line in _ENTRIES.strip().splitlines()
    for network, _, domains in [line.partition(":")]
    for domain in domains.split()
}


def platform_of(registrable: str) -> str:
    """The platform that owns a registrable domain, or an empty string."""
    if named := _DOMAINS.get(registrable):
        return named
    label, _, ending = registrable.partition(".")
    return label if label in _BRANDS and _BRAND_ENDING.fullmatch(ending) else ""
