/** Two workers of a cluster, each with relays; prints the ports of all. */
import cluster from 'node:cluster';
import { connect } from 'node:net';
import { Relay } from '../services/remote-relay.js';

if (cluster.isPrimary) {
  const ports: number[] = [];
  const workers = [cluster.fork(), cluster.fork()];
  for (const worker of workers)
    worker.on('message', (port: number) => {
      if (ports.push(port) < workers.length * 2) return;
      console.log(JSON.stringify(ports));
      for (const one of workers) one.kill();
    });
} else {
  const open = ({ host, port }: { readonly host: string; readonly port: number }) =>
    Promise.resolve({ socket: connect(port, host), target: '/', headers: {} });
  const relay = () => new Relay({ open, maxBytes: 1000, idleMs: 60_000 });
  process.send!(await relay().startForward('127.0.0.1', 9));
  process.send!(Number(new URL(await relay().startProxy()).port));
}
