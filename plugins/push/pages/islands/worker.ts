/// <reference lib="dom" />
import './global.js';
import nes from '@hapi/nes/lib/client.js';
import { siteUrl } from '@mortise/plugin-sdk/client';
import { goodbye, type PageMessage, type PushEvent, type WorkerMessage } from './messages.js';

/** The script of the worker itself: each tab that opens comes to it. */
const worker = globalThis as unknown as { readonly name: string; onconnect: (event: MessageEvent) => void };

/**
 * Client: the one connection that all tabs of an account share (PSH-04). Runs in a SharedWorker, whose name is the number of
 * the account. By `state` each connection begins with how things are; by `user` it is refused when another has signed in.
 */
const address = siteUrl(`/-/ws?state&user=${worker.name}`).replace(/^http/, 'ws') as `ws://${string}`;
/** Attempts in a row that may fail before pages ask by themselves (LIM-04). */
const maxFailures = 3;
const shortestPause = 1000;
const longestPause = 10_000;
const timeoutMs = 10_000;
/** The site says that nobody is signed in. */
const unauthenticated: number = 3000;

const pages = new Set<MessagePort>();
/** The last number of notifications, and when it came: a page that was on its way has missed it. */
let count: { readonly event: PushEvent; readonly at: number } | undefined;
let failures = 0;
let pause = shortestPause;
let isBusy = false;
let isListening = false;
let hasBeenOpen = false;
let isSignedOut = false;

function postToPages(word: WorkerMessage): void {
  for (const page of pages) page.postMessage(word);
}

function later(): void {
  setTimeout(() => void connect(), pause);
  pause = Math.min(pause * 2, longestPause);
}

function failed(code: number): void {
  isBusy = false;
  isListening = false;
  if (code === unauthenticated) {
    isSignedOut = true;
    count = undefined;
    return postToPages('signed-out');
  }
  failures++;
  if (failures === maxFailures) postToPages('push-unavailable');
  later();
}

async function connect(): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  const client = new nes.Client(address);
  let isOpen = false;
  let code = 0;
  client.onUpdate = (message: unknown) => {
    const event = message as PushEvent;
    if (event.eventType === 'notification-count') count = { event, at: performance.now() };
    postToPages({ event });
  };
  client.onError = () => undefined;
  client.onDisconnect = (_willReconnect, log) => {
    code = log.code;
    if (isOpen) failed(code);
  };
  try {
    await client.connect({ reconnect: false, timeout: timeoutMs });
  } catch {
    return failed(code);
  }
  isOpen = true;
  isListening = true;
  if (hasBeenOpen || failures >= maxFailures) postToPages('push-available');
  postToPages('listening');
  hasBeenOpen = true;
  failures = 0;
  pause = shortestPause;
}

worker.onconnect = ({ ports: [page] }) => {
  if (!page) return;
  pages.add(page);
  page.onmessage = ({ data }: MessageEvent<PageMessage>) => {
    if (data === goodbye) pages.delete(page);
    else if (count && isListening && count.at >= performance.now() - data.age) page.postMessage({ event: count.event });
  };
  if (failures >= maxFailures) page.postMessage('push-unavailable' satisfies WorkerMessage);
  if (isListening) page.postMessage('listening' satisfies WorkerMessage);
  // pages that load this are signed in
  if (isSignedOut || !hasBeenOpen) {
    if (isSignedOut) failures = 0;
    isSignedOut = false;
    if (!isBusy && failures === 0) void connect();
  }
};
