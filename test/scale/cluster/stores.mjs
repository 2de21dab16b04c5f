// An S3 server. It keeps what it has in memory, so that what is killed is the proxy in front of it: for clients that is the
// same, with connections that end in the middle and an address where nobody listens.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { s3Program } from '../../services/install.mjs';
import { Program, until } from './program.mjs';

export async function startStore(network, folder) {
  const address = network.addHost('s3', 51);
  const log = join(folder, 's3.log');
  const server = new Program({ host: 's3', log, command: [s3Program, '-H', '127.0.0.1', '-p', '5000'] });
  server.start();
  const file = join(folder, 's3.cfg');
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 60s
  timeout server 60s
listen s3
  bind 0.0.0.0:9000
  server moto 127.0.0.1:5000
`,
  );
  const proxy = new Program({ host: 's3', log, command: ['haproxy', '-db', '-f', file] });
  proxy.start();
  await until('the S3 server answers', async () => (await fetch(`http://${address}:9000/`)).status < 500);
  return { endpoint: `${address}:9000`, proxy };
}
