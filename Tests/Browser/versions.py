# SPDX-License-Identifier: Apache-2.0
"""Another version of the web app, made from a built one."""

import hashlib
import json
import pathlib
import shutil


def version(web):
    return json.loads((pathlib.Path(web) / "assets.json").read_text())["version"]


def another(web, folder, word, edit=lambda name, text: text):
    """A copy that has another name and this word in one of its files. `edit` may change the files
    that keep their names. Returns its folder."""
    out = pathlib.Path(shutil.copytree(web, folder / f"web-{word}"))
    old, new = version(web), digest(word.encode())[:16]
    listing = json.loads((out / "assets.json").read_text().replace(old, new))
    for asset in listing["assets"]:
        name = asset["path"].removeprefix(f"/app/{new}/").lstrip("/") or "index.html"
        file = out / "files" / name
        if not asset["immutable"]:
            file.write_text(edit(name, file.read_text().replace(old, new)))
        elif name == "announce.js":
            file.write_text(f"{file.read_text()}export const word = '{word}';\n")
        else:
            continue
        asset["sha256"] = digest(file.read_bytes())
        form = {"coding": "identity", "file": f"files/{name}", "sha256": asset["sha256"]}
        asset["forms"] = [form]
    (out / "assets.json").write_text(json.dumps(listing))
    return out


def digest(content):
    return hashlib.sha256(content).hexdigest()
