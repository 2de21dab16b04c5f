// How many test files run at once. A number that is right for files that compute leaves the cores idle while files wait
// (for browsers, clocks, leases that run out), and the longest of these begin together: so further files begin while cores
// have nothing to do.
import { availableParallelism, cpus, freemem } from 'node:os';

const everyMs = 1000;
/** Cores that had nothing to do, on average of some samples. */
const idleEnough = 0.3;
const samples = 4;
/** For what one more file, its server and its browser may take. */
const spareBytes = 2 << 30;

/** Gives for each call how many cores had nothing to do since the last; none where other work than ours cannot be told. */
export function idleCores() {
  const idleMs = () => cpus().reduce((sum, { times }) => sum + times.idle, 0);
  let [at, before] = [performance.now(), idleMs()];
  return () => {
    if (cpus().length !== availableParallelism()) return 0;
    const [lastAt, last] = [at, before];
    [at, before] = [performance.now(), idleMs()];
    return (before - last) / (at - lastAt);
  };
}

/** Tells for each call with a sample whether one more file may begin; then as many samples pass until the next may. */
export function idleness() {
  let seen = [];
  return (idle) => {
    seen.push(idle);
    if (seen.length < samples) return false;
    const isIdle = seen.reduce((sum, one) => sum + one, 0) / seen.length >= idleEnough;
    seen = isIdle ? [] : seen.slice(1);
    return isIdle;
  };
}

/**
 * Tasks, of which some may be told only later: `others` is a promise of them. When they are there, the longest of all
 * comes next.
 */
export class Queue {
  #tasks;
  #others;

  constructor(early, others = Promise.resolve([])) {
    this.#tasks = [...early];
    this.#others = others.then((tasks) => {
      this.#tasks = [...this.#tasks, ...tasks].sort((a, b) => b.expected - a.expected);
      this.#others = undefined;
    });
  }

  /** Of those that could begin now. */
  get length() {
    return this.#tasks.length;
  }

  /** Undefined when all have been taken. */
  async take() {
    if (this.#tasks.length === 0) await this.#others;
    return this.#tasks.shift();
  }
}

/**
 * Runs `work` until the queue is empty: in `count` places, the first from when `first` is settled, and in up to `most`
 * while cores are idle. Gives for how many seconds cores had nothing to do.
 */
export async function runInPlaces(
  queue,
  work,
  { count, most = count, first = Promise.resolve(), measure = idleCores() },
) {
  const mayBegin = idleness();
  let idleSeconds = 0;
  let further = 0;
  let running = [];
  const drain = async () => {
    for (let next = await queue.take(); next; next = await queue.take()) await work(next);
  };
  const one = async () => {
    further++;
    const next = await queue.take();
    if (next) await work(next);
    further--;
  };
  const clock = setInterval(() => {
    const idle = measure();
    idleSeconds += (idle * everyMs) / 1000;
    if (!mayBegin(idle) || queue.length === 0 || count + further >= most || freemem() < spareBytes) return;
    running.push(one());
  }, everyMs);
  running.push(...Array.from({ length: count }, (_, at) => (at === 0 ? first.then(drain) : drain())));
  while (running.length) await Promise.all(running.splice(0));
  clearInterval(clock);
  return idleSeconds;
}
