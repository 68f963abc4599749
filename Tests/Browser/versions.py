# SPDX-License-Identifier: Apache-2.0
"""Another version of the web app, laid out as the build does, from the files of a built one."""

import json
import pathlib
import re
import shutil
import subprocess

LAYOUT = pathlib.Path(__file__).parents[2] / "Client/web/assets.mjs"


def version(web):
    return json.loads((pathlib.Path(web) / "assets.json").read_text())["version"]


def another(web, folder, word, edit=lambda shell: None):
    """An app in which this word and what `edit` changes are new. Returns its folder."""
    shell = folder / f"shell-{word}"
    files = pathlib.Path(web) / "files"
    shutil.copytree(files, shell, ignore=shutil.ignore_patterns("*.br", "*.gz"))
    for name in ("index.html", "service-worker.js", "manifest.webmanifest"):
        text = (shell / name).read_text().replace(f"/app/{version(web)}/", "/app/current/")
        text = re.sub(r"const files = \[.*?\];", "const files = [];", text, flags=re.DOTALL)
        (shell / name).write_text(text)
    with (shell / "announce.js").open("a") as file:
        file.write(f"export const word = '{word}';\n")
    edit(shell)
    core = (shell / "atrest-core.wasm").rename(folder / f"{word}.wasm")
    out = folder / f"web-{word}"
    out.mkdir()
    subprocess.run(["node", LAYOUT, core, shell, out], check=True, capture_output=True)
    return out
