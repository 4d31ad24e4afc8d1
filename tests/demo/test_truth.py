"""The truth says what is really on the served pages, nothing more and nothing less."""

import base64
import codecs
import html
import re
from urllib.parse import unquote

import phonenumbers
import pytest

from scrapersky_demo.draws import Draw
from scrapersky_demo.locales import LOCALES
from scrapersky_demo.sites.obfuscation import OBFUSCATORS, obfuscate

ADDRESS = "anna.muster@flower-shop-demo.co.uk"
SIGNS = {word.strip(" ([)]") for locale in LOCALES for word in locale.at_signs}
DOTS = {word.strip(" ([)]") for locale in LOCALES for word in locale.dot_signs} - {"."}
EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}")


def plain(markup):
    return html.unescape(re.sub(r"<!--.*?-->|<span style=\"display:none\">.*?</span>|<[^>]+>", "", markup))


def uncipher_typo3(token, offset):
    ranges = ("+,-./0123456789:", "@ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
    for letter in html.unescape(token):
        letters = next((letters for letters in ranges if letter in letters), letter)
        yield letters[(letters.index(letter) - offset) % len(letters)]


def uncipher_cloudflare(code):
    key, *rest = bytes.fromhex(code)
    return bytes(byte ^ key for byte in rest).decode()


def unspell(markup):
    at = re.sub(rf"\s*[\[(](?:{'|'.join(SIGNS)})[\])]\s*", "@", markup)
    return re.sub(rf"\s*[\[(](?:{'|'.join(DOTS)})[\])]\s*", ".", at)


def from_data(markup):
    found = dict(re.findall(r'data-(\w+)="([^"]*)"', markup))
    if "email" in found:
        return found["email"]
    return (
        (found.get("user") or found["name"])
        + "@"
        + ".".join(filter(None, (found["domain"], found.get("tld"))))
    )


def from_script(markup):
    known = dict(re.findall(r"var (\w) = '([^']*)'", markup))
    written = re.search(r"document\.write\((.*)\);", markup)[1]
    parts = re.findall(r"'([^']*)'|\b([ud])\b", written)
    return plain(
        "".join(literal or known.get(name, "") for literal, name in parts).split("mailto:")[-1].split('"')[0]
    )


DECODERS = {
    "text": lambda markup: markup.lower(),
    "mailto": lambda markup: re.search(r"mailto:([^?\"]+)", markup)[1].replace("%40", "@"),
    "cloudflare": lambda markup: uncipher_cloudflare(re.search(r'data-cfemail="(\w+)"', markup)[1]),
    "cloudflare-link": lambda markup: uncipher_cloudflare(re.search(r"#(\w+)", markup)[1]),
    "typo3": lambda markup: "".join(
        uncipher_typo3(re.search(r"'(.*)'", unquote(html.unescape(markup)))[1], 1)
    )[7:],
    "typo3-token": lambda markup: "".join(
        uncipher_typo3(re.search(r'token="([^"]+)"', markup)[1], int(re.search(r'vector="(\d)"', markup)[1]))
    )[7:],
    "joomla": lambda markup: html.unescape(
        "".join(re.findall(r"'([^']*)'", "".join(re.findall(r"^(?:var )?addy.*", markup, re.M))))
    ),
    "joomla-tag": lambda markup: base64.b64decode(re.search(r'text="([^"]+)"', markup)[1]).decode(),
    "rot13": lambda markup: codecs.decode(re.search(r"znvygb:([^\\]+)", markup)[1], "rot13"),
    "entities": lambda markup: html.unescape(markup).split("mailto:")[-1].split('"')[0],
    "reversed": lambda markup: plain(markup)[::-1],
    "split-tags": plain,
    "data-attributes": from_data,
    "base64": lambda markup: base64.b64decode(re.search(r'data-email="([^"]+)"', markup)[1]).decode(),
    "script": from_script,
    "brackets": unspell,
    "full-width": lambda markup: markup.replace("\uff20", "@"),
    "zero-width": lambda markup: markup.replace("\u200b", ""),
}


@pytest.mark.parametrize("method", sorted(OBFUSCATORS))
def test_a_hidden_address_can_be_read_back(method):
    for turn in range(60):
        markup = obfuscate(method, ADDRESS, LOCALES[turn % 10], Draw("test", method, turn))

        assert DECODERS[method](markup) == ADDRESS, markup


def test_every_contact_is_on_the_page_that_the_truth_names(world, truth):
    checked = 0
    for domain, known in truth.domains.items():
        if known.outcome != "answers":
            continue
        site = world.site(domain)
        bodies = {path: world.answer(site.plan.served_host, path).body.decode() for path in site.pages}
        for placement in site.composition.placements:
            for path in bodies if placement.everywhere and site.status_of("/") == 200 else [placement.path]:
                if site.status_of(path) == 200:
                    assert placement.markup in bodies[path], (domain, path, placement)
                    checked += 1
    assert checked > 5_000


def test_every_plain_address_on_a_page_is_in_the_truth_or_a_known_trap(world, truth):
    traps = re.compile(r"@[23]x\.(png|jpg)$|sentry\.io$|bootstrap@5")
    for domain, known in list(truth.domains.items())[::3]:
        placeholder = world.site(domain).plan.locale.words["placeholder"]
        told = {contact.value for contact in known.contacts} | {placeholder}
        told |= {codecs.encode(value, "rot13") for value in told} | {value[::-1] for value in told}
        for page in known.pages:
            host, _, path = page.url.removeprefix("http://").partition("/")
            body = html.unescape(world.answer(host, f"/{path}").body.decode())
            for address in set(EMAIL.findall(body)):
                assert address.lower() in told or traps.search(address), (domain, path, address)


def test_every_number_is_valid_and_of_its_country(world):
    for business in world.businesses:
        for line in (business.main_line, business.fax_line, *business.mobile_lines):
            number = phonenumbers.parse(line.national, business.locale.country)
            assert phonenumbers.is_valid_number(number), line
            assert phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164) == line.e164


