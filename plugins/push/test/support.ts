import nes from '@hapi/nes';
import { WebSocket } from 'ws';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { cookieOf } from '@mortise/sessions/testing';

export interface World {
  readonly host: TestHost;
  /** `ws://…/-/ws` */
  readonly address: string;
  readonly ids: Readonly<Record<'ada' | 'ben', number>>;
}

export async function makeWorld(more: Partial<Parameters<typeof startHost>[0]> = {}): Promise<World> {
  const host = await startHost({
    plugins: ['push', 'time-tracking', 'auth-basic', 'stars'],
    background: true,
    ...more,
  });
  const [ada, ben] = [await createAccount(host, 'ada'), await createAccount(host, 'ben')];
  return { host, address: socketOf(await host.url()), ids: { ada: ada.id, ben: ben.id } };
}

export const socketOf = (url: string): string => `${url.replace(/^http/, 'ws')}/-/ws`;

/** Resolves as soon as `check` gives something. */
export async function until<T>(check: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + 15_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`nothing came: ${check.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Heard {
  readonly frames: Record<string, unknown>[];
  readonly ws: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** A client that knows WebSockets alone. Resolves when it is open. */
export async function plain(address: string, headers: Record<string, string> = {}): Promise<Heard> {
  const ws = new WebSocket(address, { headers });
  const frames: Record<string, unknown>[] = [];
  ws.on('message', (data, isBinary) => {
    if (!isBinary) frames.push(JSON.parse(String(data as Buffer)) as Record<string, unknown>);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    ws.on('close', (code, reason) => resolve({ code, reason: String(reason) })),
  );
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve);
    ws.once('error', reject);
  });
  return { frames, ws, closed };
}

export interface NesHeard {
  readonly updates: unknown[];
  readonly client: InstanceType<typeof nes.Client>;
}

/** A client of nes; resolves after its hello. */
export async function speaking(address: string, headers: Record<string, string>): Promise<NesHeard> {
  const client = new nes.Client(address as `ws://${string}`, { ws: { headers } });
  const updates: unknown[] = [];
  client.onUpdate = (message) => updates.push(message);
  await client.connect({ reconnect: false });
  return { updates, client };
}

export const signedIn = async (host: TestHost, userId: number): Promise<Record<string, string>> => ({
  cookie: await cookieOf(host, userId),
});
