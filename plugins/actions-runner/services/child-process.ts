import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  grantAccess,
  runnerHost,
  readRegistration,
  runnerVersion,
  systemUser,
  writeRegistration,
} from '../commands/registration-file.js';
import { isRefused, register } from '../remote/client.js';
import { serveTasks } from '../remote/daemon.js';

/** What the server tells its runner, in one line of JSON on the standard input. */
export interface ChildOptions {
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
  readonly maxLogBytes: number;
  readonly containers: string;
  readonly volumes: readonly string[];
}

/** Milliseconds that steps have for their end: less than the server waits for this process. */
const exitTimeoutMs = 3500;

/** Ends with the server: its end closes the standard input, however it comes about. */
const ending = new AbortController();
const halting = new AbortController();
const end = () => {
  ending.abort(new Error('cancelled'));
  setTimeout(() => halting.abort(new Error('cancelled')), exitTimeoutMs).unref();
};
process.once('SIGTERM', end);
process.once('SIGINT', end);

const input = createInterface({ input: process.stdin });
input.once('close', end);
input.once('line', (line) => {
  runDaemon(JSON.parse(line) as ChildOptions).then(
    () => process.exit(0),
    (error: unknown) => {
      console.log(error instanceof Error ? error.message : String(error));
      process.exit(1);
    },
  );
});

async function runDaemon(order: ChildOptions): Promise<void> {
  const {
    address,
    file,
    folder,
    name,
    labels,
    capacity,
    timeout,
    maxLogBytes: maxLogBytes,
    containers,
    volumes,
  } = order;
  const user = systemUser(order.user);
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
  const host = runnerHost({
    folder,
    address,
    name,
    timeout,
    maxLogBytes,
    containers,
    volumes,
    ...(user ? { user } : {}),
  });
  await grantAccess(host, folder);
  try {
    const log = (line: string) => console.log(line);
    await serveTasks({
      registration: { ...registration, labels },
      host,
      capacity,
      once: false,
      signal: ending.signal,
      halt: halting.signal,
      log: log,
    });
  } catch (error) {
    // Registered anew at the next start.
    if (isRefused(error)) rmSync(file, { force: true });
    throw error;
  }
}
