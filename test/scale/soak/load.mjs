// A mixed load at a steady pace: each kind of operation so often a minute, whatever the others do. What is made belongs to
// a generation of people and repositories; old generations are deleted with all they have, so that content stays bounded.
import { setTimeout as sleep } from 'node:timers/promises';
import { Generation } from './generation.mjs';
import { Pauses } from './pauses.mjs';

/** Of one kind at once; what is due beyond is left out, and counted as such. */
const maxAtOnce = 4;
/** Generations that stay, the current one included. */
const kept = 3;

export class Load {
  /** Kind → { done, failed, disturbed, skipped }; disturbed: failed while the machine stood still. */
  counts = {};
  /** The first of what failed. */
  failures = [];
  #isOver = false;
  #running = new Set();
  #loops = [];
  #generations = [];
  #made = 0;
  pauses = new Pauses();

  /** `kinds`: name → { perMinute, act(generation, { former, random }) }; `former`: any generation, for reading. `site`: see `site.mjs`. */
  constructor(site, kinds, { random, generationMs }) {
    Object.assign(this, { site, kinds, random, generationMs });
    for (const name of [...Object.keys(kinds), 'generation'])
      this.counts[name] = { done: 0, failed: 0, disturbed: 0, skipped: 0 };
  }

  get current() {
    return this.#generations.at(-1);
  }

  async start() {
    await this.#renew();
    for (const [name, kind] of Object.entries(this.kinds)) this.#loops.push(this.#pace(name, kind));
    this.#loops.push(this.#generate());
  }

  async stop() {
    this.#isOver = true;
    await Promise.all(this.#loops);
    await Promise.all(this.#running);
    this.current?.close();
    this.pauses.close();
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
    const now = this.current;
    const former = this.random.pick(this.#generations);
    now.users++;
    former.users++;
    await this.#count(name, () => act(now, { former, random: this.random }));
    now.users--;
    former.users--;
  }

  async #count(name, act) {
    const begun = Date.now();
    try {
      await act();
      this.counts[name].done++;
    } catch (error) {
      // connections end at their limits of time, and waiting is in vain
      const kind = this.pauses.overlap(begun) ? 'disturbed' : 'failed';
      this.counts[name][kind]++;
      const cause = error.cause ? ` (${error.cause.code ?? error.cause.message})` : '';
      if (this.failures.length < 100)
        this.failures.push(
          `${new Date().toISOString()} ${kind}, ${name}: ${String(error.stack ?? error).slice(0, 600)}${cause}`,
        );
    }
  }

  async #generate() {
    for (let due = Date.now() + this.generationMs; !this.#isOver; due += this.generationMs) {
      while (!this.#isOver && Date.now() < due) await sleep(200);
      if (!this.#isOver) await this.#count('generation', () => this.#renew());
    }
  }

  /** The next generation becomes the current one; the oldest goes, when nobody is busy with it. */
  async #renew() {
    const next = new Generation(this.site, this.#made++);
    await next.prepare();
    this.current?.close();
    this.#generations.push(next);
    if (this.#generations.length <= kept) return;
    const oldest = this.#generations.shift();
    while (oldest.users > 0) await sleep(100);
    await oldest.remove();
  }
}
