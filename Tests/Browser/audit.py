# SPDX-License-Identifier: Apache-2.0
"""The script that finds what could not be read, reached or touched on a page."""

import pathlib

AUDIT = (pathlib.Path(__file__).parent / "audit.js").read_text()
