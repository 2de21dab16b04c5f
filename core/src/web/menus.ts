/**
 * Client, on every page: what unfolds over the page closes again. Escape gives the focus back to where the menu was
 * opened; a click elsewhere closes it, so that only one is open. Without scripts a second click on the summary does.
 */
interface Element {
  contains(other: unknown): boolean;
  querySelector(selector: string): { focus(): void } | null;
  open: boolean;
}
interface Page {
  document: { querySelectorAll(selector: string): Iterable<Element> };
  addEventListener(
    type: 'click' | 'keydown',
    listener: (event: { target: unknown; key?: string; isComposing?: boolean; defaultPrevented: boolean }) => void,
  ): void;
}
const page = globalThis as unknown as Page;
/** Looked for when needed: islands make menus, too. What unfolds within the text stays as it is. */
const open = () =>
  page.document.querySelectorAll(
    'details[open]:is(.confirm, .dropdown, :has(> .position-absolute), :has(> .position-fixed))',
  );

page.addEventListener('click', ({ target }) => {
  for (const menu of open()) if (!menu.contains(target)) menu.open = false;
});
page.addEventListener('keydown', ({ key, isComposing, defaultPrevented }) => {
  if (key !== 'Escape' || isComposing || defaultPrevented) return;
  for (const menu of open()) {
    menu.open = false;
    menu.querySelector('summary')?.focus();
  }
});
export {};
