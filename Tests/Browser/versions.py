# SPDX-License-Identifier: Apache-2.0
"""Another version of the web app, made from a built one."""

import hashlib
import json
import pathlib
import shutil


def version(web):
    return json.loads((pathlib.Path(web) / "assets.json").read_text())["version"]


def another(web, folder, name):
    """Copies the app as a version of this name, which has 16 letters; one word of it differs."""
    folder = pathlib.Path(shutil.copytree(web, folder))
    old, listing = version(web), folder / "assets.json"
    text = listing.read_text().replace(old, name)
    with (folder / "files/announce.js").open("a") as file:
        file.write(f"export const version = '{name}';\n")
    assets = json.loads(text)
    for asset in assets["assets"]:
        file = folder / asset["file"]
        if not asset["immutable"]:
            file.write_text(file.read_text().replace(old, name))
    listing.write_text(json.dumps(assets))
    return sign(folder)


def sign(web):
    """Lists the files as they are now."""
    listing = web / "assets.json"
    assets = json.loads(listing.read_text())
    for asset in assets["assets"]:
        asset["sha256"] = hashlib.sha256((web / asset["file"]).read_bytes()).hexdigest()
    listing.write_text(json.dumps(assets))
    return web
