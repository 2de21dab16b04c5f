/// <reference lib="dom" />
import './global.js';
import nes from '@hapi/nes/lib/client.js';
import { siteUrl } from '@mortise/plugin-sdk/client';
import { goodbye, type PushEvent, type WorkerEvent, type WorkerWord } from './words.js';

/**
 * Client: the one connection that all tabs of this site share (PSH-04). Runs in a SharedWorker. By `?state` each
 * connection begins with how things are.
 */
const address = siteUrl('/-/ws?state').replace(/^http/, 'ws') as `ws://${string}`;
/** Attempts in a row that may fail before pages ask by themselves (LIM-04). */
const maxFailures = 3;
const shortestPause = 1000;
const longestPause = 10_000;
const patience = 10_000;
/** The site says that nobody is signed in. */
const unauthenticated: number = 3000;

const pages = new Set<MessagePort>();
/** The last event of each kind: a page that was on its way when it came has missed it. */
const heard = new Map<string, WorkerEvent>();
let failures = 0;
let pause = shortestPause;
let isBusy = false;
let isListening = false;
let hasBeenOpen = false;
let isSignedOut = false;

function tell(word: WorkerWord): void {
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
    return tell('signed-out');
  }
  failures++;
  if (failures === maxFailures) tell('push-unavailable');
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
    heard.set(event.eventType, { event, at: Date.now() });
    tell({ event });
  };
  client.onError = () => undefined;
  client.onDisconnect = (_willReconnect, log) => {
    code = log.code;
    if (isOpen) failed(code);
  };
  try {
    await client.connect({ reconnect: false, timeout: patience });
  } catch {
    return failed(code);
  }
  isOpen = true;
  isListening = true;
  if (hasBeenOpen || failures >= maxFailures) tell('push-available');
  tell('listening');
  hasBeenOpen = true;
  failures = 0;
  pause = shortestPause;
}

/** The script of the worker itself: each tab that opens comes here. */
const worker = globalThis as unknown as { onconnect: (event: MessageEvent) => void };
worker.onconnect = ({ ports: [page] }) => {
  if (!page) return;
  pages.add(page);
  page.onmessage = ({ data }) => {
    if (data === goodbye) pages.delete(page);
  };
  if (failures >= maxFailures) page.postMessage('push-unavailable' satisfies WorkerWord);
  if (isListening) page.postMessage('listening' satisfies WorkerWord);
  for (const word of heard.values()) page.postMessage(word);
  // pages that load this are signed in
  if (isSignedOut || !hasBeenOpen) {
    if (isSignedOut) failures = 0;
    isSignedOut = false;
    if (!isBusy && failures === 0) void connect();
  }
};
