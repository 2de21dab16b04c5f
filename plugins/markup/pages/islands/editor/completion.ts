/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client: people after `@`, issues after `#` and emoji after `:` while somebody writes. */
interface Suggestion {
  readonly value: string;
  readonly label: string;
  readonly about: string;
}
interface Words {
  readonly list: string;
  /** With `{count}`. */
  readonly found: string;
}

const kinds: Readonly<Record<string, string>> = { '@': 'people', '#': 'issues', ':': 'emoji' };
const pauseMs = 120;
/** What is being written: the sign and what follows it, up to the caret. */
const token = /(?:^|[\s([{,])([@#])([\p{L}\p{N}._-]{0,40})$|(?:^|[\s([{,])(:)([\w+-]{2,40})$/u;

let count = 0;

/** The list of suggestions below a text area, and what it says to who cannot see it. */
function listBelow(area: HTMLTextAreaElement, words: Words) {
  const list = document.createElement('ul');
  list.className = 'markdown-suggestions';
  list.id = `suggestions-${++count}`;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', words.list);
  list.hidden = true;
  const status = document.createElement('span');
  status.className = 'sr-only';
  status.setAttribute('role', 'status');
  area.after(list, status);
  area.setAttribute('aria-autocomplete', 'list');
  area.setAttribute('aria-controls', list.id);
  return { list, status };
}

/** Suggestions for one text area. */
class Completion {
  readonly #list: HTMLUListElement;
  readonly #status: HTMLSpanElement;
  #shown: readonly Suggestion[] = [];
  #chosen = 0;
  #from = 0;
  /** Where the caret stood when the list was asked for. */
  #to = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = '';

  constructor(
    /** Address that gives suggestions for `kind` and `q`. */
    private readonly address: string,
    private readonly area: HTMLTextAreaElement,
    private readonly words: Words,
  ) {
    const { list, status } = listBelow(area, words);
    this.#list = list;
    this.#status = status;
  }

  /** Looks at what stands before the caret. */
  look() {
    const { area } = this;
    clearTimeout(this.#timer);
    const before = area.value.slice(Math.max(0, area.selectionStart - 60), area.selectionStart);
    const [, sign = '', name = '', colon = '', emoji = ''] = token.exec(before) ?? [];
    const [kind, text] = [kinds[sign || colon], name || emoji];
    if (!kind || area.selectionStart !== area.selectionEnd) return this.close();
    this.#to = area.selectionStart;
    this.#from = this.#to - text.length - 1;
    this.#timer = setTimeout(() => void this.#ask(kind, text), pauseMs);
  }

  close() {
    clearTimeout(this.#timer);
    this.#asked = '';
    this.#shown = [];
    this.#list.hidden = true;
    this.#list.replaceChildren();
    this.#status.textContent = '';
    this.area.removeAttribute('aria-activedescendant');
  }

  /** Suggestions are for the word before the caret: they go when it is moved elsewhere. */
  leave() {
    if (this.area.selectionStart !== this.#to || this.area.selectionEnd !== this.#to) this.close();
  }

  /** Moves in the list and takes from it, by keys. */
  press(event: KeyboardEvent) {
    this.leave();
    if (this.#list.hidden || event.isComposing || event.ctrlKey || event.metaKey) return;
    const moves: Readonly<Record<string, () => void>> = {
      ArrowDown: () => this.#mark(this.#chosen + 1),
      ArrowUp: () => this.#mark(this.#chosen - 1),
      Enter: () => this.#take(this.#chosen),
      Tab: () => this.#take(this.#chosen),
      Escape: () => this.close(),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    move();
  }

  async #ask(kind: string, text: string) {
    const mine = `${kind}:${text}`;
    this.#asked = mine;
    try {
      const answer = await fetch(`${this.address}?kind=${kind}&q=${encodeURIComponent(text)}`);
      const suggestions = answer.ok ? ((await answer.json()) as Suggestion[]) : [];
      if (this.#asked === mine) this.#show(suggestions);
    } catch {
      this.close();
    }
  }

  #show(found: readonly Suggestion[]) {
    this.#shown = found;
    if (found.length === 0) return this.close();
    this.#list.replaceChildren(...found.map((one, at) => this.#item(one, at)));
    this.#list.hidden = false;
    this.#status.textContent = this.words.found.replace('{count}', String(found.length));
    this.#mark(0);
  }

  #item({ label, about }: Suggestion, at: number) {
    const item = document.createElement('li');
    item.id = `${this.#list.id}-${at}`;
    item.setAttribute('role', 'option');
    const name = document.createElement('strong');
    name.textContent = label;
    item.append(name, ' ', about);
    // the text keeps the focus
    item.addEventListener('pointerdown', (event) => event.preventDefault());
    item.addEventListener('click', () => this.#take(at));
    return item;
  }

  #mark(at: number) {
    this.#chosen = (at + this.#shown.length) % this.#shown.length;
    for (const [number, item] of [...this.#list.children].entries())
      item.setAttribute('aria-selected', String(number === this.#chosen));
    const item = this.#list.children[this.#chosen];
    if (!item) return;
    this.area.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  }

  #take(at: number) {
    const { value } = this.#shown[at] ?? {};
    if (value === undefined) return;
    const { area } = this;
    area.setRangeText(`${value} `, this.#from, this.#to, 'end');
    this.close();
    area.dispatchEvent(new Event('input', { bubbles: true }));
    area.focus();
  }
}

export function complete(address: string, area: HTMLTextAreaElement, words: Words): void {
  const completion = new Completion(address, area, words);
  area.addEventListener('input', (event) => {
    if (!(event as InputEvent).isComposing) completion.look();
  });
  for (const name of ['keyup', 'click']) area.addEventListener(name, () => completion.leave());
  area.addEventListener('blur', () => setTimeout(() => completion.close(), 150));
  // before the form hears of Enter
  area.addEventListener('keydown', (event) => completion.press(event), true);
}
