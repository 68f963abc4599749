// SPDX-License-Identifier: Apache-2.0
// The sheets of the garden: a sprout, its water and harvest, the sun of a twig, a name.

import { h } from '../dom.js';
import { gardenWords } from './garden-page.js';
import { choices, field, openSheet } from './sheet.js';

/**
 * A new sprout on a twig, or what a sprout says.
 * @param {import('../main.js').App} app
 * @param {{twig: string}|{id: string}} what
 */
export async function sproutSheet(app, what) {
  const { tabs } = app;
  const words = await gardenWords(tabs);
  /** @type {import('../core.js').PlanView} */
  const view = await tabs.view('plan', what);
  const isNew = 'twig' in what;
  const isOpen = isNew || view.state === 'draft';
  const isOver = view.state === 'completed' || view.state === 'failed';
  const names = h('datalist', { id: 'leaves' },
    ...view.leaves.map((name) => h('option', { value: name })));
  const plan = !isOpen ? [] : [
    choices(words.season, 'season', view.seasons, view.season),
    choices(words.ground, 'environment',
      view.grounds.map((each) => ({ ...each, more: each.meaning })), view.environment),
  ];
  const dialog = openSheet(app, {
    title: isNew ? words.newSprout : words.editSprout, cancel: words.cancel,
    actions: isNew ? [{ value: 'plant', words: words.plant }, { value: 'draft', words: words.draft }]
      : [{ value: 'keep', words: words.keep }],
    keep: (value, entered, changed) => isNew
      ? tabs.act('garden.sprout', { ...what, ...entered, isDraft: value === 'draft' })
      : tabs.act('garden.edit', { ...what, ...changed }),
  },
  field(words.goal, 'title', { value: view.title, required: true }),
  ...plan, isNew && h('p', { class: 'quiet' }, view.soil),
  isOver && field(words.harvestWords, 'note',
    { value: view.reflection, lines: 3 }),
  h('details', {}, h('summary', {}, words.blooms),
    field(words.bloom1, 'bloom1', { value: view.bloom1 }),
    field(words.bloom3, 'bloom3', { value: view.bloom3 }),
    field(words.bloom5, 'bloom5', { value: view.bloom5 }),
    field(words.leaf, 'leaf', { value: view.leaf, list: 'leaves' }), names,
    !isNew && field(words.twig, 'twig', { value: view.twig, pattern: '[1-8][.][1-8]', dir: 'ltr' })));
  if (!isNew) return;
  const plant = dialog.querySelector('button.main');
  const price = () => {
    const chosen = (/** @type {string} */ name) => /** @type {HTMLInputElement} */ (
      dialog.querySelector(`[name=${name}]:checked`)).value;
    const season = view.seasons.find((each) => each.value === chosen('season'));
    const ground = view.grounds.findIndex((each) => each.value === chosen('environment'));
    if (plant) plant.textContent = `${words.plant}, ${season?.prices[ground]}`;
  };
  dialog.addEventListener('change', price);
  price();
}

/** @param {import('../main.js').App} app @param {import('../core.js').SproutView} view */
export async function waterSheet(app, { id, title, left }) {
  const words = await gardenWords(app.tabs);
  openSheet(app, {
    title, cancel: words.cancel, actions: [{ value: 'water', words: words.water }],
    keep: (_, entered) => app.tabs.act('garden.water', { id, ...entered }),
  }, field(words.waterWords, 'note', { lines: 4 }),
  h('p', { class: 'quiet' }, left));
}

/** @param {import('../main.js').App} app @param {import('../core.js').SproutView} view */
export async function harvestSheet(app, { id, title, results = [] }) {
  const words = await gardenWords(app.tabs);
  openSheet(app, {
    title, cancel: words.cancel, actions: [{ value: 'harvest', words: words.harvest }],
    keep: (_, { result, note }) =>
      app.tabs.act('garden.harvest', { id, result: Number(result), note }),
  }, choices(words.harvestTitle, 'result', results.map((each) => ({
    value: String(each.value), words: `${each.value} ${each.words}`,
    more: each.bloom ?? each.reward,
  })), '3'), field(words.harvestWords, 'note', { lines: 3 }));
}

/**
 * @param {import('../main.js').App} app
 * @param {string} twig
 * @param {import('../core.js').GardenView} view
 */
export async function shineSheet(app, twig, { title, left }) {
  const words = await gardenWords(app.tabs);
  openSheet(app, {
    title: `${words.shineTitle}: ${title}`, cancel: words.cancel,
    actions: [{ value: 'shine', words: words.shine }],
    keep: (_, entered) => app.tabs.act('garden.shine', { twig, ...entered }),
  }, field(words.shineWords, 'note', { lines: 4 }),
  h('p', { class: 'quiet' }, left));
}

/**
 * What a part of the tree is called.
 * @param {import('../main.js').App} app
 * @param {string} node
 * @param {import('../core.js').GardenView} view
 */
export async function nameSheet(app, node, { label, note }) {
  const words = await gardenWords(app.tabs);
  openSheet(app, {
    title: words.nodeTitle, cancel: words.cancel, actions: [{ value: 'keep', words: words.keep }],
    keep: (_, __, changed) => app.tabs.act('garden.label', { node, ...changed }),
  }, field(words.label, 'label', { value: label }),
  field(words.note, 'note', { value: note, lines: 3 }));
}
