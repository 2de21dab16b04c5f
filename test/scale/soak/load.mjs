// A mixed load at a steady pace: each operation so often a minute, whatever the others do. What is made belongs to
// a dataset of people and repositories; old datasets are deleted with all they have, so that content stays bounded.
import { setTimeout as sleep } from 'node:timers/promises';
import { Dataset } from './dataset.mjs';
import { Stalls } from './stalls.mjs';

/** Of one operation at once; what is due beyond is left out, and counted as such. */
const maxAtOnce = 4;
/** Generations that stay, the current one included. */
const kept = 3;

export class Load {
  /** Operation → { done, failed, disturbed, skipped }; disturbed: failed while the machine was stalled. */
  counts = {};
  /** The first of what failed. */
  failures = [];
  #isOver = false;
  #running = new Set();
  #loops = [];
  #datasets = [];
  #made = 0;
  stalls = new Stalls();

  /** `operations`: name → { perMinute, act(dataset, { former, random }) }; `former`: any dataset, for reading. `site`: see `site.mjs`. */
  constructor(site, operations, { random, datasetMs }) {
    Object.assign(this, { site, operations, random, datasetMs });
    for (const name of [...Object.keys(operations), 'dataset'])
      this.counts[name] = { done: 0, failed: 0, disturbed: 0, skipped: 0 };
  }

  get current() {
    return this.#datasets.at(-1);
  }

  async start() {
    await this.#renew();
    for (const [name, operation] of Object.entries(this.operations)) this.#loops.push(this.#pace(name, operation));
    this.#loops.push(this.#renewPeriodically());
  }

  async stop() {
    this.#isOver = true;
    await Promise.all(this.#loops);
    await Promise.all(this.#running);
    this.current?.close();
    this.stalls.close();
  }

  async #pace(name, { perMinute, act }) {
    const gap = 60_000 / perMinute;
    const own = new Set();
    for (let due = Date.now() + this.random.number() * gap; !this.#isOver; due += gap) {
      while (!this.#isOver && Date.now() < due) await sleep(Math.min(200, Math.max(1, due - Date.now())));
      if (this.#isOver) return;
      // late by much: the machine is busy, and nothing is made up for
      if (Date.now() - due > 5000) due = Date.now();
      if (own.size >= maxAtOnce) {
        this.counts[name].skipped++;
        continue;
      }
      const running = this.#use(name, act);
      own.add(running);
      this.#running.add(running);
      void running.then(() => (own.delete(running), this.#running.delete(running)));
    }
  }

  async #use(name, act) {
    const current = this.current;
    const former = this.random.pick(this.#datasets);
    current.users++;
    former.users++;
    await this.#count(name, () => act(current, { former, random: this.random }));
    current.users--;
    former.users--;
  }

  async #count(name, act) {
    const begun = Date.now();
    try {
      await act();
      this.counts[name].done++;
    } catch (error) {
      // connections end at their limits of time, and waiting is in vain
      const outcome = this.stalls.overlap(begun) ? 'disturbed' : 'failed';
      this.counts[name][outcome]++;
      const cause = error.cause ? ` (${error.cause.code ?? error.cause.message})` : '';
      if (this.failures.length < 100)
        this.failures.push(
          `${new Date().toISOString()} ${outcome}, ${name}: ${String(error.stack ?? error).slice(0, 600)}${cause}`,
        );
    }
  }

  async #renewPeriodically() {
    for (let due = Date.now() + this.datasetMs; !this.#isOver; due += this.datasetMs) {
      while (!this.#isOver && Date.now() < due) await sleep(200);
      if (!this.#isOver) await this.#count('dataset', () => this.#renew());
    }
  }

  /** The next dataset becomes the current one; the oldest goes, once no operation uses it. */
  async #renew() {
    const next = new Dataset(this.site, this.#made++);
    await next.prepare();
    this.current?.close();
    this.#datasets.push(next);
    if (this.#datasets.length <= kept) return;
    const oldest = this.#datasets.shift();
    while (oldest.users > 0) await sleep(100);
    await oldest.remove();
  }
}
