/**
 * Client, on every page: what unfolds over the page closes again. Escape gives the focus back to where the menu was
 * opened; a click elsewhere closes it, so that only one is open. Without scripts a second click on the summary does.
 */
interface Menu {
  querySelector(selector: string): { focus(): void } | null;
  open: boolean;
}
interface Happening {
  readonly key?: string;
  readonly isComposing?: boolean;
  readonly defaultPrevented: boolean;
  composedPath(): readonly unknown[];
}
interface Target {
  matches?(selector: string): boolean;
}
interface Page {
  document: { querySelectorAll(selector: string): Iterable<Menu> };
  addEventListener(type: 'click' | 'keydown', listener: (event: Happening) => void): void;
}
const page = globalThis as unknown as Page;
/** Looked for when needed: islands make menus, too. What unfolds within the text stays as it is. */
const open = () =>
  page.document.querySelectorAll(
    'details[open]:is(.confirm, .dropdown, :has(> .position-absolute), :has(> .position-fixed))',
  );

page.addEventListener('click', (event) => {
  // what was clicked may be gone from its menu by now
  const path = event.composedPath();
  const isLink = path.some((one) => (one as Target).matches?.('a[href^="#"]'));
  for (const menu of open()) if (isLink || !path.includes(menu)) menu.open = false;
});
page.addEventListener('keydown', ({ key, isComposing, defaultPrevented }) => {
  if (key !== 'Escape' || isComposing || defaultPrevented) return;
  for (const menu of open()) {
    menu.open = false;
    menu.querySelector('summary')?.focus();
  }
});
export {};
