// SPDX-License-Identifier: Apache-2.0
// The trees' outlines as one picture, from the sources that all programs have them from. In the
// core they would be a tenth of it, and every picture of a forest would repeat them.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder `Sources/AtrestDomain/Silhouettes`.
 * @returns {string} An SVG whose symbols have the names that pictures use.
 */
export function outlines(folder) {
  const cases = readFileSync(join(folder, 'TreeSilhouette.swift'), 'utf8');
  const forms = [...cases.matchAll(/^ {2}case (\w+)$/gm)].map(([, form]) => form);
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  const symbols = forms.map((form, number) => {
    const literal = new RegExp(`let ${form}Path = """\\n(.*?)\\n {4}"""`, 's').exec(sources);
    if (!literal) throw new Error(`The outline of the ${form} was not found in ${folder}.`);
    // Lines are indented by four, and a backslash joins two of them.
    const path = literal[1].replace(/^ {4}/gm, '').replaceAll('\\\n', '');
    return `<symbol id="tree-${number}" viewBox="0 0 1024 1024"><path d="${path}"/></symbol>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('')}</svg>\n`;
}
