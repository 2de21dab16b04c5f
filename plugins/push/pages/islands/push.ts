/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts, siteUrl } from '@mortise/plugin-sdk/client';
import { goodbye, type PageMessage, type PushEvent, type WorkerMessage } from './messages.js';

/**
 * Client, on every page of somebody who is signed in: hears what happens, shows the number of unread notifications, and
 * tells other islands by events of the document: `mortise:stopwatches` and so on, with the data as `detail`. Except for
 * the number, what happened before the connection stood was heard by nobody: `mortise:listening`, and the mark on the
 * document for islands that come later, say from when on all is. Without a connection the page asks from time to time
 * (PSH-10, PSH-11).
 */
const text = islandTexts<'none' | 'one' | 'other' | 'poll' | 'user'>('push');
/** Milliseconds; the first below 0: never. */
const [shortest = -1, longest = 0, step = 0] = text('poll').split(' ').map(Number);
const plural = new Intl.PluralRules(document.documentElement.lang);
const numbers = new Intl.NumberFormat(document.documentElement.lang);

/** The number that is shown, once it was told. */
let last: number | undefined;

function showCount(count: number): void {
  last = count;
  for (const bell of document.querySelectorAll<HTMLElement>('[data-notifications]')) {
    bell.dataset.notifications = String(count);
    const form = count === 0 ? 'none' : plural.select(count) === 'one' ? 'one' : 'other';
    bell.setAttribute('aria-label', text(form, { count: numbers.format(count) }));
    const shown = bell.querySelector('[data-unread]');
    if (shown) shown.textContent = count > 0 ? numbers.format(count) : '';
  }
}

/** Somebody may have written for hours: what they wrote stays before them. */
const isWriting = (): boolean =>
  [...document.querySelectorAll('textarea')].some((field) => field.value !== field.defaultValue);

function hear({ eventType, eventData }: PushEvent): void {
  if (eventType === 'notification-count') showCount((eventData as { count: number }).count);
  if (eventType === 'logout' && !isWriting()) location.assign(siteUrl('/'));
  document.dispatchEvent(new CustomEvent(`mortise:${eventType}`, { detail: eventData }));
}

/** The number as it is now; undefined where it cannot be told. */
async function ask(): Promise<number | undefined> {
  try {
    const answer = await fetch(siteUrl('/notifications/new'), { redirect: 'error', cache: 'no-store' });
    return answer.ok ? ((await answer.json()) as { new: number }).new : undefined;
  } catch {
    return undefined;
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;
let pause = shortest;

/** Asks soon after something was new, and more and more seldom while nothing is. */
function poll(): void {
  clearTimeout(timer);
  if (shortest < 0) return;
  timer = setTimeout(async () => {
    const count = document.hidden ? undefined : await ask();
    if (timer === undefined) return;
    if (count !== undefined && count !== last) {
      hear({ eventType: 'notification-count', eventData: { count } });
      pause = shortest;
    } else pause = Math.min(pause + step, longest);
    poll();
  }, pause);
}

function stopPolling(): void {
  clearTimeout(timer);
  timer = undefined;
  pause = shortest;
}

function listen(): void {
  const worker = new SharedWorker(siteUrl('/assets/islands/push-worker'), { name: text('user'), type: 'module' });
  const say = (word: PageMessage) => worker.port.postMessage(word);
  worker.onerror = () => poll();
  worker.port.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    if (typeof data !== 'string') return hear(data.event);
    if (data === 'listening') {
      document.documentElement.dataset.listening = '';
      document.dispatchEvent(new CustomEvent('mortise:listening'));
      return;
    }
    document.documentElement.dataset.push = data;
    if (data === 'push-unavailable') return poll();
    stopPolling();
  };
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted) say(goodbye);
  });
  // what came before this page was asked for, it shows; where one goes back to a page, it may be an old one
  const [way] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  say({ age: way?.type === 'back_forward' ? Infinity : performance.now() });
}

if (typeof SharedWorker === 'undefined') poll();
else
  try {
    listen();
  } catch {
    poll();
  }
