"""Disposable mail domains, and misspellings of large providers."""

from __future__ import annotations

import re
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DISPOSABLE = _words(
    """
    0-mail.com 10mail.org 10minutemail.com 10minutemail.net 10minutemail.org 10minutesmail.com
    1secmail.com 1secmail.net 1secmail.org 20minutemail.com 20minutemail.it 30minutemail.com 33mail.com
    5mail.cf 6mail.cf anonbox.net anonymbox.com antichef.com armyspy.com binkmail.com bobmail.info
    bouncr.com boximail.com bugmenot.com burnermail.io byom.de chacuo.net crazymailing.com cuvox.de
    dayrep.com deadaddress.com despam.it despammed.com discard.email discardmail.com discardmail.de
    dispomail.eu disposableaddress.com disposableinbox.com disposablemail.com dispostable.com
    dodgeit.com dodgit.com dontreg.com dontsendmespam.de drdrb.com dropmail.me e4ward.com
    easytrashmail.com einmalmail.de einrot.com emailfake.com emailondeck.com emailsensei.com
    emailtemporanea.com emailtemporanea.net emailtemporario.com.br emailwarden.com emltmp.com
    ephemail.net etranquil.com evopo.com fakeinbox.com fakeinformation.com fakemail.fr fakemail.net
    fakemailgenerator.com fastmazda.com filzmail.com fleckens.hu fliphost.net fudgerub.com
    garliclife.com get1mail.com get2mail.fr getairmail.com getmails.eu getnada.com getonemail.com
    gishpuppy.com grr.la guerillamail.biz guerillamail.com guerillamail.de guerillamail.info
    guerillamail.net guerillamail.org guerrillamail.biz guerrillamail.com guerrillamail.de
    guerrillamail.info guerrillamail.net guerrillamail.org guerrillamailblock.com gustr.com h8s.org
    haltospam.com harakirimail.com hidemail.de hidzz.com hmamail.com hulapla.de ieatspam.eu
    ihateyoualot.info imails.info inboxalias.com inboxbear.com inboxclean.com inboxclean.org
    inboxkitten.com incognitomail.com incognitomail.net incognitomail.org insorg-mail.info
    instant-mail.de instantemailaddress.com jetable.com jetable.fr.nf jetable.net jetable.org jnxjn.com
    jourrapide.com kasmail.com killmail.com killmail.net klzlk.com kurzepost.de lackmail.net
    letthemeatspam.com lhsdv.com linshiyouxiang.net litedrop.com loadby.us lookugly.com lroid.com
    luxusmail.org mail-temp.com mail-temporaire.fr mail.tm mail114.net mail2rss.org mailbidon.com
    mailblocks.com mailcatch.com maildrop.cc maildu.de maileater.com mailexpire.com mailfa.tk
    mailforspam.com mailfreeonline.com mailguard.me mailhazard.com mailimate.com mailin8r.com
    mailinater.com mailinator.com mailinator.net mailinator.org mailinator2.com mailincubator.com
    mailismagic.com mailme.ir mailme.lv mailmetrash.com mailmoat.com mailna.co mailnator.com
    mailnesia.com mailnull.com mailorg.org mailpick.biz mailpoof.com mailsac.com mailscrap.com
    mailshell.com mailsiphon.com mailslite.com mailtemp.info mailtemporal.com mailtothis.com
    mailzilla.com mailzilla.org mbx.cc meltmail.com messagebeamer.de mezimages.net mierdamail.com
    mintemail.com minuteinbox.com moakt.cc moakt.co moakt.com moakt.ws mohmal.com mohmal.im mohmal.in
    mohmal.tech moncourrier.fr.nf monemail.fr.nf monmail.fr.nf mt2009.com mt2014.com mt2015.com
    muellemail.com muellmail.com mvrht.com my10minutemail.com mynetstore.de mypartyclip.de
    myphantomemail.com mytemp.email mytempemail.com mytempmail.com mytrashmail.com nada.email nada.ltd
    nepwk.com nervmich.net nervtmich.net netmails.com netmails.net netzidiot.de neverbox.com nmail.cf
    no-spam.ws noclickemail.com nogmailspam.info nomail.xl.cx nomail2me.com nomorespamemails.com
    nospam.ze.tc nospam4.us nospamfor.us nospammail.net notmailinator.com nowmymail.com nurfuerspam.de
    objectmail.com obobbo.com odaymail.com one-time.email oneoffemail.com onewaymail.com opayq.com
    ordinaryamerican.net owlpic.com pancakemail.com pjjkp.com plexolan.de pokemail.net politikerclub.de
    pookmail.com privatdemail.net proxymail.eu prtnx.com punkass.com putthisinyourspamdatabase.com
    quickinbox.com rcpt.at receiveee.com recode.me recursor.net regbypass.com rhyta.com rmqkr.net
    rppkn.com rtrtr.com s0ny.net safersignup.de safetymail.info safetypost.de sendspamhere.com
    sharklasers.com shieldemail.com shiftmail.com shortmail.net skeefmail.com slaskpost.se slopsbox.com
    smailpro.com smashmail.de smellfear.com snakemail.com sneakemail.com sofimail.com sofort-mail.de
    sogetthis.com soodonims.com spam.la spam.su spam4.me spamail.de spamavert.com spambob.com
    spambob.net spambob.org spambog.com spambog.de spambog.ru spambox.info spambox.us spamcannon.com
    spamcero.com spamcon.org spamcorptastic.com spamcowboy.com spamday.com spamdecoy.net spamex.com
    spamfree24.com spamfree24.de spamfree24.eu spamfree24.info spamfree24.net spamfree24.org
    spamgourmet.com spamgourmet.net spamgourmet.org spamherelots.com spamhole.com spamify.com spaml.com
    spaml.de spammotel.com spamobox.com spamslicer.com spamspot.com spamthis.co.uk spamtroll.net
    speed.1s.fr spoofmail.de stuffmail.de super-auswahl.de supergreatmail.com superrito.com
    superstachel.de suremail.info tafmail.com talkinator.com teewars.org teleworm.com teleworm.us
    temp-mail.com temp-mail.de temp-mail.io temp-mail.org temp-mail.ru tempail.com tempalias.com
    tempe-mail.com tempemail.biz tempemail.co.za tempemail.com tempemail.net tempinbox.co.uk
    tempinbox.com tempmail.de tempmail.dev tempmail.eu tempmail.io tempmail.it tempmail.net
    tempmail.plus tempmailaddress.com tempmailer.com tempmailer.de tempmailo.com tempomail.fr
    temporarily.de temporaryemail.net temporaryemail.us temporaryforwarding.com temporaryinbox.com
    temporarymailaddress.com tempr.email tempthe.net thankyou2010.com thisisnotmyrealemail.com
    throam.com throwam.com throwawayemailaddress.com throwawaymail.com tilien.com tmail.ws
    tmailinator.com tmpmail.net tmpmail.org topranklist.de tradermail.info trash-amil.com trash-mail.at
    trash-mail.com trash-mail.de trash-mail.ga trash-me.com trash2009.com trashdevil.com trashdevil.de
    trashemail.de trashinbox.com trashmail.at trashmail.com trashmail.de trashmail.io trashmail.me
    trashmail.net trashmail.org trashmail.ws trashmailer.com trashymail.com trashymail.net trbvm.com
    trialmail.de trillianpro.com tyldd.com uggsrock.com uroid.com vermutlich.net veryrealemail.com
    viditag.com vomoto.com wegwerf-email.de wegwerf-emails.de wegwerfadresse.de wegwerfemail.com
    wegwerfemail.de wegwerfmail.de wegwerfmail.info wegwerfmail.net wegwerfmail.org wh4f.org whyspam.me
    willhackforfood.biz willselfdestruct.com winemaven.info wronghead.com wuzup.net wuzupmail.net
    xagloo.com xemaps.com xents.com xmaily.com xoxy.net yapped.net yep.it yogamaven.com yopmail.com
    yopmail.fr yopmail.net yourtempmail.com ypmail.webarnak.fr.eu.org yuurok.com zehnminutenmail.de
    zippymail.info zoaxe.com zoemail.org
    """
)
_DISPOSABLE_WORDS = re.compile(
    r"(?:^|[.\-])(?:temp-?mail|trash-?mail|throwaway-?mail|disposable-?mail|wegwerf-?(?:e?mail|adresse)|"
    r"(?:10|20|30)-?minute(?:s)?-?mail|mailinator|guerr?illa-?mail|yopmail)(?:[.\-]|$)"
)