def test_no_number_and_no_address_belongs_to_two_businesses(world):
    lines = [line.e164 for business in world.businesses for line in (business.main_line, business.fax_line)]

    assert len(lines) == len(set(lines))
    assert not set(lines) & world.boilerplate()


def test_boilerplate_stands_on_several_sites_and_is_false(world, truth):
    shown = [
        contact
        for known in truth.domains.values()
        for contact in known.contacts
        if contact.value in world.boilerplate()
    ]

    assert {contact.standing for contact in shown} == {"false"}
    assert len(shown) > 3 * len({contact.value for contact in shown})


def test_what_robots_txt_closes_is_forbidden_and_not_expected(world, truth):
    closed = [
        known
        for known in truth.domains.values()
        if known.robots == "team-closed" and known.outcome == "answers"
    ]
    people = [person for known in closed for person in known.people if "forbidden" in person.standing]

    assert people
    assert all(not known.values("email", "expected") & {p.email for p in people} for known in closed)


def test_a_host_that_does_not_answer_has_no_expected_contact(truth):
    silent = [known for known in truth.domains.values() if known.outcome != "answers"]

    assert {known.outcome for known in silent} >= {
        "unreachable",
        "failing",
        "parked",
        "closed-by-robots",
        "too-large",
    }
    assert not any(
        known.values(kind, "expected") for known in silent for kind in ("email", "phone", "address")
    )


def test_pages_have_the_status_that_the_truth_says(world, truth):
    for known in truth.domains.values():
        for page in known.pages:
            host, _, path = page.url.removeprefix("http://").partition("/")
            assert world.answer(host, f"/{path}").status == page.status


def test_pages_have_the_sizes_of_real_ones(world, truth):
    sizes = [
        len(world.answer(world.site(domain).plan.served_host, "/").body)
        for domain, known in truth.domains.items()
        if known.outcome == "answers"
    ]

    assert min(sizes) > 8_000
    assert max(sizes) < 60_000


def test_people_are_bound_to_their_addresses(truth):
    people = [person for known in truth.domains.values() for person in known.people if person.email]

    assert len(people) > 100
    assert all(
        person.email.split("@")[0][0] == re.sub("[ÉÅ]", "e", person.name)[0].lower() or person.name[0] in "ÉÅ"
        for person in people
    )


def test_businesses_meet_in_shared_domains_and_platform_pages_are_no_domains(world, truth):
    shared = [known for known in truth.domains.values() if len(known.businesses) == 2]
    platform = [business for business in truth.businesses.values() if business.platform]

    assert shared
    assert platform
    assert not any(business.domain for business in platform)
    assert all(host not in world.domains() for host in ("facebook.com", "www.facebook.com", "linktr.ee"))
