/** Client: the buttons of `CopyButton` put their text on the clipboard. Without scripts they are not there. */
interface Button {
  readonly dataset: { readonly copyText?: string; readonly copied?: string; busy?: string };
  readonly childNodes: Iterable<unknown>;
  hidden: boolean;
  replaceChildren(...nodes: unknown[]): void;
}
interface Part {
  closest(selector: string): Button | null;
  querySelectorAll(selector: string): Iterable<Button>;
}
interface Page {
  document: Part & { addEventListener(type: string, listener: (event: { target: Part }) => void): void };
  navigator: { clipboard?: { writeText(text: string): Promise<void> } };
  setTimeout(work: () => void, milliseconds: number): unknown;
}
const { document, navigator, setTimeout } = globalThis as unknown as Page;
const { clipboard } = navigator;
const buttons = 'button[data-copy-text]';
const shownMs = 1500;

const show = (part: Part): void => {
  for (const button of part.querySelectorAll(buttons)) button.hidden = false;
};

if (clipboard) {
  show(document);
  // parts of pages that are loaded later
  document.addEventListener('mortise:added', ({ target }) => show(target));
  document.addEventListener('click', ({ target }) => {
    const button = target.closest(buttons);
    if (!button || button.dataset.busy !== undefined) return;
    void clipboard.writeText(button.dataset.copyText ?? '').then(() => {
      const label = [...button.childNodes];
      button.dataset.busy = '';
      button.replaceChildren(button.dataset.copied ?? '');
      setTimeout(() => {
        button.replaceChildren(...label);
        delete button.dataset.busy;
      }, shownMs);
    });
  });
}
export {};
