"""Text of hostile pages in every field that a page of the console shows: nothing of it may run (B15)."""

from __future__ import annotations

from typing import Any

import pytest
from console_world import add_work_of_people, fill
from playwright.async_api import Dialog
from sqlalchemy.ext.asyncio import AsyncEngine
from test_every_page import LISTS, paths

pytestmark = pytest.mark.browser

RUN = "window.__ran=1"
HANDLERS = (
    "onerror",
    "onload",
    "onclick",
    "onfocus",
    "onmouseover",
    "onanimationstart",
    "ontoggle",
    "onbegin",
)
TAGS = ("img src=x", "svg", "body", "input autofocus", "details open", "video src=x", "iframe", "marquee")
OTHERS = (
    f"<script>{RUN}</script>",
    f"</title><script>{RUN}</script>",
    f"</textarea><script>{RUN}</script>",
    f"</style><script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f"--><script>{RUN}</script>",
    f'"><script>{RUN}</script>',
    f"'><script>{RUN}</script>",
    f'" onfocus="{RUN}" autofocus="',
    f"' onfocus='{RUN}' autofocus='",
    f"javascript:{RUN}//",
    f'<a href="javascript:{RUN}">x</a>',
    f'<iframe srcdoc="<script>{RUN}</script>"></iframe>',
    f'<object data="data:text/html,<script>{RUN}</script>"></object>',
    f'<embed src="data:text/html,<script>{RUN}</script>">',
    f'<form action="javascript:{RUN}"><button>x</button></form>',
    f'<base href="javascript:{RUN}//">',
    f'<meta http-equiv=refresh content="0;url=javascript:{RUN}">',
    "{{ constructor.constructor('window.__ran=1')() }}",
    "{% raw %}{{ 7 * 7 }}{% endraw %}",
    "${window.__ran=1}",
    "#{window.__ran=1}",
    "<div hx-get=/system hx-trigger=load>x</div>",
    "<hx-partial hx-target=body>x</hx-partial>",
    "<template><script>window.__ran=1</script></template>",
    "<math><mtext></mtext><script>window.__ran=1</script></math>",
    "<svg><animate onbegin=window.__ran=1 attributeName=x dur=1s></svg>",
    "<style>@import 'data:text/css,*{x:expression(window.__ran=1)}'</style>",
    "<link rel=stylesheet href=data:text/css,*{}>",
    "\u2028<script>window.__ran=1</script>\u2029",
    "<scr\u0130pt>window.__ran=1</scr\u0130pt>",
    "&lt;script&gt;window.__ran=1&lt;/script&gt;",
    "<ScRiPt>window.__ran=1</sCrIpT>",
    "<script src=data:text/javascript,window.__ran=1></script>",
    "<button popovertarget=x onclick=window.__ran=1>x</button>",
    "<details ontoggle=window.__ran=1 open>x</details>",
)
PAYLOADS = (*(f"<{tag} {handler}={RUN}>" for tag in TAGS for handler in HANDLERS), *OTHERS)


def test_there_are_a_hundred_payloads() -> None:
    assert len(set(PAYLOADS)) >= 100


async def test_no_payload_runs_on_any_page(
    open_context: Any, watch: Any, console: str, db: AsyncEngine
) -> None:
    dialogs: list[str] = []
    # No maintenance runs here, and the page about the system says so after a while.
    watch.expected.add(503)
    world = await fill(db, businesses=len(PAYLOADS), pages=4, marks=PAYLOADS)
    for payload in PAYLOADS:
        await add_work_of_people(db, world, mark=payload)

    async def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        await dialog.dismiss()

    async with open_context() as context:
        page = await context.new_page()
        page.on("dialog", dismiss)
        for path in (*(f"{name}?limit=200" for name in LISTS), *paths(world)):
            await page.goto(f"{console}/{path}")
            # What the page has queued runs before this answers.
            await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
            assert not await page.evaluate("window.__ran"), path
    assert not dialogs
    # Chromium reports what the policy has blocked; escaped text is not even tried.
    assert not watch.errors, watch.errors
    assert not watch.foreign
