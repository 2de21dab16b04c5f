/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client: what the page that is open offers, as links of the palette. */

/** Buttons and menus of the page first, then what can be created, then the pages beside it. */
const offers = [
  'main :is(a.btn, a.btn-octicon, .dropdown-menu a)',
  '.site-create a',
  'main :is(.UnderlineNav-item, .menu-item)',
  '.site-nav a',
];
const maxActions = 5;

/** What is read, without numbers that count something. */
function labelOf(link: HTMLAnchorElement): string {
  const copy = link.cloneNode(true) as HTMLAnchorElement;
  for (const counter of copy.querySelectorAll('.Counter')) counter.remove();
  return (link.getAttribute('aria-label') ?? copy.textContent).replace(/\s+/g, ' ').trim();
}

function itemOf(link: HTMLAnchorElement, label: string): HTMLAnchorElement {
  const item = document.createElement('a');
  item.className = 'palette-item';
  item.role = 'option';
  item.tabIndex = -1;
  item.href = link.href;
  const words = document.createElement('span');
  words.textContent = label;
  const picture = link.querySelector('svg.octicon')?.cloneNode(true);
  item.append(...(picture ? [picture] : []), words);
  return item;
}

/** Those that have all words in their names. */
export function pageActions(text: string): readonly HTMLAnchorElement[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, HTMLAnchorElement>();
  for (const link of offers.flatMap((selector) => [...document.querySelectorAll<HTMLAnchorElement>(selector)])) {
    const label = labelOf(link);
    const lower = label.toLowerCase();
    // what begins with a number only counts something
    if (!label || /^\d/.test(label) || !/^https?:/.test(link.protocol) || found.has(link.href)) continue;
    if (words.every((word) => lower.includes(word))) found.set(link.href, itemOf(link, label));
    if (found.size === maxActions) break;
  }
  return [...found.values()];
}
