/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { siteUrl } from '@mortise/plugin-sdk/client';

/**
 * Client: fields with `data-suggest` offer names of users while one is typed: `user` holds one, `users` several with
 * commas between them. Options of its `datalist` with `data-kept` stay. Without scripts, or where the search fails, they are plain fields.
 */
const pauseMs = 150;
const maxShown = 8;
let made = 0;
/** What was typed last: answers to what came before are too late. */
let latest = 0;

function choicesOf(field: HTMLInputElement): HTMLElement {
  if (field.list) return field.list;
  const choices = document.createElement('datalist');
  choices.id = `suggested-${++made}`;
  field.after(choices);
  field.setAttribute('list', choices.id);
  return choices;
}

async function suggest(field: HTMLInputElement, turn: number): Promise<void> {
  const at = field.dataset.suggest === 'users' ? field.value.lastIndexOf(',') + 1 : 0;
  const word = field.value.slice(at).trim();
  if (!word) return;
  const before = at ? `${field.value.slice(0, at).trimEnd()} ` : '';
  const query = new URLSearchParams({ q: word, limit: String(maxShown) }).toString();
  const answer = await fetch(siteUrl(`/api/v1/users/search?${query}`), { headers: { accept: 'application/json' } });
  if (!answer.ok || turn !== latest) return;
  const { data } = (await answer.json()) as { data: readonly { login: string; full_name: string }[] };
  const choices = choicesOf(field);
  choices.replaceChildren(
    ...choices.querySelectorAll('[data-kept]'),
    ...data.map(({ login, full_name: name }) =>
      Object.assign(document.createElement('option'), { value: before + login, label: name || login }),
    ),
  );
}

document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches('input[data-suggest]')) return;
  const turn = ++latest;
  setTimeout(() => {
    if (turn === latest) void suggest(target, turn).catch(() => undefined);
  }, pauseMs);
});
