// The whole: databases, Redis, S3, three nodes and what stands before them, on hosts of their own.
import { Network } from './network.mjs';
import { startFront } from './fronts.mjs';
import { startGalera } from './galera.mjs';
import { makeNodes } from './nodes.mjs';
import { until } from './program.mjs';
import { startRedis } from './redis.mjs';
import { startStore } from './stores.mjs';

const frontAddress = '10.77.0.2';

/** Starts all in `folder`, which is empty; `say` is told what is going on. `writers` as in {@link makeNodes}. Call it in a process of {@link spawnApart}. */
export async function startCluster(folder, writers, say) {
  const network = new Network();
  const redis = startRedis(network, folder);
  const store = await startStore(network, folder);
  say('Redis and S3 answer; starting Galera');
  const databases = await startGalera(network, folder);
  say('three databases are in step; starting three nodes on an empty database at once');
  const base = `http://${frontAddress}`;
  const nodes = makeNodes(network, folder, { databases, redis, store, base, writers });
  for (const node of nodes) node.start();
  const front = startFront(network, folder, nodes);
  for (const node of nodes) await until(`${node.name} is ready`, () => node.isReady(), 300);
  const account = ['--username', 'root', '--password', 'password', '--email', 'root@example.com'];
  const made = nodes[0].cli('admin', 'user', 'create', '--admin', ...account);
  if (made.code !== 0) throw new Error(`${made.out}\n${made.err}`);
  say('the cluster is ready');
  return { network, redis, store, databases, nodes, front, folder };
}