PROVIDERS = (
    "gmail.com", "googlemail.com", "hotmail.com", "outlook.com", "yahoo.com", "icloud.com", "live.com",
    "hotmail.fr", "hotmail.it", "hotmail.es", "hotmail.de", "hotmail.co.uk", "yahoo.fr", "yahoo.de",
    "yahoo.it", "yahoo.es", "yahoo.co.uk", "yahoo.com.br", "outlook.fr", "outlook.de", "protonmail.com",
    "gmx.de", "gmx.net", "web.de", "t-online.de", "freenet.de", "orange.fr", "wanadoo.fr",
    "laposte.net", "free.fr", "libero.it", "virgilio.it", "btinternet.com", "comcast.net",
    "verizon.net", "bigpond.com", "seznam.cz", "mail.ru", "yandex.ru", "bluewin.ch", "telenet.be",
    "skynet.be", "ziggo.nl", "uol.com.br", "terra.com.br", "wp.pl",
)  # fmt: skip
# Real domains that lie one letter from a provider.
_REAL = _words(
    """
    aol.com email.com fmail.com free.de free.it gail.com gmx.at gmx.ch gmx.com gmx.es gmx.eu gmx.fr
    gmx.org hotmail.be hotmail.ca hotmail.ch hotmail.com.ar hotmail.com.br hotmail.dk hotmail.fi
    hotmail.gr hotmail.nl hotmail.no hotmail.se live.ca live.co.uk live.com.au live.de live.fr live.it
    live.nl mac.com mail.be mail.bg mail.com mail.de mail.dk me.com msn.com o2.pl op.pl orange.be
    orange.es orange.net outlook.be outlook.com.br outlook.es outlook.it outlook.pt pm.me skynet.de
    telenet.de tp.pl vp.pl web.at web.com web.cz web.nl wp.com wp.eu yahoo.at yahoo.ca yahoo.co.in
    yahoo.co.jp yahoo.com.ar yahoo.com.au yahoo.com.mx yahoo.dk yahoo.gr yahoo.in yahoo.no yahoo.pl
    yahoo.ro yahoo.se ymail.com
    """
)


