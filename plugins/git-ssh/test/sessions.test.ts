import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import ssh2 from 'ssh2';
import { sshAddresses, sshCommands } from '../contract/git-ssh.js';
import { Kit } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('connections over SSH', { timeout: 600_000 }, () => {
  let kit: Kit;
  before(async () => {
    kit = await Kit.start({ server: { SSH_MAX_SESSIONS: 2, SSH_DRAIN_TIME: '1s' } });
    await kit.repository('one', { isPrivate: true });
  });
  after(() => kit.host.close());

  const shared = () => [
    '-o',
    'ControlMaster=auto',
    '-o',
    `ControlPath=${kit.path('control')}`,
    '-o',
    'ControlPersist=300',
  ];

  it('one connection runs several commands, and what changed in between counts', async () => {
    expect((await kit.ssh('ada', ...shared())).out).to.match(/Hi there, ada/);
    for (let n = 0; n < 3; n++) {
      const done = await kit.ssh('nobody-needs-this', ...shared());
      expect([done.code, done.out.includes('ada')]).to.equal([0, true]);
    }
    await kit.ssh('ada', ...shared(), '-O', 'exit');
  });

  it('lines end as the terminal wants it', async () => {
    const done = await kit.ssh('ada', '-tt');
    expect([done.code, done.out.endsWith('\r\n')]).to.equal([0, true]);
    const refused = await kit.ssh('ada', '-tt', 'htop');
    expect(refused.code).to.equal(1);
    expect(refused.out + refused.err).to.contain('Unknown command "htop".');
  });

  it('ends what is idle: a connection without a command, and a command without an end', async () => {
    // a host of its own: elsewhere a slow machine would be taken for an idle client
    const brief = await Kit.start({ server: { SSH_IDLE_TIMEOUT: '1s', SSH_DRAIN_TIME: '1s' } });
    try {
      await brief.repository('one', { isPrivate: true });
      const begun = Date.now();
      await brief.ssh('ada', '-N');
      expect(Date.now() - begun).to.be.above(900);
      const silent = spawn('ssh', [...brief.options('ada'), 'git@127.0.0.1', "git-receive-pack 'ada/one.git'"], {
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const ended = await brief.end(silent);
      // the connection itself may be cut where the client does not take the last word within that second
      expect(ended.err).to.startWith('Nothing came for too long.\n');
      expect([1, 255]).to.include(ended.code);
      expect(Date.now() - begun).to.be.above(1900);
    } finally {
      await brief.host.close();
    }
  });

  it('a connection opens as many channels as it may run commands, whether or not it runs them', async () => {
    const client = new ssh2.Client();
    const privateKey = await readFile(kit.path('keys/ada'));
    const { port } = kit.host.services.get(sshAddresses);
    await new Promise((resolve, reject) => {
      client.once('ready', () => resolve(undefined));
      client.on('error', reject);
      client.connect({ host: '127.0.0.1', port, username: 'git', privateKey, readyTimeout: 100_000 });
    });
    // what the library sends once a channel is open is held back
    const protocol = (client as unknown as { _protocol: { exec: (channel: number, ...more: unknown[]) => void } })
      ._protocol;
    const opened: number[] = [];
    protocol.exec = (channel) => void opened.push(channel);
    let refused = 0;
    const open = () =>
      client.exec('x', (error) => {
        if (error) refused++;
      });
    for (let count = 0; count < 5; count++) open();
    for (let wait = 0; wait < 2000 && opened.length + refused < 5; wait++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect([opened.length, refused]).to.equal([2, 3]);
    client.end();
  });

  it('takes no other user name, no password, and no name tricks', async () => {
    for (const user of ['root', 'ada', 'GIT', '']) {
      const done = await kit.end(
        spawn('ssh', [...kit.options('ada'), '-o', 'BatchMode=yes', '-l', user || 'x', '127.0.0.1'], {
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
      expect([user, done.code]).to.equal([user, 255]);
    }
    const odd = [
      "git-upload-pack '/ada/one.git\u001b[31m'",
      "git-upload-pack '--upload-pack=id'",
      "git-upload-pack ''",
    ];
    for (const command of odd) {
      const done = await kit.ssh('ada', command);
      expect([command, done.code, /\u001b/.test(done.err)]).to.equal([command, 1, false]);
    }
  });
});

describe('connections over SSH by way of a proxy', { timeout: 600_000 }, () => {
  it('are of the client that the PROXY header names, and closed without one', async () => {
    const whence = definePlugin({
      name: 'test-whence',
      version: '1.0.0',
      sdk: '*',
      requires: { 'git-ssh': '^1.0.0' },
      register: (plugin) =>
        plugin.contribute(sshCommands, { key: 'whence', run: ({ remoteAddress, write }) => write(remoteAddress) }),
    });
    const kit = await Kit.start({ server: { SSH_SERVER_USE_PROXY_PROTOCOL: true } }, [whence]);
    try {
      const program = kit.path('proxy.mjs');
      await writeFile(
        program,
        `import { connect } from 'node:net';
        const socket = connect(Number(process.argv[2]), '127.0.0.1');
        socket.write(process.argv[3].replace('\\\\n', '\\r\\n'));
        process.stdin.pipe(socket).pipe(process.stdout);`,
      );
      const through = (header: string) => ['-o', `ProxyCommand=${process.execPath} ${program} %p '${header}'`];
      const header = 'PROXY TCP4 203.0.113.7 192.0.2.1 12345 22\\n';
      const done = await kit.ssh('ada', ...through(header), 'whence');
      expect([done.code, done.out, done.err]).to.equal([0, '203.0.113.7', '']);
      for (const wrong of [[], through('PROXY UNKNOWN\\n')]) {
        const refused = await kit.ssh('ada', ...wrong, 'whence');
        expect([refused.code, refused.out]).to.equal([255, '']);
      }
    } finally {
      await kit.host.close();
    }
  });
});
