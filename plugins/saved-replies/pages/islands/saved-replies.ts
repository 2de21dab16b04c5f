/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { adoptIcons, siteUrl } from '@mortise/plugin-sdk/client';

/** Client: puts the menu of saved replies beside the toolbar of each editor. */
let loading: Promise<Element | null> | undefined;

/** Once for all editors of the page. */
const menu = (): Promise<Element | null> =>
  (loading ??= fetch(siteUrl('/user/settings/replies/menu'))
    .then(async (answer) => {
      const parsed = new DOMParser().parseFromString(answer.ok ? await answer.text() : '', 'text/html');
      adoptIcons(parsed);
      return parsed.querySelector('details');
    })
    .catch(() => null));

function insert(area: HTMLTextAreaElement, text: string): void {
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
  area.focus();
}

async function addMenu(editor: HTMLElement): Promise<void> {
  if (editor.dataset.savedReplies !== undefined) return;
  editor.dataset.savedReplies = '';
  const area = editor.querySelector('textarea');
  const own = (await menu())?.cloneNode(true) as HTMLDetailsElement | undefined;
  if (!area || !own) return;
  own.addEventListener('click', ({ target }) => {
    const text = (target as Element).closest<HTMLElement>('[data-reply]')?.dataset.reply;
    if (text === undefined) return;
    own.open = false;
    insert(area, text);
  });
  editor.querySelector('.markdown-editor-bar')?.append(own);
}

/** Not before somebody is about to write: most who read a page do not. */
document.addEventListener('focusin', ({ target }) => {
  const editor = (target as Element).closest<HTMLElement>('[data-markdown-editor]');
  if (editor) void addMenu(editor);
});
