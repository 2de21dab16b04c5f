/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { adoptIcons, islandTexts } from '@mortise/plugin-sdk/client';

/** Client: cards that are dragged or moved by keys, the menu of a card on the board itself, and moves of others at once. */
const t = islandTexts<'moved' | 'failed' | 'close'>('projects');
const board = document.getElementById('project-board');

const listsIn = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>('.project-cards')];
const titleOf = (list: HTMLElement): string =>
  list.closest('.project-column')?.querySelector('[data-column-title]')?.textContent?.trim() ?? '';

/** Read out by screen readers. */
function say(root: HTMLElement, text: string): void {
  const status = root.querySelector('[data-moved]');
  if (status) status.textContent = text;
}

/** Only what shows cards and counts: what somebody is writing meanwhile stays. */
const liveSelectors = ['[data-live]', '.project-progress'];

/** Shows the board as a page has it that was just read; false: that page has none. */
function show(root: HTMLElement, html: string): boolean {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const fresh = page.getElementById('project-board');
  if (!fresh) return false;
  adoptIcons(page);
  const focused = document.activeElement?.closest<HTMLElement>('[data-issue]')?.dataset.issue;
  const left = root.querySelector('.project-columns')?.scrollLeft ?? 0;
  for (const part of liveSelectors) {
    const now = fresh.querySelector(part);
    if (now) root.querySelector(part)?.replaceWith(document.importNode(now, true));
  }
  root.dataset.revision = fresh.dataset.revision;
  prepare(root);
  root.querySelector('.project-columns')?.scrollTo({ left });
  if (focused) root.querySelector<HTMLElement>(`[data-issue="${focused}"] [data-card-menu]`)?.focus();
  return true;
}

async function refresh(root: HTMLElement): Promise<void> {
  try {
    const answer = await fetch(location.href, { cache: 'no-store', redirect: 'error' });
    if (answer.ok) show(root, await answer.text());
  } catch {
    // with the next change it is asked again
  }
}

/** Moves of this page, one after the other. */
let queue = Promise.resolve();

/** Puts a card behind another one (or first), here at once and then on the site, whose order is shown after it. */
function move(root: HTMLElement, card: HTMLElement, list: HTMLElement, after: HTMLElement | null): void {
  if (after) after.after(card);
  else list.prepend(card);
  const position = [...list.children].indexOf(card) + 1;
  const body = new URLSearchParams({
    _csrf: root.dataset.csrf ?? '',
    action: 'move',
    column: list.dataset.column ?? '',
    query: root.dataset.query ?? '',
    ...(after?.dataset.card ? { after: after.dataset.card } : { spot: 'first' }),
  });
  queue = queue.then(async () => {
    try {
      const answer = await fetch(`${root.dataset.path}/cards/${card.dataset.issue}`, { method: 'POST', body });
      // a refusal may be a page of its own: the card goes back to where it is
      if (!show(root, await answer.text())) await refresh(root);
      say(root, answer.ok ? t('moved', { column: titleOf(list), position }) : t('failed'));
    } catch {
      say(root, t('failed'));
      await refresh(root);
    }
  });
}

function moveByKey(root: HTMLElement, card: HTMLElement, key: string): boolean {
  const list = card.closest<HTMLElement>('.project-cards');
  if (!list) return false;
  const lists = listsIn(root);
  const other = lists[lists.indexOf(list) + (key === 'ArrowLeft' ? -1 : 1)];
  const before = card.previousElementSibling as HTMLElement | null;
  const next = card.nextElementSibling as HTMLElement | null;
  if (key === 'ArrowUp' && before) move(root, card, list, before.previousElementSibling as HTMLElement | null);
  else if (key === 'ArrowDown' && next) move(root, card, list, next);
  else if ((key === 'ArrowLeft' || key === 'ArrowRight') && other) move(root, card, other, null);
  else return false;
  card.querySelector<HTMLElement>('[data-card-menu]')?.focus();
  return true;
}

let dragged: HTMLElement | undefined;
let isChanged = false;