@lru_cache(maxsize=4_096)
def is_disposable(domain: str) -> bool:
    """Whether addresses of the domain, or of one above it, are made to be thrown away."""
    parts = domain.split(".")
    above = {".".join(parts[start:]) for start in range(len(parts) - 1)}
    return bool(above & DISPOSABLE) or _DISPOSABLE_WORDS.search(domain) is not None


@lru_cache(maxsize=4_096)
def suggest_domain(domain: str) -> str | None:
    """The big provider that was probably meant by a misspelt domain; None for a domain that is none."""
    if domain in PROVIDERS or domain in _REAL or len(domain) < 5:
        return None
    near = [provider for provider in PROVIDERS if _is_near(domain, provider)]
    return (
        min(near, key=lambda provider: (abs(len(provider) - len(domain)), PROVIDERS.index(provider)))
        if near
        else None
    )


def _is_near(domain: str, provider: str) -> bool:
    """One slip of the finger away: a letter added, lost, changed or swapped with its neighbour.

    In short names a changed letter makes another real name, so only long ones are compared so.
    """
    longest = max(len(domain), len(provider))
    if abs(len(domain) - len(provider)) > 1 or domain[0] != provider[0]:
        return False
    name, _, end = domain.partition(".")
    other_name, _, other_end = provider.partition(".")
    if name == other_name:
        return end in _END_SLIPS.get(other_end, ())
    return end == other_end and longest >= 9 and len(other_name) >= 5 and _slips(name, other_name) == 1


_END_SLIPS = {
    "com": ("con", "cmo", "ocm", "comm", "vom", "xom", "cm", "om", "coml", "cim", "cpm"),
    "de": ("ed",),
    "net": ("nett", "ner", "met", "nt"),
    "co.uk": ("co.k", "cou.k", "couk"),
}


def _slips(word: str, other: str) -> int:
    """The distance of Damerau and Levenshtein between two short words."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, 1):
        line = [row]
        for column, against in enumerate(other, 1):
            best = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != against))
            is_swap = row > 1 and column > 1 and letter == other[column - 2] and word[row - 2] == against
            line.append(min(best, before[column - 2] + 1) if is_swap else best)
        before, last = last, line
    return last[-1]
