// One run: a site, its load, and samples of it until the time is over.
import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../cluster/random.mjs';
import { openDatabase } from './database.mjs';
import { operations } from './operations.mjs';
import { Load } from './load.mjs';
import { sample } from './samples.mjs';
import { startSite } from './site.mjs';
import { Upkeep } from './upkeep.mjs';

/**
 * Gives { samples, counts, failures, stalledMs, delivered, liveMessages, mails, cpu, log }. `cpu`: of one core, on average. `pace`: how many
 * times as often as usual each operation is done. `onSample` hears of each sample; `signal` ends the run early.
 */
export async function runSoak({
  minutes,
  engine,
  seed = 1,
  everyMs = 10_000,
  datasetMs,
  pace = 1,
  onSample = () => undefined,
  signal,
}) {
  const site = await startSite({ engine });
  let database;
  let load;
  try {
    database = await openDatabase(site.server, engine);
    const paced = Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [
        name,
        { ...operation, perMinute: operation.perMinute * pace },
      ]),
    );
    const upkeep = new Upkeep(site, database);
    paced['nightly task'] = { perMinute: 15, act: () => upkeep.step() };
    load = new Load(site, paced, { random: seeded(seed), datasetMs });
    await load.start();
    const begun = Date.now();
    const samples = [];
    const look = async () => {
      const seconds = (Date.now() - begun) / 1000;
      const { series, ticks, pids } = await sample(site, database);
      samples.push({ seconds, series, ticks, pids });
      onSample(samples.at(-1), load, site);
    };
    for (
      let due = begun;
      !signal?.aborted && due <= begun + minutes * 60_000;
      due = Math.max(due + everyMs, Date.now())
    ) {
      await sleep(Math.max(0, due - Date.now()));
      await look();
      if (site.server.death) throw new Error(`${site.server.death}\n${site.server.log}`);
    }
    await load.stop();
    const [first, last] = [samples[0], samples.at(-1)];
    return {
      samples,
      counts: load.counts,
      failures: load.failures,
      stalledMs: load.stalls.total,
      delivered: site.delivered,
      liveMessages: site.liveMessages,
      mails: site.takeMails(),
      cpu: (last.ticks - first.ticks) / 100 / (last.seconds - first.seconds),
      log: site.server.log.split('\n').filter((line) => /"level":"(error|fatal)"/.test(line)),
    };
  } finally {
    await load?.stop();
    await database?.close();
    await site.close();
  }
}
