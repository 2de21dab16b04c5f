/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts, siteUrl } from '@mortise/plugin-sdk/client';

/** Client: copy buttons at code, labels of what can be scrolled, diagrams, and addresses of headings. */
type Key = 'code' | 'table' | 'copy' | 'copied' | 'diagram' | 'showSource' | 'showDiagram' | 'diagramFailed';
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
  const name = decodeURIComponent(location.hash.slice(1));
  if (name && !document.getElementById(name)) document.getElementById(`user-content-${name}`)?.scrollIntoView();
}
addEventListener('hashchange', toHeading);
toHeading();

/** A frame of its own draws a diagram: it has no part of this page, whatever the text makes of it. */
function draw(box: HTMLElement, source: string): void {
  const frame = document.createElement('iframe');
  frame.className = 'markup-diagram';
  frame.title = t('diagram');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = siteUrl('/-/markup/diagram');
  const code = box.querySelector('pre')!;
  addEventListener('message', (event: MessageEvent<{ ready?: true; height?: number; reason?: string }>) => {
    if (event.source !== frame.contentWindow) return;
    const { ready, height, reason } = event.data;
    if (ready) {
      const dark = matchMedia('(prefers-color-scheme: dark)').matches;
      const mode = document.documentElement.dataset.colorMode;
      frame.contentWindow!.postMessage({ source, dark: mode === 'dark' || (mode === 'auto' && dark) }, '*');
    } else if (typeof height === 'number') {
      frame.style.height = `${Math.min(Math.max(height, 40), 4000)}px`;
      code.hidden = true;
      box.append(
        newButton(t('showSource'), (button) => {
          code.hidden = !code.hidden;
          frame.hidden = !frame.hidden;
          button.textContent = t(frame.hidden ? 'showDiagram' : 'showSource');
        }),
      );
    } else if (reason) {
      frame.remove();
      const note = document.createElement('p');
      note.className = 'markup-diagram-error f6 color-fg-danger';
      note.textContent = t('diagramFailed', { reason });
      box.append(note);
    }
  });
  box.prepend(frame);
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
