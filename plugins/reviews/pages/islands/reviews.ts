/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts } from '@mortise/plugin-sdk/client';

/** Client: a "+" at the lines of a diff opens the form for a comment there; files are marked as viewed in place. */
type Key = 'add' | 'line' | 'lineOld' | 'progress' | 'failed';
const t = islandTexts<Key>('reviews');
const template = document.querySelector<HTMLTemplateElement>('template[data-review-form]');

interface LinePosition {
  readonly anchor: string;
  readonly side: 'new' | 'old';
  readonly line: number;
  readonly cell: HTMLElement;
}

const sides = template?.dataset.sides?.split(' ') ?? [];
const letters = { new: 'R', old: 'L' } as const;
const cellOf = ({ anchor, side }: Pick<LinePosition, 'anchor' | 'side'>, line: number) =>
  document.getElementById(`${anchor}${letters[side]}${line}`);

function positionOf(cell: Element | null | undefined): LinePosition | undefined {
  const [, anchor, letter, line] = /^(d[0-9a-f]{12})([LR])(\d+)$/.exec(cell?.id ?? '') ?? [];
  if (!anchor || !line) return undefined;
  const side = letter === 'R' ? 'new' : 'old';
  return sides.includes(side) ? { anchor, side, line: Number(line), cell: cell as HTMLElement } : undefined;
}

/** The line that something in a row belongs to: of two sides beside each other the nearest, else the new one. */
function positionAt(target: Element): LinePosition | undefined {
  const row = target.closest('.diff-file .code-lines tr');
  const cells = [...(row?.children ?? [])];
  if (!row || row.closest('.review-thread')) return undefined;
  if (row.closest('.code-split')) {
    const at = cells.indexOf(target.closest('td')!);
    return positionOf(cells[at < 2 ? 0 : 2]);
  }
  return positionOf(cells[1]) ?? positionOf(cells[0]);
}

const add = document.createElement('button');
add.type = 'button';
add.className = 'review-add';
add.textContent = '+';
let shown: LinePosition | undefined;
let dragged: LinePosition | undefined;
let count = 0;
let open: { readonly row: HTMLTableRowElement; readonly form: HTMLFormElement; position: LinePosition } | undefined;

function offer(position: LinePosition | undefined): void {
  if (!position || position.cell === add.parentElement) return;
  shown = position;
  add.setAttribute('aria-label', t('add', { line: position.line }));
  add.title = add.getAttribute('aria-label')!;
  position.cell.append(add);
}

const field = (form: HTMLFormElement, name: string) => form.elements.namedItem(name) as HTMLInputElement;

function mark(): void {
  for (const row of document.querySelectorAll('.review-range')) row.classList.remove('review-range');
  if (!open) return;
  const { position, form } = open;
  const first = Number(field(form, 'start_line').value) || position.line;
  for (let line = Math.max(first, position.line - 500); line <= position.line; line++)
    cellOf(position, line)?.closest('tr')?.classList.add('review-range');
}

function close(): void {
  open?.row.remove();
  open = undefined;
  mark();
}

/** Opens the form below the line; what was written in it before comes along. */
function show(position: LinePosition, startLine = 0): void {
  const row = position.cell.closest('tr');
  const form = template?.content.querySelector('form')?.cloneNode(true) as HTMLFormElement | undefined;
  const path = position.cell.closest<HTMLElement>('[data-diff-file]')?.dataset.diffFile;
  if (!row || !form || path === undefined) return;
  const written = open ? (field(open.form, 'body') as unknown as HTMLTextAreaElement).value : '';
  close();
  count++;
  for (const name of ['id', 'for', 'aria-describedby'])
    for (const one of form.querySelectorAll(`[${name}]`)) one.setAttribute(name, `${one.getAttribute(name)}-${count}`);
  field(form, 'path').value = path;
  field(form, 'side').value = position.side;
  field(form, 'line').value = String(position.line);
  const since = field(form, 'start_line');
  since.max = String(position.line);
  since.value = startLine && startLine < position.line ? String(startLine) : '';
  form.querySelector('[data-review-lines]')!.textContent = t(position.side === 'new' ? 'line' : 'lineOld', {
    line: position.line,
  });
  const area = form.querySelector('textarea')!;
  area.value = written;
  const suggest = form.querySelector<HTMLElement>('[data-review-suggest]');
  if (suggest) suggest.hidden = position.side === 'old';
  const added = document.createElement('tr');
  const cell = added.insertCell();
  cell.colSpan = 4;
  cell.append(form);
  row.after(added);
  open = { row: added, form, position };
  form.dispatchEvent(new CustomEvent('mortise:added', { bubbles: true }));
  mark();
  area.focus();
}

