/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { adoptIcons, siteUrl } from '@mortise/plugin-sdk/client';

/** Client: a text field with a list of links below it, which keys choose from while the focus stays in the field (ARIA 1.2). */
interface ComboboxOptions {
  /** Where the list stands. */
  readonly place: HTMLElement;
  /** The first link is chosen at once, so that Enter opens it. */
  readonly isFirstChosen: boolean;
  /** Groups that come before those of the server. */
  readonly before?: (text: string) => readonly HTMLElement[];
}

const pauseMs = 100;
let made = 0;

/** Path of this page below the root of the site. */
function pagePath(): string {
  const { pathname } = new URL(siteUrl('/'));
  return `/${location.pathname.slice(pathname.length)}`;
}

async function fetchItems(text: string, signal: AbortSignal): Promise<DocumentFragment> {
  const query = new URLSearchParams({ q: text.trim(), from: pagePath() }).toString();
  const answer = await fetch(siteUrl(`/-/palette/items?${query}`), { headers: { accept: 'text/html' }, signal });
  const template = document.createElement('template');
  if (answer.ok) template.innerHTML = await answer.text();
  adoptIcons(template.content);
  return template.content;
}

export class Combobox {
  readonly #id = `palette-list-${++made}`;
  readonly #status = document.createElement('span');
  #options: readonly HTMLAnchorElement[] = [];
  #chosen = -1;
  #running = new AbortController();
  /** Ends when the list is that of the words in the field. */
  #shown: Promise<void> = Promise.resolve();

  constructor(
    readonly field: HTMLInputElement,
    private readonly options: ComboboxOptions,
  ) {
    this.#status.className = 'sr-only';
    this.#status.role = 'status';
    options.place.before(this.#status);
    field.role = 'combobox';
    field.autocomplete = 'off';
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-controls', this.#id);
    field.setAttribute('aria-expanded', 'false');
    field.addEventListener('input', () => this.look(pauseMs));
    field.addEventListener('keydown', (event) => this.#press(event));
    // the field keeps the focus
    options.place.addEventListener('pointerdown', (event) => event.preventDefault());
  }

  /** Shows what fits the words in the field, after a pause in which more may be typed. */
  look(afterMs = 0): void {
    this.#running.abort();
    const { signal } = (this.#running = new AbortController());
    this.#shown = new Promise((resolve) => {
      setTimeout(resolve, afterMs);
    })
      .then(async () => {
        if (!signal.aborted) this.#show(await fetchItems(this.field.value, signal), signal);
      })
      // what cannot be had is not shown; the field works by itself
      .catch(() => undefined);
  }

  close(): void {
    this.#running.abort();
    this.options.place.replaceChildren();
    this.options.place.hidden = true;
    this.#status.textContent = '';
    this.#options = [];
    this.#chosen = -1;
    this.field.setAttribute('aria-expanded', 'false');
    this.field.removeAttribute('aria-activedescendant');
  }

  #show(items: DocumentFragment, signal: AbortSignal): void {
    if (signal.aborted) return;
    const list = items.querySelector<HTMLElement>('[role=listbox]');
    if (!list) return this.close();
    list.id = this.#id;
    list.prepend(...(this.options.before?.(this.field.value) ?? []));
    this.#options = [...list.querySelectorAll<HTMLAnchorElement>('[role=option]')];
    for (const [at, option] of this.#options.entries()) option.id = `${this.#id}-${at}`;
    if (this.#options.length === 0) return this.close();
    this.options.place.replaceChildren(list);
    this.options.place.hidden = false;
    this.field.setAttribute('aria-expanded', 'true');
    this.#status.textContent = list.dataset.status ?? '';
    this.#choose(this.options.isFirstChosen ? 0 : -1);
  }

  #choose(at: number): void {
    this.#chosen = at;
    for (const [number, option] of this.#options.entries()) option.setAttribute('aria-selected', String(number === at));
    const option = this.#options[at];
    if (!option) return this.field.removeAttribute('aria-activedescendant');
    this.field.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  }

  #move(by: 1 | -1): void {
    const count = this.#options.length;
    if (count === 0) this.look();
    else this.#choose(this.#chosen < 0 && by < 0 ? count - 1 : (this.#chosen + by + count) % count);
  }

  #press(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === 'ArrowDown') this.#move(1);
    else if (event.key === 'ArrowUp') this.#move(-1);
    else if (event.key === 'Enter' && (this.options.isFirstChosen || this.#chosen >= 0)) void this.#open(event);
    else if (event.key === 'Escape' && !this.options.isFirstChosen && this.#options.length > 0) this.close();
    else return;
    event.preventDefault();
  }

  /** With Ctrl or Cmd in another tab. What was typed last counts, although its list may still be on its way. */
  async #open({ ctrlKey, metaKey }: KeyboardEvent): Promise<void> {
    await this.#shown;
    const href = this.#options[this.#chosen]?.href;
    if (!href) return;
    if (ctrlKey || metaKey) window.open(href, '_blank', 'noopener');
    else location.assign(href);
  }
}
