// SPDX-License-Identifier: Apache-2.0
// One sprout: what it is, what was said about it, and what can be done with it now.

import { glyph, glyphs, h, picture, surely } from '../dom.js';
import { bar } from './garden.js';
import { gardenGlyphs, gardenPage, gardenWords, tool } from './garden-page.js';
import { harvestSheet, sproutSheet, waterSheet } from './garden-sheets.js';
import { performing } from './perform.js';

/** @param {import('../main.js').App} app */
export async function sprout(app) {
  const { tabs, argument, before, go } = app;
  const words = await gardenWords(tabs);
  /** @type {import('../core.js').SproutView} */
  const view = await tabs.view('sprout', { id: argument });
  const { id, state } = view;
  const act = performing(app);
  const isGrowing = state === 'active';
  const image = picture(view.svg);
  image?.setAttribute('aria-hidden', 'true');
  const tools = [
    isGrowing && tool(words.water, glyphs.water, () => waterSheet(app, view)),
    isGrowing && tool(words.harvest, gardenGlyphs.harvest, () => harvestSheet(app, view)),
    state === 'draft' && tool(words.plant, glyphs.garden, () => act('garden.plant', { id })),
    tool(words.edit, gardenGlyphs.name, () => sproutSheet(app, { id })),
  ];
  return gardenPage({ title: view.title, words, up: /^(garden|journal)/.test(before) ? before : view.place }, tools,
    h('div', { class: 'leafage' },
      h('header', {}, image,
        h('div', {}, h('h2', { dir: 'auto' }, view.title),
          h('p', {}, view.words), view.progress !== undefined && bar(view.progress),
          h('p', { class: 'quiet' }, view.plan),
          h('p', { class: 'quiet' }, h('a', { href: `#${view.place}` }, view.where)),
          view.leaf && h('p', { class: 'quiet', dir: 'auto' }, glyph(gardenGlyphs.journal), view.leaf))),
      view.reflection && h('blockquote', { dir: 'auto' }, view.reflection),
      view.blooms.length > 0 && h('dl', {}, ...view.blooms.flatMap((each) => [
        h('dt', {}, each.words), h('dd', { dir: 'auto' }, each.text)])),
      view.said.length > 0 && h('ol', { class: 'said' }, ...view.said.map((each) => h('li', {},
        h('time', {}, each.when), each.note ? h('p', { dir: 'auto' }, each.note) : glyph(glyphs.water)))),
      isGrowing && h('p', { class: 'quiet end' }, surely(words.uproot, words.uprootSure,
        () => act('garden.uproot', { id })), words.uprootHint),
      state === 'draft' && h('p', { class: 'quiet end' }, surely(words.delete, words.deleteSure,
        () => act('garden.delete', { id }, () => go(view.place))))));
}

