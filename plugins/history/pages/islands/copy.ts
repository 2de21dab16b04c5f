/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Client: buttons with `data-copy` put their text on the clipboard and say so with `data-copied`. Without scripts what is
 * to be copied can be selected.
 */
const { clipboard } = navigator as { clipboard?: Clipboard };

const show = (root: ParentNode): void => {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) button.hidden = false;
};

if (clipboard) {
  show(document);
  // pieces that are loaded later
  document.addEventListener('mortise:added', (event) => show(event.target as Element));
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('button[data-copy]');
    if (!button || button.dataset.busy !== undefined) return;
    void clipboard.writeText(button.dataset.copy ?? '').then(() => {
      const label = [...button.childNodes];
      button.dataset.busy = '';
      button.replaceChildren(button.dataset.copied ?? '✓');
      setTimeout(() => {
        button.replaceChildren(...label);
        delete button.dataset.busy;
      }, 1500);
    });
  });
}
export {};
