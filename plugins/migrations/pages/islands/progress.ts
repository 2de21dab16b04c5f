/// <reference lib="dom" />
import { adoptIcons } from '@mortise/plugin-sdk/client';

/** Client, on pages that show imports: puts what has come since in the place of what is shown. */
const id = 'migration-progress';
/** Where nobody says that something has changed. */
const pauseMs = 5000;
let isAsking = false;

const panel = (): HTMLElement | null => document.getElementById(id);
const isActive = (): boolean => panel()?.dataset.active !== undefined;

async function refresh(): Promise<void> {
  const old = panel();
  if (isAsking || !old || !isActive() || document.hidden || old.contains(document.activeElement)) return;
  isAsking = true;
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById(id);
    adoptIcons(page);
    // the import is done: this address leads to the repository
    if (fresh) old.replaceWith(document.importNode(fresh, true));
    else location.assign(answer.url);
  } catch {
    // the next look may reach it
  } finally {
    isAsking = false;
  }
}

document.addEventListener('mortise:migrations', () => void refresh());
setInterval(() => void refresh(), pauseMs);
