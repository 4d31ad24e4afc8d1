"""Which links of a page can lead to a mailbox or a phone."""

from __future__ import annotations

from scrapersky.extract.html.keyword_scan import LinkKeywords

# An address without any of these is neither a mail address nor a number.
_MAIL = ("@", "mailto:", "email-protection#", "javascript:", "znvygb:", "://mail.google.", "://outlook.")
_PHONE = (
    "tel:", "callto:", "sms:", "fax:", "phone:", "skype:", "mobile:", "viber:", "whatsapp", "wa.me",
    " :", "\t:", "\n:", "\xa0:",
)  # fmt: skip
CONTACT_LINKS = LinkKeywords((*_MAIL, *_PHONE))
