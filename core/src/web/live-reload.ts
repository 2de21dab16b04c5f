import { siteUrl } from '@mortise/plugin-sdk/client';

/** Loads the page again when the server was started again: for `mortise dev`. Bundled for the browser. */
const address = siteUrl('/-/live');
const pauseMs = 200;

async function start(): Promise<string | undefined> {
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined; // between two starts
  }
}

let known = await start();
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  const now = await start();
  if (now !== undefined && known !== undefined && now !== known) break;
  known ??= now;
}
location.reload();
