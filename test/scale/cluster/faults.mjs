// What goes wrong, in an order that the seed decides: one thing at a time for databases, of which two are needed, and beside
// them one thing each for nodes, Redis and the store.
import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { movesClocks } from './nodes.mjs';
import { sleep, until } from './program.mjs';
import { seeded } from './random.mjs';

/** Kinds of faults with their weights; what stands together happens one after the other. */
const ofDatabases = { killDatabase: 4, cutDatabase: 2, pauseDatabase: 1, partDatabase: 1, lagDatabases: 2 };
const ofNodes = {
  killNode: 6,
  pauseNode: 2,
  cutNode: 2,
  slowNode: 2,
  fillDisk: 1,
  ...(movesClocks && { moveClock: 1 }),
};
const ofRedis = { killRedis: 2, cutRedis: 1, killSentinel: 1 };
const ofStore = { killStore: 2, cutStore: 1 };

export class Faults {
  /** Kind → how often. */
  counts = new Map();
  #isOver = false;
  #running = [];

  constructor(cluster, { seed, say, maxFaults, ledger }) {
    Object.assign(this, { cluster, seed, say, maxFaults, ledger });
  }

  get total() {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  #sleepBetween(random, least, most) {
    return sleep(1000 * (least + random.number() * (most - least)));
  }

  async killDatabase(random) {
    const database = random.pick(this.cluster.databases);
    await database.kill();
    await this.#sleepBetween(random, 0, 5);
    database.start();
  }

  async cutDatabase(random) {
    const { name } = random.pick(this.cluster.databases);
    this.cluster.network.cut(name);
    await this.#sleepBetween(random, 1, 15);
    this.cluster.network.mend(name);
  }

  async pauseDatabase(random) {
    const database = random.pick(this.cluster.databases);
    database.pause();
    await this.#sleepBetween(random, 1, 12);
    database.resume();
  }

  /** Two hear nothing of each other, and both of the third. */
  async partDatabase(random) {
    const third = random.pick(this.cluster.databases);
    const [one, two] = this.cluster.databases.filter((database) => database !== third);
    this.cluster.network.blockBetween(one.name, two.name);
    await this.#sleepBetween(random, 1, 10);
    this.cluster.network.rejoin(one.name, two.name);
  }

  /** Others apply for seconds what one has committed, and know meanwhile of nothing that came after it. */
  async lagDatabases(random) {
    try {
      await random.pick(this.cluster.databases).changeMuch();
    } catch (error) {
      // a cluster may refuse so large a change, as it may any other
      if (!['ER_LOCK_WAIT_TIMEOUT', 'ER_LOCK_DEADLOCK', 'ER_UNKNOWN_COM_ERROR'].includes(error.code)) throw error;
    }
  }

  async killNode(random) {
    const node = random.pick(this.cluster.nodes);
    await node.kill();
    await this.#sleepBetween(random, 0, 4);
    node.start();
    await until(`${node.name} is ready`, () => node.isReady(), 240);
  }

  async pauseNode(random) {
    const node = random.pick(this.cluster.nodes);
    node.pause();
    await this.#sleepBetween(random, 1, 45);
    node.resume();
  }

  async cutNode(random) {
    const { name } = random.pick(this.cluster.nodes);
    this.cluster.network.cut(name);
    await this.#sleepBetween(random, 1, 20);
    this.cluster.network.mend(name);
  }

  async #restart(random, program) {
    await program.kill();
    await this.#sleepBetween(random, 0, 8);
    program.start();
  }

  killRedis(random) {
    return this.#restart(random, random.pick(this.cluster.redis.servers));
  }

  async cutRedis(random) {
    const { name } = random.pick(this.cluster.redis.servers);
    this.cluster.network.cut(name);
    await this.#sleepBetween(random, 1, 12);
    this.cluster.network.mend(name);
  }

  killSentinel(random) {
    return this.#restart(random, random.pick(this.cluster.redis.sentinels));
  }

  killStore(random) {
    return this.#restart(random, this.cluster.store.proxy);
  }

  async cutStore(random) {
    this.cluster.network.cut('s3');
    await this.#sleepBetween(random, 1, 10);
    this.cluster.network.mend('s3');
  }

  async slowNode(random) {
    const { name } = random.pick(this.cluster.nodes);
    this.cluster.network.slow(name, '400kbit');
    await this.#sleepBetween(random, 2, 10);
    this.cluster.network.removeDelay(name);
  }

  /** The disk for what is on its way. */
  async fillDisk(random) {
    const { temp } = random.pick(this.cluster.nodes);
    const file = join(temp, 'full');
    try {
      writeFileSync(file, Buffer.alloc(128 << 20));
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error;
    }
    await this.#sleepBetween(random, 2, 10);
    rmSync(file, { force: true });
  }

  async moveClock(random) {
    const node = random.pick(this.cluster.nodes);
    node.moveClock(random.pick([-20, -5, 5, 20]));
    await this.#sleepBetween(random, 5, 15);
    node.moveClock(0);
  }

  async #runFaults(random, weights, between) {
    while (!this.#isOver && this.total < this.maxFaults) {
      const kind = random.weighted(weights);
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      this.say(kind);
      try {
        await this[kind](random);
        await between();
      } catch (error) {
        this.ledger.violation(`${kind}: ${error.message}`);
      }
      await this.#sleepBetween(random, 0.5, 3);
    }
  }

  /** All databases are in step. */
  async #inStep() {
    for (const database of this.cluster.databases)
      await until(`${database.name} is in step`, () => database.isSynced(), 240);
  }

  start() {
    const done = async () => undefined;
    this.#running = [
      this.#runFaults(seeded(this.seed), ofDatabases, () => this.#inStep()),
      ...[ofNodes, ofRedis, ofStore].map((kinds, at) => this.#runFaults(seeded(this.seed + 1 + at), kinds, done)),
    ];
  }

  /** What goes on is ended and mended. */
  async stop() {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  /** Ends by itself when there were as many as asked for. */
  get done() {
    return Promise.all(this.#running);
  }
}
