// What stands before the servers: nginx before the pages, HAProxy before SSH, and one before the databases on each node.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from './program.mjs';

const haproxyDefaults = `defaults
  mode tcp
  timeout connect 3s
  timeout client 1h
  timeout server 1h
`;

/**
 * On a node: the databases, of which one is asked before the others. Those that are not in step get nothing, and lose whom they
 * have; so do the others when the first is back.
 */
export function databaseProxy({ host, folder, databases, first }) {
  const file = join(folder, `${host}-databases.cfg`);
  const servers = databases.map(
    ({ name, address }) =>
      `  server ${name} ${address}:3306 check port 9200 ${name === first ? 'on-marked-up shutdown-backup-sessions' : 'backup'}`,
  );
  writeFileSync(
    file,
    `${haproxyDefaults}listen databases
  bind 127.0.0.1:3306
  option httpchk GET /
  default-server inter 1s fall 2 rise 2 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  const log = join(folder, `${host}-databases.log`);
  const program = new Program({ host, log, command: ['haproxy', '-db', '-f', file] });
  program.start();
  return program;
}

/** nginx and HAProxy on the host `front`. Gives its address. */
export function startFront(network, folder, nodes) {
  const address = network.addHost('front', 2);
  const own = join(folder, 'front');
  mkdirSync(join(own, 'temp'), { recursive: true });
  const upstream = nodes.map((node) => `    server ${node.address}:3000 max_fails=2 fail_timeout=3s;`).join('\n');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `  ${kind}_temp_path ${join(own, 'temp', kind)};`)
    .join('\n');
  writeFileSync(
    join(own, 'nginx.conf'),
    `user root;
worker_processes 1;
pid ${join(own, 'nginx.pid')};
error_log ${join(folder, 'front.log')};
events { worker_connections 512; }
http {
  access_log off;
  client_max_body_size 0;
${temporary}
  upstream mortise {
${upstream}
  }
  map $http_upgrade $connection_upgrade {
    default upgrade;
    '' '';
  }
  server {
    listen 80;
    location / {
      proxy_pass http://mortise;
      proxy_http_version 1.1;
      proxy_connect_timeout 3s;
      proxy_read_timeout 120s;
      proxy_request_buffering off;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
    }
  }
}
`,
  );
  const servers = nodes.map((node) => `  server ${node.name} ${node.address}:2222 check`).join('\n');
  writeFileSync(
    join(own, 'haproxy.cfg'),
    `${haproxyDefaults}listen ssh
  bind 0.0.0.0:2222
  default-server inter 1s fall 2 rise 1
${servers}
`,
  );
  const log = join(folder, 'front.log');
  const http = new Program({
    host: 'front',
    log,
    command: ['nginx', '-c', join(own, 'nginx.conf'), '-g', 'daemon off;'],
  });
  http.start();
  new Program({ host: 'front', log, command: ['haproxy', '-db', '-f', join(own, 'haproxy.cfg')] }).start();
  return { address, base: `http://${address}` };
}
