// SPDX-License-Identifier: Apache-2.0
// Defines the trees' outlines in the page: pictures refer to them by name.

import { picture } from './dom.js';

/** Loads them once. Trees that are shown already appear then. */
export async function defineTrees() {
  const response = await fetch(new URL('./trees.svg', import.meta.url));
  const outlines = response.ok && picture(await response.text());
  if (!outlines) return;
  outlines.setAttribute('class', 'outlines');
  outlines.setAttribute('aria-hidden', 'true');
  document.body.append(outlines);
}
