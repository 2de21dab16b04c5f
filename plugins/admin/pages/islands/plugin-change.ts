/// <reference lib="dom" />

/** Client, on the page of a change of plugins: shows how far it has come. */
const id = 'plugin-change';
const pauseMs = 2000;
let isAsking = false;

async function refresh(): Promise<void> {
  const old = document.getElementById(id);
  if (isAsking || old?.dataset.active === undefined || document.hidden || old.contains(document.activeElement)) return;
  isAsking = true;
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const fresh = page.getElementById(id);
    if (answer.ok && fresh) old.replaceWith(document.importNode(fresh, true));
  } catch {
    // the next look may reach it
  } finally {
    isAsking = false;
  }
}

setInterval(() => void refresh(), pauseMs);
