/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts, siteUrl } from '@mortise/plugin-sdk/client';

/** Client: copy buttons at code, labels of what can be scrolled, diagrams, and addresses of headings. */
type Key =
  | 'code'
  | 'table'
  | 'copy'
  | 'copied'
  | 'diagram'
  | 'showSource'
  | 'showDiagram'
  | 'fullSize'
  | 'fitSize'
  | 'diagramFailed';
const t = islandTexts<Key>('markup');

function label(element: HTMLElement, text: string): void {
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', text);
}

function newButton(text: string, click: (button: HTMLButtonElement) => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-sm markup-button';
  button.textContent = text;
  button.addEventListener('click', () => click(button));
  return button;
}

function copyButton(code: HTMLElement): HTMLButtonElement {
  return newButton(t('copy'), (button) => {
    void navigator.clipboard.writeText((code.textContent ?? '').replace(/\n$/, '')).then(() => {
      button.textContent = t('copied');
      setTimeout(() => (button.textContent = t('copy')), 1500);
    });
  });
}

for (const box of document.querySelectorAll<HTMLElement>('.markup-code')) {
  const code = box.querySelector('pre')!;
  label(code, t('code'));
  // Absent where the page did not come over HTTPS.
  if ('clipboard' in navigator) box.append(copyButton(code));
}

for (const table of document.querySelectorAll<HTMLElement>('.markup-table')) {
  if (table.scrollWidth > table.clientWidth) label(table, t('table'));
  else table.removeAttribute('tabindex');
}

// Links from elsewhere name headings without the prefix that keeps their ids apart from the page's.
function toHeading(): void {
  let name: string;
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  if (name && !document.getElementById(name)) document.getElementById(`user-content-${name}`)?.scrollIntoView();
}
addEventListener('hashchange', toHeading);
toHeading();

const copiedMs = 1500;
/** The address of a heading is copied as its link is followed. */
function copyAddress(anchor: HTMLAnchorElement): void {
  void navigator.clipboard.writeText(anchor.href).then(
    () => {
      anchor.dataset.copied = t('copied');
      setTimeout(() => delete anchor.dataset.copied, copiedMs);
    },
    // the browser does not want it; the link was followed anyway
    () => undefined,
  );
}
if ('clipboard' in navigator)
  document.addEventListener('click', ({ target, ctrlKey, metaKey, shiftKey }) => {
    const anchor = (target as Element).closest<HTMLAnchorElement>('.markup .anchor');
    if (anchor && !(ctrlKey || metaKey || shiftKey)) copyAddress(anchor);
  });

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The diagram takes the place of its text; what is larger is drawn to fit, and can be shown in its full size, scrolled. */
function showDiagram(box: HTMLElement, frame: HTMLIFrameElement, code: HTMLElement, size: Size): void {
  const room = { width: box.clientWidth, height: code.offsetHeight };
  const scroller = frame.parentElement!;
  const fit = (): void => {
    frame.style.width = '';
    frame.style.height = `${room.height}px`;
    scroller.removeAttribute('tabindex');
  };
  const grow = (): void => {
    const isWide = size.width > room.width;
    frame.style.width = isWide ? `${Math.min(size.width, maxDiagramSide)}px` : '';
    frame.style.height = `${Math.min(size.height, maxDiagramSide)}px`;
    // what scrolls must be reached by keys
    if (isWide) scroller.tabIndex = 0;
  };
  fit();
  delete frame.dataset.drawing;
  code.hidden = true;
  const buttons = document.createElement('div');
  buttons.className = 'markup-diagram-buttons';
  buttons.append(
    newButton(t('showSource'), (button) => {
      code.hidden = !code.hidden;
      frame.hidden = !frame.hidden;
      button.textContent = t(frame.hidden ? 'showDiagram' : 'showSource');
    }),
  );
  if (size.width > room.width || size.height > room.height) {
    let isFull = false;
    buttons.append(
      newButton(t('fullSize'), (button) => {
        isFull = !isFull;
        (isFull ? grow : fit)();
        button.textContent = t(isFull ? 'fitSize' : 'fullSize');
      }),
    );
  }
  box.append(buttons);
}

/** Pixels. */
const maxDiagramSide = 4000;
/** A frame of its own draws a diagram: it has no part of this page, whatever the text makes of it. */
function draw(box: HTMLElement, source: string): void {
  const frame = document.createElement('iframe');
  frame.className = 'markup-diagram';
  frame.dataset.drawing = '';
  frame.title = t('diagram');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = siteUrl('/-/markup/diagram');
  const code = box.querySelector('pre')!;
  addEventListener('message', (event: MessageEvent<{ ready?: true; reason?: string } & Partial<Size>>) => {
    if (event.source !== frame.contentWindow) return;
    const { ready, width, height, reason } = event.data;
    if (ready) {
      const dark = matchMedia('(prefers-color-scheme: dark)').matches;
      const mode = document.documentElement.dataset.colorMode;
      frame.contentWindow!.postMessage({ source, dark: mode === 'dark' || (mode === 'auto' && dark) }, '*');
    } else if (typeof width === 'number' && typeof height === 'number') {
      showDiagram(box, frame, code, { width, height });
    } else if (reason) {
      frame.parentElement!.remove();
      const note = document.createElement('p');
      note.className = 'markup-diagram-error f6 color-fg-danger';
      note.textContent = t('diagramFailed', { reason });
      box.append(note);
    }
  });
  const scroller = document.createElement('div');
  scroller.className = 'markup-diagram-scroll';
  label(scroller, t('diagram'));
  scroller.append(frame);
  box.prepend(scroller);
}

const diagrams = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    diagrams.unobserve(target);
    draw(target as HTMLElement, target.querySelector('code')!.textContent ?? '');
  }
});
for (const code of [...document.querySelectorAll('.markup-code code.language-mermaid')].slice(0, 50))
  diagrams.observe(code.closest('.markup-code')!);