/** The text of a line of the new file, as far as it is shown. */
function textOf(position: LinePosition, line: number): string | undefined {
  const number = cellOf(position, line);
  const code = number?.closest('.code-split') ? number.nextElementSibling : number?.closest('tr')?.lastElementChild;
  const copy = code?.cloneNode(true) as Element | undefined;
  for (const note of copy?.querySelectorAll('.diff-note') ?? []) note.remove();
  return copy?.textContent ?? undefined;
}

function suggest({ form, position }: NonNullable<typeof open>): void {
  const area = form.querySelector('textarea')!;
  const first = Number(field(form, 'start_line').value) || position.line;
  const lines: string[] = [];
  for (let line = first; line <= position.line; line++) {
    const text = textOf(position, line);
    if (text !== undefined) lines.push(text === ' ' ? '' : text);
  }
  const fence = lines.some((line) => line.includes('```')) ? '````' : '```';
  const begin = area.value && !area.value.endsWith('\n') ? '\n' : '';
  const text = `${begin}${fence}suggestion\n${lines.join('\n')}\n${fence}\n`;
  const from = area.value.length + begin.length + fence.length + 'suggestion\n'.length;
  area.value += text;
  area.focus();
  area.setSelectionRange(from, from + lines.join('\n').length);
}

if (template) {
  const files = document.querySelector<HTMLElement>('[data-diff-files]');
  files?.addEventListener('pointerover', ({ target }) => offer(positionAt(target as Element)));
  add.addEventListener('pointerdown', () => (dragged = shown));
  add.addEventListener('click', (event) => {
    event.stopPropagation();
    if (!shown) return;
    const from = open?.position;
    const isRange = event.shiftKey && from?.anchor === shown.anchor && from.side === shown.side;
    if (isRange && from) {
      const lines = [from.line, shown.line, Number(field(open!.form, 'start_line').value) || from.line];
      const last = Math.max(...lines);
      const cell = cellOf(from, last);
      if (cell) show({ ...from, line: last, cell }, Math.min(...lines));
    } else show(shown);
  });
  document.addEventListener('pointerup', (event) => {
    const from = dragged;
    dragged = undefined;
    const to = from && positionAt(event.target as Element);
    if (!from || !to || to.anchor !== from.anchor || to.side !== from.side || to.line === from.line) return;
    const [first, last] = from.line < to.line ? [from, to] : [to, from];
    show(last, first.line);
  });
  files?.addEventListener('click', ({ target }) => {
    if (!open) return;
    const button = (target as Element).closest('button');
    if (button?.matches('[data-review-cancel]')) close();
    if (button?.matches('[data-review-suggest]')) suggest(open);
  });
  files?.addEventListener('input', ({ target }) => {
    if ((target as HTMLInputElement).name === 'start_line') mark();
  });
  files?.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !open?.row.contains(event.target as Node)) return;
    if (!open.form.querySelector('textarea')!.value) close();
  });
}

const progress = document.querySelector<HTMLElement>('[data-review-progress]');
let viewed = Number(/\d+/.exec(progress?.textContent ?? '')?.[0] ?? 0);

document.addEventListener('submit', (event) => {
  const form = event.target as HTMLFormElement;
  if (!form.matches('[data-review-viewed]')) return;
  event.preventDefault();
  const state = form.elements.namedItem('viewed') as HTMLInputElement;
  const button = form.querySelector('button')!;
  const isViewed = state.value === '1';
  const values = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  button.disabled = true;
  void fetch(form.action, { method: 'POST', body: values, redirect: 'manual' })
    .then(({ type, ok }) => {
      if (type !== 'opaqueredirect' && !ok) throw new Error();
      state.value = isViewed ? '0' : '1';
      button.setAttribute('aria-pressed', String(isViewed));
      const file = form.closest('[data-diff-file]')?.querySelector<HTMLDetailsElement>(':scope > details');
      if (file) file.open = !isViewed;
      viewed += isViewed ? 1 : -1;
      if (progress) progress.textContent = t('progress', { viewed, total: progress.dataset.reviewProgress ?? '' });
    })
    .catch(() => {
      button.title = t('failed');
    })
    .finally(() => {
      button.disabled = false;
    });
});
export {};
