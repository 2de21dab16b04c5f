/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { siteUrl } from '@mortise/plugin-sdk/client';

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

export function complete(editor: HTMLElement, area: HTMLTextAreaElement, words: Words): void {
  const place = editor.dataset.issueEditor ?? '';
  const list = document.createElement('ul');
  list.className = 'issue-suggestions';
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

  let shown: readonly Suggestion[] = [];
  let chosen = 0;
  let from = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = '';

  const close = () => {
    clearTimeout(timer);
    asked = '';
    shown = [];
    list.hidden = true;
    list.replaceChildren();
    status.textContent = '';
    area.removeAttribute('aria-activedescendant');
  };
  const mark = (at: number) => {
    chosen = (at + shown.length) % shown.length;
    for (const [number, item] of [...list.children].entries())
      item.setAttribute('aria-selected', String(number === chosen));
    const item = list.children[chosen];
    if (!item) return;
    area.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  };
  const take = (at: number) => {
    const { value } = shown[at] ?? {};
    if (value === undefined) return;
    area.setRangeText(`${value} `, from, area.selectionStart, 'end');
    close();
    area.dispatchEvent(new Event('input', { bubbles: true }));
    area.focus();
  };
  const show = (found: readonly Suggestion[]) => {
    shown = found;
    if (found.length === 0) return close();
    list.replaceChildren(
      ...found.map(({ label, about }, at) => {
        const item = document.createElement('li');
        item.id = `${list.id}-${at}`;
        item.setAttribute('role', 'option');
        const name = document.createElement('strong');
        name.textContent = label;
        item.append(name, ' ', about);
        // the text keeps the focus
        item.addEventListener('pointerdown', (event) => event.preventDefault());
        item.addEventListener('click', () => take(at));
        return item;
      }),
    );
    list.hidden = false;
    status.textContent = words.found.replace('{count}', String(found.length));
    mark(0);
  };
  const ask = async (kind: string, text: string) => {
    asked = `${kind}:${text}`;
    const mine = asked;
    try {
      const answer = await fetch(siteUrl(`/${place}/suggestions?kind=${kind}&q=${encodeURIComponent(text)}`));
      const found = answer.ok ? ((await answer.json()) as Suggestion[]) : [];
      if (asked === mine) show(found);
    } catch {
      close();
    }
  };
  const look = () => {
    clearTimeout(timer);
    const before = area.value.slice(Math.max(0, area.selectionStart - 60), area.selectionStart);
    const [, sign = '', name = '', colon = '', emoji = ''] = token.exec(before) ?? [];
    const [kind, text] = [kinds[sign || colon], name || emoji];
    if (!kind || area.selectionStart !== area.selectionEnd) return close();
    from = area.selectionStart - text.length - 1;
    timer = setTimeout(() => void ask(kind, text), pauseMs);
  };
  area.addEventListener('input', (event) => {
    if (!(event as InputEvent).isComposing) look();
  });
  area.addEventListener('blur', () => setTimeout(close, 150));
  // before the form hears of Enter
  area.addEventListener(
    'keydown',
    (event) => {
      if (list.hidden || event.isComposing || event.ctrlKey || event.metaKey) return;
      const moves: Readonly<Record<string, () => void>> = {
        ArrowDown: () => mark(chosen + 1),
        ArrowUp: () => mark(chosen - 1),
        Enter: () => take(chosen),
        Tab: () => take(chosen),
        Escape: close,
      };
      const move = moves[event.key];
      if (!move) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      move();
    },
    true,
  );
}
