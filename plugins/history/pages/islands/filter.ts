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
export {};
