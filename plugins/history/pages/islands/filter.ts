/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { adoptIcons } from '@mortise/plugin-sdk/client';

/** Client: fills menus of branches and tags when they are opened, and searches while one types. */
const delayMs = 150;

for (const menu of document.querySelectorAll<HTMLDetailsElement>('details[data-ref-menu]')) {
  const form = menu.querySelector('form');
  const input = menu.querySelector<HTMLInputElement>('input[name=q]');
  const list = menu.querySelector<HTMLElement>('[data-ref-list]');
  if (!form || !input || !list) continue;
  let asked = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const show = async (): Promise<void> => {
    const request = ++asked;
    const address = new URL(form.action);
    for (const [name, value] of new FormData(form)) address.searchParams.set(name, String(value));
    address.searchParams.set('piece', '1');
    try {
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(String(answer.status));
      const template = document.createElement('template');
      template.innerHTML = await answer.text();
      // an earlier question may be answered later
      if (request !== asked) return;
      adoptIcons(template.content);
      list.replaceChildren(template.content);
    } catch {
      list.textContent = list.dataset.failed ?? '';
    }
  };
  const links = () => [...list.querySelectorAll<HTMLAnchorElement>('a.code-ref')];

  menu.addEventListener('toggle', () => {
    if (!menu.open) return;
    input.focus();
    if (asked === 0) void show();
  });
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), delayMs);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearTimeout(timer);
    void show().then(() => links()[0]?.click());
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const all: HTMLElement[] = [input, ...links()];
    const position = all.indexOf(document.activeElement as HTMLElement);
    all[Math.max(0, Math.min(all.length - 1, position + (event.key === 'ArrowDown' ? 1 : -1)))]?.focus();
    event.preventDefault();
  });
}
