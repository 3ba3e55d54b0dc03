"""Take the pictures of the page in docs/: python scripts/screenshots.py [MODEL] [--domain NAME].

Those of a database: make the shop of examples/database in an empty folder, then run there
``python .../screenshots.py --domain shop --name database --question "..."``.

Starts `partwise serve` on a saved parser, and Chromium (Debian's chromium and chromium-driver).
"""

from __future__ import annotations

import argparse
import base64
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from PIL import Image
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

DOCS = Path(__file__).resolve().parent.parent / "docs" / "pictures"
QUESTION = "which states border the state with the largest capital ?"
PICTURES = (("light", 960, "light"), ("dark", 960, "dark"), ("phone", 360, "light"))
"""End of the file's name, width of the window in pixels, colours."""


@contextmanager
def server(model: str | None, domain: str | None) -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    command = [sys.executable, "-m", "partwise", "serve", "--port", "0"]
    command += ["--model", model] if model else []
    command += ["--domain", domain] if domain else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline().split()
            if not said:
                raise SystemExit("the server did not start")
            yield next(word for word in said if word.startswith("http://"))
        finally:
            process.terminate()


@contextmanager
def browser(profile: str) -> Iterator[webdriver.Chrome]:
    """Chromium without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars"):
        options.add_argument(f"--{flag}")
    for flag in ("disable-quic", "no-first-run", "disable-background-networking"):
        options.add_argument(f"--{flag}")
    for flag in ("disable-component-update", "disable-sync", f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    found = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    try:
        yield found
    finally:
        found.quit()


def take(driver: webdriver.Chrome, url: str, file: Path, width: int, colours: str) -> None:
    """One picture of the whole page."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": colours}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    driver.get("about:blank")
    driver.get(url)
    there = "return document.querySelector('#drawing svg, #drawing ul') !== null"
    WebDriverWait(driver, 30).until(lambda one: one.execute_script(there))
    height = driver.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
    wanted = {"format": "png", "captureBeyondViewport": True, "clip": clip}
    found = driver.execute_cdp_cmd("Page.captureScreenshot", wanted)
    picture = Image.open(io.BytesIO(base64.b64decode(found["data"]))).convert("RGB")
    # A palette makes a small file that looks the same.
    picture.quantize(256).save(file, optimize=True)
    print(f"{file}: {file.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Take all pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("model", nargs="?")
    options.add_argument("--domain")
    options.add_argument("--question", default=QUESTION)
    options.add_argument("--name", default="serve", help="how the files' names begin")
    options.add_argument("--out", type=Path, default=DOCS)
    given = options.parse_args()
    with (
        server(given.model, given.domain) as url,
        tempfile.TemporaryDirectory() as profile,
        browser(profile) as driver,
    ):
        for end, width, colours in PICTURES:
            file = given.out / f"{given.name}-{end}.png"
            take(driver, f"{url}/#{quote(given.question)}", file, width, colours)


if __name__ == "__main__":
    main()
