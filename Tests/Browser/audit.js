// SPDX-License-Identifier: Apache-2.0
// Finds what a person could not read, reach or touch on the screen that is shown.

(() => {
  const problems = [];
  const main = document.getElementById('screen');
  const name = (element) => {
    const words = (element.getAttribute('aria-label') ?? element.textContent).trim();
    return `${element.localName}.${element.className.baseVal ?? element.className} “${words.slice(0, 30)}”`;
  };
  const isDrawn = (element) => element.checkVisibility({ visibilityProperty: true })
    && !element.closest('.spoken, svg');

  // Touch: what can be pressed is 44 pixels both ways, and has a name.
  for (const element of main.querySelectorAll('a, button, input, select')) {
    if (!isDrawn(element)) continue;
    const { width, height } = (element.closest('label') ?? element).getBoundingClientRect();
    if (width < 44 || height < 44) problems.push(`${name(element)} is ${width} by ${height}`);
    const words = element.getAttribute('aria-label') || element.textContent || element.labels?.length;
    if (!words) problems.push(`${name(element)} has no name`);
  }

  // Colours, composed down to the page's gradient, whose worst stop counts.
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], [R, G, B]) =>
    [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((each) => each / 255)
      .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const stops = getComputedStyle(document.body).backgroundImage.match(/rgba?\([^)]*\)/g).map(parse);
  const contrast = (element, color) => Math.min(...stops.map((stop) => {
    const layers = [];
    for (let each = element; each && each !== document.body; each = each.parentElement) {
      layers.unshift(parse(getComputedStyle(each).backgroundColor));
    }
    const behind = layers.reduce((below, layer) => over(layer, below), stop);
    return ratio(over(parse(color), behind), behind);
  }));

  // Text: readable, within the page, and not over other text.
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    const element = node.parentElement;
    if (!node.textContent.trim() || !isDrawn(element) || element.closest('option, script, noscript, :disabled')) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const found = contrast(element, getComputedStyle(element).color);
    if (found < 4.5) problems.push(`${name(element)} has a contrast of ${found.toFixed(2)}`);
    // Lines of a clamped text that are not shown.
    const clamped = element.closest('.growing span');
    const end = clamped ? clamped.getBoundingClientRect().bottom : Infinity;
    for (const box of range.getClientRects()) {
      if ((box.top + box.bottom) / 2 > end) continue;
      if (box.left < -1 || box.right > innerWidth + 1) {
        problems.push(`${name(element)} reaches from ${box.left} to ${box.right} of ${innerWidth}`);
      }
      // A line's box is taller than its letters.
      const trim = box.height * 0.2;
      boxes.push({ element, left: box.left, right: box.right, top: box.top + trim, bottom: box.bottom - trim });
    }
  }
  for (const input of main.querySelectorAll('[placeholder]')) {
    const found = contrast(input, getComputedStyle(input, '::placeholder').color);
    if (found < 4.5) problems.push(`${name(input)} has a hint with a contrast of ${found.toFixed(2)}`);
  }
  boxes.forEach((one, index) => {
    for (const other of boxes.slice(index + 1)) {
      const isNotice = one.element.id === 'notice' || other.element.id === 'notice';
      if (one.element === other.element || isNotice) continue;
      if (one.left < other.right - 1 && other.left < one.right - 1
        && one.top < other.bottom - 1 && other.top < one.bottom - 1) {
        problems.push(`${name(one.element)} lies over ${name(other.element)}`);
      }
    }
  });

  // The page: one heading, and nothing to scroll sideways.
  if (main.querySelectorAll('h1').length !== 1) problems.push('there is not one heading');
  const { scrollWidth } = document.scrollingElement;
  if (scrollWidth > innerWidth) problems.push(`the page is ${scrollWidth} wide, of ${innerWidth}`);
  for (const element of main.querySelectorAll('a, button, input, select, td')) {
    const { left, right } = element.getBoundingClientRect();
    if (isDrawn(element) && (left < -1 || right > innerWidth + 1)) problems.push(`${name(element)} is cut`);
  }
  return problems;
})()
