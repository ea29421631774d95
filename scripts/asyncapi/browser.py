"""Opens the pages of a folder in headless Chromium that reaches no network: python3 browser.py FOLDER

Each NAME.html has to show every channel, operation, message and schema of NAME.json, without a line on
the browser's console. A screenshot lies beside it afterwards.
"""

import html
import json
import pathlib
import re
import subprocess
import sys

CHROMIUM = [
    "chromium",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
    "--window-size=1200,2400",
]


def browse(page: pathlib.Path, *options: str) -> tuple[str, list[str]]:
    """What the browser prints, and what its console does."""
    run = subprocess.run(
        [*CHROMIUM, *options, page.resolve().as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]


def names(document: dict) -> set[str]:
    """What a reader looks for."""
    found = set(document.get("operations", {}))
    for channel in document.get("channels", {}).values():
        if channel.get("address"):
            found.add(channel["address"])
    components = document.get("components", {})
    for kind in ("messages", "schemas"):
        for key, value in components.get(kind, {}).items():
            found.add(value.get("name") or value.get("title") or key)
    return found


def main() -> int:
    wrong = 0
    pages = sorted(pathlib.Path(sys.argv[1]).glob("*.html"))
    if not pages:
        sys.exit(f"{sys.argv[1]} holds no page")
    for page in pages:
        shown, console = browse(page, "--dump-dom")
        text = html.unescape(re.sub(r"<[^>]*>", " ", shown))
        expected = names(json.loads(page.with_suffix(".json").read_text()))
        missing = sorted(name for name in expected if name not in text)
        scripts = re.findall(r"<script\b", shown)
        for what, found in (("is not shown", missing), ("on the console", console), ("a script", scripts)):
            for one in found:
                print(f"{page.name}: {what}: {one}", file=sys.stderr)
                wrong += 1
        browse(page, f"--screenshot={page.with_suffix('.png').resolve()}")
        print(f"{page.name}: {len(expected)} names")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
