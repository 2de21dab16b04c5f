/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client: beside the first of the chosen lines stands a button with what can be done with them. */
const list = document.querySelector<HTMLElement>('#line-menu');
const button = document.querySelector<HTMLElement>('button[popovertarget="line-menu"]');
const gap = 4;

/** Fills the menu for the lines that are marked, and puts the button beside them. */
function follow(button: HTMLElement, list: HTMLElement): void {
  const rows = [...document.querySelectorAll<HTMLTableRowElement>('[data-code-lines] tr.code-selected')];
  const numbers = rows[0]?.cells[0];
  button.hidden = !numbers;
  if (!numbers) return;
  if (button.parentElement !== numbers) numbers.append(button);
  const hash = location.hash;
  const permalink = new URL(list.dataset.permalink!, location.href);
  permalink.hash = hash;
  const copied = (name: string, text: string) => {
    const one = list.querySelector<HTMLElement>(`[${name}]`);
    if (one) one.dataset.copyText = text;
  };
  copied('data-line-copy', rows.map((row) => row.cells[1]?.textContent?.replace(/\n$/, '') ?? '').join('\n'));
  copied('data-line-link', permalink.href);
  for (const link of list.querySelectorAll<HTMLAnchorElement>('a[data-line-href]'))
    link.href = link.dataset.lineHref + hash;
  for (const link of list.querySelectorAll<HTMLAnchorElement>('a[data-line-parameter]')) {
    const address = new URL(link.href);
    address.searchParams.set(link.dataset.lineParameter!, `${permalink.href}\n\n`);
    link.href = address.href;
  }
}

/** Below the button, or above it where the window ends. */
function place(button: HTMLElement, list: HTMLElement): void {
  const { left, top, bottom } = button.getBoundingClientRect();
  const isBelow = bottom + gap + list.offsetHeight <= innerHeight;
  list.style.left = `${left}px`;
  list.style.top = `${isBelow ? bottom + gap : Math.max(gap, top - gap - list.offsetHeight)}px`;
}

if (button && list) {
  document.addEventListener('mortise:lines', () => follow(button, list));
  follow(button, list);
  list.addEventListener('toggle', () => {
    if (!list.matches(':popover-open')) return;
    place(button, list);
    list.querySelector<HTMLElement>('button:not([hidden]), a')?.focus();
  });
  addEventListener('scroll', () => list.matches(':popover-open') && place(button, list), { passive: true });
  list.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    event.stopPropagation();
    const all = [...list.querySelectorAll<HTMLElement>('button:not([hidden]), a')];
    const position = all.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1);
    all[(position + all.length) % all.length]?.focus();
  });
}
export {};
