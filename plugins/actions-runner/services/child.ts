import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openFor, placeOf, readRegistration, runnerVersion, userOf, writeRegistration } from '../commands/state.js';
import { isRefused, register } from '../remote/client.js';
import { serve } from '../remote/daemon.js';

/** What the server tells its runner, in one line of JSON on the standard input. */
export interface ChildOrder {
  readonly address: string;
  /** Registration token, for the first time. */
  readonly token: string;
  readonly file: string;
  readonly folder: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly capacity: number;
  readonly user: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly mostLogBytes: number;
  readonly containers: string;
  readonly volumes: readonly string[];
}

/** Milliseconds that steps have for their end: less than the server waits for this process. */
const patience = 3500;

/** Ends with the server: its end closes the standard input, however it comes about. */
const ending = new AbortController();
const halting = new AbortController();
const end = () => {
  ending.abort(new Error('cancelled'));
  setTimeout(() => halting.abort(new Error('cancelled')), patience).unref();
};
process.once('SIGTERM', end);
process.once('SIGINT', end);

const input = createInterface({ input: process.stdin });
input.once('close', end);
input.once('line', (line) => {
  work(JSON.parse(line) as ChildOrder).then(
    () => process.exit(0),
    (error: unknown) => {
      console.log(error instanceof Error ? error.message : String(error));
      process.exit(1);
    },
  );
});

async function work(order: ChildOrder): Promise<void> {
  const { address, file, folder, name, labels, capacity, timeout, mostLogBytes, containers, volumes } = order;
  const user = userOf(order.user);
  let registration = readRegistration(file);
  if (!registration || registration.address !== address) {
    registration = await register({
      address,
      token: order.token,
      name,
      labels,
      ephemeral: false,
      version: runnerVersion,
    });
    await writeRegistration(file, registration);
  }
  const place = placeOf({
    folder,
    address,
    name,
    timeout,
    mostLogBytes,
    containers,
    volumes,
    ...(user ? { user } : {}),
  });
  await openFor(place, folder);
  try {
    const say = (line: string) => console.log(line);
    await serve({
      registration: { ...registration, labels },
      place,
      capacity,
      once: false,
      signal: ending.signal,
      halt: halting.signal,
      say,
    });
  } catch (error) {
    // Registered anew at the next start.
    if (isRefused(error)) rmSync(file, { force: true });
    throw error;
  }
}
