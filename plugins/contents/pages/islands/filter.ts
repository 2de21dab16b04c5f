/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client: filters the branches and tags of a switcher while one types. */
for (const input of document.querySelectorAll<HTMLInputElement>('input[data-filter]')) {
  const menu = input.closest('details');
  if (!menu) continue;
  input.hidden = false;
  const entries = [...menu.querySelectorAll<HTMLElement>('[data-filtered]')];
  input.addEventListener('input', () => {
    const word = input.value.trim().toLowerCase();
    for (const entry of entries) entry.hidden = !(entry.dataset.filtered ?? '').toLowerCase().includes(word);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    entries
      .find((entry) => !entry.hidden)
      ?.querySelector('a')
      ?.click();
  });
  menu.addEventListener('toggle', () => {
    if (menu.open) input.focus();
  });
}
// One menu at a time; a click elsewhere or Escape closes it.
const menus = [
  ...document.querySelectorAll<HTMLDetailsElement>(
    'details:has(> .code-menu), details.dropdown, details.confirm, header details',
  ),
];
addEventListener('click', (event) => {
  for (const menu of menus) if (!menu.contains(event.target as Node)) menu.open = false;
});
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  for (const menu of menus.filter(({ open }) => open)) {
    menu.open = false;
    // whoever came by keyboard goes on where the menu stood
    menu.querySelector('summary')?.focus();
  }
});
export {};
