import { siteUrl } from '@mortise/plugin-sdk/client';

/** Reloads the page after a restart of the server, for `mortise dev`. Bundled for the browser. */
const address = siteUrl('/-/live');
const pauseMs = 200;

async function startId(): Promise<string | undefined> {
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined; // between two starts
  }
}

let known = await startId();
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, pauseMs));
  const now = await startId();
  if (now !== undefined && known !== undefined && now !== known) break;
  known ??= now;
}
location.reload();
