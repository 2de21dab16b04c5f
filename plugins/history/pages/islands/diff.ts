/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { adoptIcons } from '@mortise/plugin-sdk/client';

/** Client: loads further files of a diff, collapsed files and lines around changes into the page. */
const files = document.querySelector<HTMLElement>('[data-diff-files]');
const tree = document.querySelector<HTMLDetailsElement>('[data-diff-tree]');
if (tree && !matchMedia('(min-width: 1012px)').matches) tree.open = false;

/** The elements of a piece; undefined where it cannot be had. */
async function load(address: URL): Promise<DocumentFragment | undefined> {
  address.searchParams.set('piece', '1');
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' } });
    if (!answer.ok) return undefined;
    const template = document.createElement('template');
    template.innerHTML = await answer.text();
    return template.content;
  } catch {
    return undefined;
  }
}

/** Puts a piece in the place of an element; false where it cannot be had. */
async function replace(placeholder: Element, address: URL, needed: string): Promise<boolean> {
  if (placeholder.hasAttribute('aria-busy')) return true;
  placeholder.setAttribute('aria-busy', 'true');
  const piece = await load(address);
  if (!piece?.querySelector(needed)) {
    placeholder.removeAttribute('aria-busy');
    return false;
  }
  adoptIcons(piece);
  const added = [...piece.children];
  placeholder.replaceWith(piece);
  for (const one of added) one.dispatchEvent(new CustomEvent('mortise:added', { bubbles: true }));
  watch();
  return true;
}

/** Goes on below as soon as the end comes into sight. */
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) void more(target);
  },
  { rootMargin: '800px' },
);

async function more(placeholder: Element): Promise<boolean> {
  observer.unobserve(placeholder);
  const link = placeholder.querySelector('a');
  return link ? replace(placeholder, new URL(link.href), '[data-diff-file]') : true;
}

function watch(): void {
  observer.disconnect();
  for (const placeholder of document.querySelectorAll('[data-diff-more]')) observer.observe(placeholder);
}

files?.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-piece], [data-diff-more] a');
  if (!link) return;
  event.preventDefault();
  const box = link.closest<HTMLElement>('[data-diff-file]');
  const address = new URL(link.href);
  address.hash = '';
  if (box) {
    address.searchParams.set('file', box.dataset.diffFile ?? '');
    address.searchParams.delete('from');
  }
  const placeholder = box ?? link.closest('[data-diff-more]');
  // what cannot be loaded is gone to
  if (placeholder)
    void replace(placeholder, address, '[data-diff-file]').then((isDone) => {
      if (!isDone) location.assign(link.href);
    });
});
watch();
