/** Client: buttons with `data-copy` put their text on the clipboard. Without scripts the address can be selected. */
interface Button {
  readonly dataset: { copy?: string };
  readonly childNodes: Iterable<unknown>;
  replaceChildren(...nodes: unknown[]): void;
  addEventListener(type: 'click', listener: () => void): void;
  hidden: boolean;
}
interface Page {
  document: { querySelectorAll(selector: string): Iterable<Button> };
  navigator: { clipboard?: { writeText(text: string): Promise<void> } };
  setTimeout(work: () => void, milliseconds: number): unknown;
}
const page = globalThis as unknown as Page;

for (const button of page.document.querySelectorAll('button[data-copy]')) {
  const { clipboard } = page.navigator;
  if (!clipboard) continue;
  const label = [...button.childNodes];
  button.hidden = false;
  button.addEventListener('click', () => {
    void clipboard.writeText(button.dataset.copy ?? '').then(() => {
      button.replaceChildren('Copied');
      page.setTimeout(() => button.replaceChildren(...label), 1500);
    });
  });
}
export {};
