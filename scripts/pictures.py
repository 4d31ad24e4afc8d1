"""Takes the pictures of the README from the demo data: the overview and lists, light and dark."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
SIZE = {"width": 1440, "height": 860}
# Name and address of each picture; the contact is the first of the list.
PAGES = {
    "overview": "/?period=1h",
    "pages": "/pages?page_curation_status=New",
    "contact": "/contacts?email_type=person&q=.",
}
# What somebody has decided before the pictures are taken; nothing that queues work.
DECISIONS = (
    ("pages", "page_type=product", "Rejected"),
    ("pages", "page_type=blog", "Archived"),
    ("pages", "page_type=services_root", "Maybe"),
    ("contacts", "email_type=role", "Maybe"),
)
BUSINESSES = "60"


def main() -> int:
    if CHROMIUM is None:
        print("Pictures need a browser: apt-get install chromium", file=sys.stderr)
        return 1
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pictures-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        environment = {**os.environ, "DATA_FOLDER": str(folder), "LOG_LEVEL": "ERROR"}
        output = str(folder / "contacts.csv")
        _run("demo", "--size", BUSINESSES, "--quiet", "-o", output, env=environment)
        environment["DATA_FOLDER"] = str(folder / "demo")
        environment["PORT"] = port = str(_free_port())
        server = subprocess.Popen([sys.executable, "-m", "scrapersky", "up"], env=environment)
        try:
            _wait(f"http://127.0.0.1:{port}/health/ready")
            _take(f"http://127.0.0.1:{port}")
        finally:
            server.terminate()
            server.wait()
    print(f"Written to {FOLDER.relative_to(ROOT)}")
    return 0


def _run(*arguments: str, env: dict[str, str]) -> None:
    subprocess.run([sys.executable, "-m", "scrapersky", *arguments], env=env, check=True, cwd=ROOT)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{url} does not answer")


def _take(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for path, query, decision in DECISIONS:
            form = {"query": query, "all": "1", "decision": decision, "confirmed": "1"}
            browser.new_page().request.post(
                f"{address}/{path}/decisions",
                form=form,
                headers={"Origin": address},
                fail_on_status_code=True,
            )
        for theme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
            for name, path in PAGES.items():
                _picture(page, address + path, FOLDER / f"{name}-{theme}.png")
        browser.close()


def _picture(page: Page, url: str, path: Path) -> None:
    page.goto(url)
    if path.stem.startswith("contact"):
        page.locator("#rows tbody a.first").first.click()
        page.locator("h1").wait_for()
    else:
        page.locator("#live[data-state=on]").wait_for()
    page.screenshot(path=str(path))


if __name__ == "__main__":
    sys.exit(main())
