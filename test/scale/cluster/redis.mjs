// Redis: a primary, a replica and three sentinels that change their roles when the primary is gone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from './program.mjs';

const port = 6379;
const sentinelPort = 26379;

/** Gives `servers` and `sentinels`, as programs with names, and the `address` for `[redis] CONN_STR`. */
export function startRedis(network, folder) {
  const host = (name, number) => ({ name, address: network.addHost(name, number) });
  const [first, second] = [host('redis1', 31), host('redis2', 32)];
  const begin = (name, args) => {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    const program = new Program({
      host: name,
      log: join(folder, `${name}.log`),
      command: ['redis-server', ...args(own)],
    });
    program.start();
    return Object.assign(program, { name });
  };
  const serve = ({ name, address }, ...more) =>
    begin(name, (own) => {
      const settings = ['--bind', '0.0.0.0', '--protected-mode', 'no', '--save', '', '--dir', own];
      return ['--port', `${port}`, ...settings, '--replica-announce-ip', address, ...more];
    });
  const servers = [serve(first), serve(second, '--replicaof', first.address, `${port}`)];
  const watchers = [host('sentinel1', 41), host('sentinel2', 42), host('sentinel3', 43)];
  const sentinels = watchers.map(({ name, address }) =>
    begin(name, (own) => {
      const file = join(own, 'sentinel.conf');
      const lines = [
        `port ${sentinelPort}`,
        'bind 0.0.0.0',
        'protected-mode no',
        `dir ${own}`,
        `sentinel announce-ip ${address}`,
        `sentinel monitor mymaster ${first.address} ${port} 2`,
        'sentinel down-after-milliseconds mymaster 3000',
        'sentinel failover-timeout mymaster 10000',
      ];
      writeFileSync(file, lines.join('\n'));
      return [file, '--sentinel'];
    }),
  );
  const addresses = watchers.map(({ address }) => `${address}:${sentinelPort}`).join(',');
  return { servers, sentinels, address: `redis+sentinel://${addresses}/0?mastername=mymaster` };
}
