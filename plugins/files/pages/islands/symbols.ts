/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Client: the outline of a file opens beside its lines, loaded when it is first asked for. Without scripts the link
 * leads to a page of its own.
 */
const link = document.querySelector<HTMLAnchorElement>('a[data-symbols]');
const panel = document.querySelector<HTMLElement>('#symbols');
/** Shorter outlines are seen at once. */
const minFiltered = 12;

if (link && panel) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = link.className;
  button.setAttribute('aria-expanded', 'false');
  button.setAttribute('aria-controls', panel.id);
  button.append(...link.childNodes);
  const address = new URL(link.href);
  address.searchParams.set('piece', '1');
  link.replaceWith(button);

  const close = (): void => {
    panel.hidden = true;
    button.setAttribute('aria-expanded', 'false');
    button.focus();
  };
  button.addEventListener('click', () => {
    if (!panel.hidden) return close();
    panel.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    void fill(panel, address);
  });
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const all = [...panel.querySelectorAll<HTMLElement>('input, li:not([hidden]) > a')];
    const position = all.indexOf(document.activeElement as HTMLElement);
    all[Math.max(0, Math.min(all.length - 1, position + (event.key === 'ArrowDown' ? 1 : -1)))]?.focus();
    event.preventDefault();
  });
  // on a narrow window the panel lies over the lines
  panel.addEventListener('click', (event) => {
    if ((event.target as Element).closest('a') && !matchMedia('(min-width: 1012px)').matches) close();
  });
}

/** What could not be loaded is asked for again when the panel is opened the next time. */
async function fill(panel: HTMLElement, address: URL): Promise<void> {
  if (panel.querySelector('a')) return panel.querySelector<HTMLElement>('input, a')!.focus();
  panel.setAttribute('aria-busy', 'true');
  try {
    const answer = await fetch(address, { headers: { accept: 'text/html' } });
    if (!answer.ok) throw new Error(String(answer.status));
    const template = document.createElement('template');
    template.innerHTML = await answer.text();
    panel.replaceChildren(template.content);
    const entries = [...panel.querySelectorAll('li')];
    if (entries.length >= minFiltered) panel.prepend(filterOf(entries, panel.dataset.filter ?? ''));
    panel.querySelector<HTMLElement>('input, a')?.focus();
  } catch {
    panel.textContent = panel.dataset.failed ?? '';
  } finally {
    panel.removeAttribute('aria-busy');
  }
}

/** A field that hides what does not hold its words; what symbols stand in stays with them. */
function filterOf(entries: readonly HTMLLIElement[], label: string): HTMLInputElement {
  const input = document.createElement('input');
  input.type = 'search';
  input.className = 'form-control input-sm width-full mb-2';
  input.placeholder = label;
  input.setAttribute('aria-label', label);
  const names = entries.map((entry) =>
    [...entry.querySelectorAll('a')].map((one) => one.title.toLowerCase()).join('\n'),
  );
  input.addEventListener('input', () => {
    const wanted = input.value.trim().toLowerCase();
    entries.forEach((entry, index) => (entry.hidden = !names[index]!.includes(wanted)));
  });
  return input;
}
export {};
