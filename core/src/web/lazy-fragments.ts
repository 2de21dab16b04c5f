import { adoptIcons } from '@mortise/plugin-sdk/client';

/**
 * Client: a part of a page that was not ready (`LazyFragment`) is asked for again until it is, and takes its own place.
 * Within a `details` that is closed it is asked for when that is opened. Without scripts its content stays, with
 * whatever link it offers.
 */
interface Part {
  closest(selector: string): Folded | null;
  readonly dataset: { readonly later?: string };
  readonly children: Iterable<{
    dispatchEvent(event: unknown): void;
    querySelectorAll(selector: string): Iterable<Link>;
  }>;
  contains(other: unknown): boolean;
  querySelector(selector: string): unknown;
  querySelectorAll(selector: string): Iterable<{ readonly id: string; remove(): void }>;
  replaceWith(...nodes: unknown[]): void;
}
interface Folded {
  addEventListener(type: 'toggle', listener: () => void, options: { once: boolean }): void;
}
interface Link {
  readonly href: string;
  focus(): void;
}
interface Page {
  document: {
    readonly activeElement: { readonly href?: string } | null;
    createElement(name: 'template'): { innerHTML: string; readonly content: Part };
    querySelectorAll(selector: string): Iterable<Part>;
  };
  CustomEvent: new (type: string, options: { bubbles: boolean }) => unknown;
  setTimeout(work: () => void, milliseconds: number): unknown;
}
const page = globalThis as unknown as Page;
const firstWaitMs = 300;
const maxWaitMs = 10_000;
/** With the waits in between, some minutes. */
const maxAttempts = 20;

/** The part, unless it is still not ready or cannot be had. */
async function load(address: string): Promise<Part | undefined> {
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' } });
    if (!answer.ok) return undefined;
    const template = page.document.createElement('template');
    template.innerHTML = await answer.text();
    return template.content.querySelector('[data-later]') ? undefined : template.content;
  } catch {
    return undefined;
  }
}

function replace(place: Part, piece: Part): void {
  const { activeElement } = page.document;
  const focused = activeElement && place.contains(activeElement) ? activeElement.href : undefined;
  adoptIcons(piece);
  const added = [...piece.children];
  place.replaceWith(piece);
  for (const one of added) {
    one.dispatchEvent(new page.CustomEvent('mortise:added', { bubbles: true }));
    for (const link of one.querySelectorAll('a')) if (link.href === focused) link.focus();
  }
}

function ask(place: Part, attempt = 0, wait = Math.min(maxWaitMs, firstWaitMs * 1.6 ** attempt)): void {
  page.setTimeout(() => {
    void load(place.dataset.later ?? '').then((piece) => {
      if (piece) replace(place, piece);
      else if (attempt < maxAttempts) ask(place, attempt + 1);
    });
  }, wait);
}

for (const place of page.document.querySelectorAll('[data-later]')) {
  const folded = place.closest('details:not([open])');
  if (folded) folded.addEventListener('toggle', () => ask(place, 0, 0), { once: true });
  else ask(place);
}