/** The card of a list that a dropped one comes behind. */
const cardAbove = (list: HTMLElement, y: number): HTMLElement | null =>
  ([...list.children] as HTMLElement[])
    .filter((card) => card !== dragged)
    .findLast((card) => card.getBoundingClientRect().top + card.offsetHeight / 2 < y) ?? null;

function listenToDrags(root: HTMLElement): void {
  const listAt = ({ target }: Event) =>
    (target as Element).closest('.project-column')?.querySelector<HTMLElement>('.project-cards');
  root.addEventListener('dragstart', (event) => {
    dragged = (event.target as Element).closest<HTMLElement>('.project-card') ?? undefined;
    if (dragged) event.dataTransfer?.setData('text/plain', dragged.dataset.issue ?? '');
    dragged?.classList.add('project-card-dragged');
  });
  root.addEventListener('dragover', (event) => {
    if (dragged && listAt(event)) event.preventDefault();
  });
  root.addEventListener('drop', (event) => {
    const list = listAt(event);
    if (!dragged || !list) return;
    event.preventDefault();
    move(root, dragged, list, cardAbove(list, event.clientY));
  });
  root.addEventListener('dragend', () => {
    dragged?.classList.remove('project-card-dragged');
    dragged = undefined;
    if (isChanged) void refresh(root);
    isChanged = false;
  });
}

/** The forms of a card before the board; where that fails the link leads to their page. */
async function openMenu(link: HTMLAnchorElement): Promise<void> {
  const answer = await fetch(link.href).catch(() => undefined);
  const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : undefined;
  const forms = page?.querySelector('[data-card-forms]');
  if (!forms) return location.assign(link.href);
  const dialog = document.createElement('dialog');
  dialog.className = 'project-dialog Box';
  dialog.setAttribute('aria-label', link.getAttribute('aria-label') ?? '');
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'btn btn-sm mt-3';
  close.textContent = t('close');
  close.addEventListener('click', () => dialog.close());
  dialog.append(document.importNode(forms, true), close);
  dialog.addEventListener('close', () => {
    dialog.remove();
    link.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** Cards that were just drawn can be dragged, and say by which keys they move. */
function prepare(root: HTMLElement): void {
  if (root.dataset.movable === undefined) return;
  for (const card of root.querySelectorAll<HTMLElement>('.project-card')) card.draggable = true;
  for (const link of root.querySelectorAll('[data-card-menu]')) link.setAttribute('aria-describedby', 'project-keys');
}

function listenToKeys(root: HTMLElement): void {
  root.addEventListener('keydown', (event) => {
    const card = (event.target as Element).closest('[data-card-menu]')?.closest<HTMLElement>('.project-card');
    if (event.shiftKey && card && moveByKey(root, card, event.key)) event.preventDefault();
  });
  root.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('[data-card-menu]');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void openMenu(link);
  });
}

/** How often an open page says that it is still there. */
const hour = 3_600_000;

/** Says that the page is open, and shows what changed before it could hear of it. */
async function watch(root: HTMLElement): Promise<void> {
  if (!root.dataset.csrf) return;
  try {
    const body = new URLSearchParams({ _csrf: root.dataset.csrf });
    const answer = await fetch(`${root.dataset.path}/watch`, { method: 'POST', body, redirect: 'error' });
    if (!answer.ok) return;
    const { revision } = (await answer.json()) as { readonly revision: number };
    if (String(revision) !== root.dataset.revision) await refresh(root);
  } catch {
    // when the connection stands again it is asked again
  }
}

/** Shows what others did, after what this page does itself and what is being dragged. */
function hear(root: HTMLElement): void {
  if (dragged) isChanged = true;
  else queue = queue.then(() => refresh(root));
}

if (board) {
  document.addEventListener('mortise:project-changed', ({ detail }: CustomEventInit<unknown>) => {
    if (String((detail as { readonly project_id: number }).project_id) === board.dataset.board) hear(board);
  });
  document.addEventListener('mortise:listening', () => void watch(board));
  if (document.documentElement.dataset.listening !== undefined) void watch(board);
  setInterval(() => void watch(board), hour);
  prepare(board);
  listenToKeys(board);
  if (board.dataset.movable !== undefined) listenToDrags(board);
}
