"""Take the pictures of the page in docs/: python scripts/docs/screenshots.py [--out FOLDER].

Makes the shop of examples/database in an empty folder, serves it and the shipped parser of
geography by `partwise serve`, and starts Chromium (Debian's chromium and chromium-driver).
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
from typing import NamedTuple
from urllib.parse import quote

from PIL import Image
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parents[2]
DRAWN = "return [...document.querySelectorAll('.vega')].every(one => one.querySelector('svg'))"
CHOOSE = "document.querySelector('{}').click()"


class Picture(NamedTuple):
    """A state of the page: what is served, what is asked, and a script that is run then."""

    name: str
    domain: str
    questions: tuple[str, ...]
    script: str = ""
    width: int = 960
    height: int = 800
    colours: str = "light"


PICTURES = (
    Picture("page-chart", "shop", ("revenue by month",)),
    Picture("page-dark", "shop", ("revenue per category and channel",), colours="dark"),
    Picture("page-back", "shop", ("which product has the most sales?",), height=640),
    Picture("page-phone", "shop", ("revenue per product",), width=360),
    Picture("page-schema", "shop", (), CHOOSE.format("#open-schema")),
    Picture(
        *("page-tree", "geography", ("which states border the state with the largest capital ?",)),
        "scrollTo(0, document.body.scrollHeight)",
    ),
)


@contextmanager
def server(domain: str, folder: Path) -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    command = [sys.executable, "-m", "partwise", "serve", domain, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            words = process.stdout.readline().split()
            if not words:
                raise SystemExit("the server did not start")
            yield next(word for word in words if word.startswith("http://"))
        finally:
            process.terminate()


@contextmanager
def browser(profile: Path) -> Iterator[webdriver.Chrome]:
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


def take(driver: webdriver.Chrome, url: str, picture: Picture, file: Path) -> None:
    """One picture of what is seen of the page."""
    size = {"width": picture.width, "height": picture.height}
    screen = {**size, "deviceScaleFactor": 1, "mobile": picture.width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    scheme = {"name": "prefers-color-scheme", "value": picture.colours}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    driver.get("about:blank")
    driver.get(f"{url}/#{'&'.join(f'q={quote(asked)}' for asked in picture.questions)}")
    for script in ("return document.documentElement.dataset.ready === 'true'", DRAWN):
        WebDriverWait(driver, 30).until(lambda one, script=script: one.execute_script(script))
    driver.execute_script(picture.script)
    # What moves has come to rest.
    driver.execute_async_script("setTimeout(arguments[0], 500)")
    found = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    image = Image.open(io.BytesIO(base64.b64decode(found["data"]))).convert("RGB")
    # A palette makes a small file that looks the same.
    image.quantize(128).save(file, optimize=True)
    print(f"{file}: {file.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Take all pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    out = options.parse_args().out.resolve()
    with tempfile.TemporaryDirectory() as made, browser(Path(made) / "profile") as driver:
        run = {"check": True, "cwd": made, "stdout": subprocess.DEVNULL}
        subprocess.run([sys.executable, ROOT / "examples/database/make_shop.py"], **run)
        new = [sys.executable, "-m", "partwise", "new", "shop", "--from", "sqlite:///shop.db"]
        subprocess.run(new, **run)
        for domain in ("shop", "geography"):
            with server(domain, Path(made)) as url:
                for picture in PICTURES:
                    if picture.domain == domain:
                        take(driver, url, picture, out / f"{picture.name}.png")


if __name__ == "__main__":
    main()
