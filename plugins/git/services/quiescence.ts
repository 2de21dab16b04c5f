/** Moments in which no change of references is halfway between git and the database; back-ups are taken in them. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeDurably } from '@mortise/plugin-sdk';

const pollMs = 20;
/** A process that asked for quiet and died is heeded no longer. */
const leaseMs = 15_000;
/** Changes take far less; what takes longer is not waited for. */
const timeoutMs = 10_000;

/**
 * A file beside the journal asks everybody to wait. Who changes references writes the journal first and looks then, and
 * who asks writes the file first and then waits until the journal is empty, so that neither passes the other.
 */
export class Quiescence {
  private readonly file: string;

  constructor(folder: string) {
    this.file = join(folder, 'quiet');
  }

  async isPaused(): Promise<boolean> {
    const text = await readFile(this.file, 'utf8').catch(() => '');
    return Number(text) > Date.now();
  }

  async over(): Promise<void> {
    while (await this.isPaused()) await sleep(pollMs);
  }

  async during<T>(isBusy: () => Promise<boolean>, work: () => Promise<T>): Promise<T> {
    const ask = () => writeDurably(this.file, String(Date.now() + leaseMs));
    await ask();
    const renewal = setInterval(() => void ask().catch(() => undefined), leaseMs / 3);
    try {
      for (const until = Date.now() + timeoutMs; Date.now() < until && (await isBusy());) await sleep(pollMs);
      return await work();
    } finally {
      clearInterval(renewal);
      await rm(this.file, { force: true });
    }
  }
}
