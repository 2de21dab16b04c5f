// A run in namespaces of its own: the cluster, its load, what goes wrong, and what is left afterwards.
import { check } from './checks.mjs';
import { startCluster } from './cluster.mjs';
import { Faults } from './faults.mjs';
import { Ledger } from './ledger.mjs';
import { Load } from './load.mjs';
import { sleep, until } from './program.mjs';
import { seeded } from './random.mjs';

const unexpected = /"level":"(error|fatal)"/;

const sumOf = (list, numberOf) => list.reduce((sum, one) => sum + numberOf(one), 0);

/** Gives what was seen, as a record for JSON. */
async function play({ folder, minutes, maxFaults, seed, writers }, say) {
  const cluster = await startCluster(folder, writers, say);
  const ledger = new Ledger();
  const load = new Load(cluster, { random: seeded(seed), ledger });
  await load.prepare();
  const faults = new Faults(cluster, { seed, say, maxFaults, ledger });
  load.start();
  const begun = Date.now();
  await sleep(3000);
  if (maxFaults > 0) faults.start();
  await Promise.race([sleep(minutes * 60_000), ...(maxFaults > 0 ? [faults.done] : [])]);
  await faults.stop();
  say('all faults are over');
  await sleep(3000);
  await load.stop();
  const seconds = Math.round((Date.now() - begun) / 1000);
  for (const one of cluster.databases) await until(`${one.name} is in step`, () => one.isSynced(), 240);
  for (const node of cluster.nodes) await until(`${node.name} is ready`, () => node.isReady(), 240);
  const counts = { faults: Object.fromEntries([...faults.counts].sort()), load: ledger.summary() };
  say(
    `checking what was acknowledged: ${ledger.count} ${JSON.stringify({ ...counts, violations: ledger.violations })}`,
  );
  const found = await check(cluster, load, ledger, say);
  const errors = cluster.nodes.flatMap((node) => node.logged.split('\n').filter((line) => unexpected.test(line)));
  return {
    seed,
    writers,
    seconds,
    ...counts,
    injected: faults.total,
    restarts: sumOf(cluster.nodes, ({ restarts }) => restarts),
    databaseRestarts: sumOf(cluster.databases, ({ restarts }) => restarts),
    acknowledged: ledger.count,
    ...found,
    violations: ledger.violations,
    staleReads: ledger.staleReads,
    longestUseAfterRevokeMs: ledger.longestUseAfterRevokeMs,
    errors: errors.slice(0, 100),
  };
}

const options = JSON.parse(process.argv[2]);
const begun = Date.now();
const say = (text) => console.error(`[${((Date.now() - begun) / 1000).toFixed(0).padStart(5)} s] ${text}`);
try {
  process.stdout.write(JSON.stringify(await play(options, say)));
  process.exit(0);
} catch (error) {
  console.error(error);
  process.exit(1);
}
