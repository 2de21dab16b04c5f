/** Client: the buttons of `CopyButton` put their text on the clipboard. Without scripts they are not there. */
interface Button {
  readonly dataset: { readonly copyText?: string; readonly copied?: string };
  readonly childNodes: Iterable<unknown>;
  hidden: boolean;
  replaceChildren(...nodes: unknown[]): void;
  addEventListener(type: 'click', listener: () => void): void;
}
interface Page {
  document: { querySelectorAll(selector: string): Iterable<Button> };
  navigator: { clipboard?: { writeText(text: string): Promise<void> } };
  setTimeout(work: () => void, milliseconds: number): unknown;
}
const page = globalThis as unknown as Page;
const shownMs = 1500;

for (const button of page.document.querySelectorAll('button[data-copy-text]')) {
  const { clipboard } = page.navigator;
  if (!clipboard) continue;
  const label = [...button.childNodes];
  button.hidden = false;
  button.addEventListener('click', () => {
    void clipboard.writeText(button.dataset.copyText ?? '').then(() => {
      button.replaceChildren(button.dataset.copied ?? '');
      page.setTimeout(() => button.replaceChildren(...label), shownMs);
    });
  });
}
export {};
