"""Words about mail addresses: roles in many languages, free mail hosts, placeholders, third parties."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROLES = _words(
    """
    info infos information informacion informacje informace informatie informazioni informatica infodesk
    contact contacts contactus contacto contactos contato contatos contatti contattaci kontakt kontakty
    kapcsolat kontakti mail email e-mail mailbox post postmaster poczta posta poststelle hello hallo hola
    ciao bonjour ola hej hei hey office buero buro bureau oficina ufficio kontor biuro kancelar kancelaria
    iroda birou toimisto kontoret sales vendas ventas vendite vente ventes verkauf vertrieb verkoop salg
    forsaljning prodej sprzedaz predaj satis commercial comercial commerciale commerciel export import
    handel support service services servis servizi servicio servicios help helpdesk hilfe ayuda ajuda aide
    assistenza assistance atencion atendimento suporte soporte soport kundenservice kundendienst
    klantenservice kundservice kundeservice asiakaspalvelu obslugahelp bok zakaznik ugyfelszolgalat
    klienti clienti clientes admin administration administracion administracao administracja administrador
    amministrazione verwaltung administrator administrateur root webmaster hostmaster web website webshop
    shop store tienda boutique loja negozio sklep obchod online eshop order orders bestellung bestellungen
    bestelling pedidos ordini zamowienia commande commandes objednavky rendeles rezeption reception
    recepcion recepcao recepce recepcja accueil empfang zentrale secretary secretariat secretaria
    secretaris sekretariat segreteria sekretariatet sekretaerin sekretar titkarsag sekreterare kassor
    kassier kasse tresorier tesoreria skarbnik ordforande vorstand vorsitz vorsitzender president
    presidente presidence direction direccion direzione direccio direktion dyrekcja leitung management
    geschaeftsleitung geschaeftsfuehrung gf ceo cto cfo coo boss chef director direktor board bestyrelse
    styrelsen booking bookings buchung buchungen reservation reservations reservierung reservierungen
    reservas reserva reservasi reserveringen rezerwacje rezervace prenotazioni prenota foglalas rezervari
    rezervasyon termin termine appointment appointments cita citas turnos afspraak events event
    veranstaltungen eventi eventos evenement jobs job career careers karriere bewerbung bewerbungen
    recruiting recruitment rh hr curriculum lavoro empleo trabajo praca emploi recrutement vacatures
    rekrutacja stellen personal personnel press presse prensa imprensa stampa media marketing pr werbung
    newsletter redaktion redaction redaccion redakcja redazione editor editorial news kommunikation
    comunicazione communication comunicacion communications billing invoice invoices rechnung rechnungen
    buchhaltung accounting accounts faktura fakturace factures facturacion fatturazione contabilidad
    contabilita comptabilite boekhouding ksiegowosc ucetni konyveles finance finanzen pagos payments
    privacy datenschutz dataprotection dpo dsb rgpd gdpr dsgvo iod compliance legal recht abuse security
    feedback enquiries enquiry inquiries inquiry request requests anfrage anfragen richieste preventivi
    devis presupuestos orcamento offerte offers quote quotes angebot wycena partner partners reklamation
    reklamationen team equipe equipo crew staff all welcome willkommen welkom bienvenue praxis kanzlei
    notar notaire studio atelier werkstatt workshop galerie gallery museum hotel pension restaurant
    ristorante rezepte apotheke farmacia pharmacie klinik clinic clinica schule school schola escuela
    ecole skola kita kirche church parish parafia parroquia verein club vereniging gemeinde rathaus
    technik tech technical it edv sav facility logistik logistics lager warehouse versand shipping
    transport dispatch einkauf purchasing achats compras acquisti training schulung kurse courses cursos
    formation formazione academy akademie general main central public customer customers customerservice
    customercare care kunden client clients donations donate spenden volunteer members membership
    mitglieder socios soci studiotecnico segreteriadidattica lienhe hotro tuvan kinhdoanh cskh
    """
)

NO_REPLY = re.compile(
    r"(?:no|do-?not|don-?t|nicht|ne-?pas|non?)[._-]?(?:reply|respond|antworten|repondre|rispondere|"
    r"responder)|"
    r"noreply|donotreply|mailer-daemon|bounces?$|unsubscribe"
)

FREE = _words(
    """
    gmail.com googlemail.com yahoo.com ymail.com rocketmail.com hotmail.com outlook.com live.com msn.com
    icloud.com me.com mac.com aol.com aim.com gmx.com gmx.net gmx.de gmx.at gmx.ch gmx.eu gmx.org gmx.fr
    mail.com email.com web.de freenet.de t-online.de arcor.de online.de vodafone.de vodafonemail.de
    kabelmail.de unitymedia.de ewe.net ewetel.net o2online.de onlinehome.de mailbox.org posteo.de
    posteo.net posteo.eu tutanota.com tutanota.de tuta.io tuta.com protonmail.com protonmail.ch proton.me
    pm.me zoho.com zohomail.com fastmail.com fastmail.fm hushmail.com orange.fr wanadoo.fr free.fr
    laposte.net sfr.fr neuf.fr bbox.fr numericable.fr club-internet.fr aliceadsl.fr libero.it virgilio.it
    tin.it alice.it tiscali.it fastwebnet.it inwind.it iol.it email.it teletu.it tim.it pec.it
    legalmail.it arubapec.it postecert.it telefonica.net terra.es ono.com movistar.es euskaltel.net
    sapo.pt clix.pt netcabo.pt uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com r7.com
    oi.com.br yahoo.com.br hotmail.com.br outlook.com.br wp.pl o2.pl onet.pl onet.eu poczta.onet.pl op.pl
    vp.pl interia.pl interia.eu poczta.fm gazeta.pl tlen.pl buziaczek.pl seznam.cz email.cz post.cz
    centrum.cz volny.cz atlas.cz tiscali.cz quick.cz iol.cz azet.sk zoznam.sk centrum.sk post.sk pobox.sk
    freemail.hu citromail.hu t-online.hu indamail.hu upcmail.hu vipmail.hu invitel.hu chello.hu abv.bg
    mail.bg dir.bg yahoo.ro home.ro clicknet.ro otenet.gr hol.gr forthnet.gr in.gr windowslive.com mail.ru
    bk.ru inbox.ru list.ru yandex.ru yandex.com ya.ru rambler.ru ukr.net i.ua meta.ua bigmir.net tut.by
    telia.com telia.se comhem.se bredband.net spray.se home.se tele2.se swipnet.se passagen.se online.no
    broadpark.no getmail.no lyse.net frisurf.no start.no jubii.dk mail.dk mail.tele.dk ofir.dk stofanet.dk
    tdcadsl.dk post.tele.dk youmail.dk kolumbus.fi elisanet.fi luukku.com saunalahti.fi suomi24.fi
    pp.inet.fi ziggo.nl planet.nl kpnmail.nl kpnplanet.nl hetnet.nl home.nl xs4all.nl chello.nl casema.nl
    quicknet.nl upcmail.nl zonnet.nl telfort.nl tele2.nl onsnet.nu skynet.be telenet.be proximus.be
    scarlet.be voo.be pandora.be bluewin.ch sunrise.ch hispeed.ch bluemail.ch gmx.ch swissonline.ch aon.at
    chello.at a1.net utanet.at inode.at drei.at kabsi.at liwest.at btinternet.com btopenworld.com
    btconnect.com sky.com talktalk.net virginmedia.com virgin.net ntlworld.com blueyonder.co.uk
    tiscali.co.uk yahoo.co.uk hotmail.co.uk live.co.uk aol.co.uk tesco.net eircom.net comcast.net
    verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net
    optimum.net roadrunner.com juno.com netzero.net windstream.net frontier.com frontiernet.net rogers.com
    sympatico.ca bell.net shaw.ca telus.net videotron.ca cogeco.ca bigpond.com bigpond.net.au
    optusnet.com.au iinet.net.au tpg.com.au westnet.com.au xtra.co.nz slingshot.co.nz mweb.co.za
    telkomsa.net vodamail.co.za iafrica.com absamail.co.za webmail.co.za rediffmail.com yahoo.co.in
    yahoo.in rediff.com sify.com vsnl.com vsnl.net bsnl.in qq.com 163.com 126.com sina.com sina.cn
    sohu.com yeah.net foxmail.com aliyun.com 139.com naver.com hanmail.net daum.net nate.com docomo.ne.jp
    ezweb.ne.jp softbank.ne.jp nifty.com yahoo.co.jp ybb.ne.jp biglobe.ne.jp so-net.ne.jp ocn.ne.jp
    plala.or.jp hotmail.co.jp hinet.net yahoo.com.tw seed.net.tw pchome.com.tw yahoo.com.vn yahoo.com.ph
    yahoo.com.sg yahoo.co.id yahoo.com.au yahoo.com.ar yahoo.com.mx yahoo.ca hotmail.com.ar live.com.ar
    live.com.mx prodigy.net.mx fibertel.com.ar arnet.com.ar speedy.com.ar walla.co.il walla.com 012.net.il
    bezeqint.net netvision.net.il mynet.com ttmail.com superonline.com orange.sn sentoo.sn
    africaonline.co.ke wananchi.com
    """
)
_FREE_FAMILY = re.compile(
    r"(?:yahoo|hotmail|outlook|live|gmx|msn|windowslive|ymail|rocketmail|aol)\.[a-z]{2,3}(?:\.[a-z]{2})?\Z"
)

_PLACEHOLDER_NAMES = _words(
    """
    example exemple ejemplo exemplo esempio beispiel voorbeeld eksempel exempel przyklad priklad pelda
    esimerkki primer ornek contoh vidu sample test testing dummy demo placeholder domain domaine dominio
    dominium domena mydomain yourdomain your-domain mydomaine votredomaine votresite votre-domaine
    tudominio sudominio seudominio suodominio tuodominio ihredomain ihre-domain deinedomain deine-domain
    meinedomain uwdomein jouwdomein mojadomena twojadomena yoursite your-site mysite yourwebsite
    your-website mywebsite website websitename sitename domainname domain-name yourcompany your-company
    mycompany yourbusiness mybusiness youremail your-email yourmail mymail myemail addresshere company
    companyname firma musterfirma muster mustermann mustermail acme foo bar foobar doe lorem ipsum
    loremipsum abc xyz xxx xxxx yyy provider server host hostname anything something somewhere email
    correo courriel adresse address envato themeforest template templates yourstore yourname
    """
)
_ALWAYS_PLACEHOLDER = _words(
    """
    example yourdomain your-domain yoursite your-site yourcompany your-company yourwebsite your-website
    mydomain my-domain youremail your-email domain mysite musterfirma mustermann
    """
)
_COMMON_ENDS = _words(
    """
    com net org de at ch fr it es pt nl be pl cz sk hu ro eu co co.uk uk com.br com.ar com.mx cl in ru se
    no dk fi io biz info vn jp co.jp gr tr com.tr za co.za us ca com.au au
    """
)
_RESERVED_ENDS = (".example", ".invalid", ".localhost", ".test", ".local")
_PLACEHOLDER_LOCALS = _words(
    """
    your you user username someone somebody nobody abc xyz aaa aaaa asdf foo bar foobar test tester
    testing testuser testmail name nombre nome vorname nachname mustermann exemple example ejemplo exemplo
    esempio beispiel sample demo lorem ipsum usuario utente utilisateur benutzer recipient domain
    emailaddress mailaddress namesurname firstlast firstnamelastname vornamename vornamenachname prenomnom
    imienazwisko johndoe janedoe johnsmith maxmustermann erikamustermann jankowalski jeandupont mariorossi
    """
)
_PATTERN_LOCALS = _words(
    """
    firstnamelastname firstlast namesurname vornamenachname vornamename prenomnom nomprenom nomecognome
    nombreapellido nomesobrenome imienazwisko fornavnetternavn fornamnefternamn voornaamachternaam
    jmenoprijmeni
    """
)
_YOURS = re.compile(
    r"(?:your|my|votre|tu|tua|seu|su|ihre?|deine?|uw|jouw|twoj|vas|din)"
    r"(?:e?-?mail|name|nom|nombre|nome|imie|adresse|correo|courriel|adres|user|username|address|id|"
    r"account|domain)"
    r"|x{3,}|your?\Z"
)
_SHOWN_LOCALS = _words(
    "name you user your my me mail email abc xyz xxx aaa someone example test demo john jane doe"
)
_SHOWN_ROLES = _words("info contact hello support admin sales office mail")
_SHOWN_HOSTS = _words(
    "mail email e-mail domain site website company example abc xyz host server test address business"
)

THIRD_PARTIES = _words(
    """
    sentry.io sentry-next.wixpress.com wixpress.com wix.com wixsite.com wordpress.org wordpress.com w.org
    automattic.com elementor.com envato.com themeforest.net codecanyon.net themeisle.com elegantthemes.com
    woocommerce.com yoast.com wpml.org themegrill.com colorlib.com templatemo.com html5up.net
    bootstrapmade.com creative-tim.com squarespace.com shopify.com weebly.com godaddy.com jimdo.com
    webflow.com hubspot.com mailchimp.com typo3.org joomla.org drupal.org prestashop.com magento.com
    cloudflare.com jquery.com jquery.org fontawesome.com google.com googleapis.com gstatic.com github.com
    githubusercontent.com w3.org schema.org facebook.com twitter.com instagram.com linkedin.com
    youtube.com pinterest.com tiktok.com whatsapp.com telegram.org bugsnag.com newrelic.com rollbar.com
    datadoghq.com raygun.io logrocket.com mozilla.org apple.com microsoft.com iubenda.com cookiebot.com
    onetrust.com usercentrics.com addthis.com sharethis.com disqus.com gravatar.com e-recht24.de
    activemind.de netlify.com netlify.app vercel.com vercel.app heroku.com fonts.com typekit.com
    latofonts.com indiantypefoundry.com astigmatic.com adobe.com monotype.com linotype.com
    """
)
TRACKER = re.compile(r"(?:^|\.)(?:ingest|sentry|bugsnag|rollbar|raygun)\.|(?:^|\.)sentry[.-]|wixpress")
FILE_END = re.compile(
    r"\.(?:png|jpe?g|gif|webp|svg|avif|bmp|ico|tiff?|s?css|m?js|ts|json|xml|html?|php|pdf|zip|woff2?|ttf|"
    r"eot|otf|"
    r"mp[34]|webm|map|min)\Z"
)
_WITHOUT_JOINTS = str.maketrans("", "", "._-")
HASH_LIKE = re.compile(
    r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,}\Z|[0-9a-f]{24,}\Z|"
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f-]{10,}\Z"
)


def is_pattern(local: str) -> bool:
    """Whether the local part only says how a firm forms its addresses."""
    return local.translate(_WITHOUT_JOINTS) in _PATTERN_LOCALS


def is_free(domain: str) -> bool:
    """Whether anybody can have an address at the domain."""
    return domain in FREE or bool(_FREE_FAMILY.match(domain))


def is_placeholder_email(local: str, domain: str) -> bool:
    """Whether the address is one that forms and templates show as an example."""
    name, _, end = domain.removeprefix("www.").partition(".")
    if domain.endswith(_RESERVED_ENDS) or name in _ALWAYS_PLACEHOLDER or ".example." in domain:
        return True
    if name in _PLACEHOLDER_NAMES and end in _COMMON_ENDS:
        return True
    if local in _SHOWN_ROLES and domain == "gmail.com":
        return True
    if name in _SHOWN_HOSTS and (local in _SHOWN_LOCALS or local in _SHOWN_ROLES):
        return True
    if local == name and len(name) <= 4:
        return True
    squeezed = local.translate(_WITHOUT_JOINTS)
    if squeezed == "name" and not is_free(domain):
        return False
    return squeezed in _PLACEHOLDER_LOCALS or bool(_YOURS.match(squeezed))
