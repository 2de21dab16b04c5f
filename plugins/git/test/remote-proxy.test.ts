// Database: SQLite alone. What is shown is which connections git makes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitRemotes, gitStore, remoteFailureOf, type GitRemotes } from '../api.js';
import { CountingProxy } from './counting-proxy.js';
import { RemoteServer } from './remote-server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;
const ada = asActor({ id: 1, name: 'ada' });

describe('[proxy]: git reaches other servers by the proxy of the operator', () => {
  let host: TestHost;
  let server: RemoteServer;
  let proxy: CountingProxy;
  let remotes: GitRemotes;
  let last = 0;

  const start = (more: Readonly<Record<string, Readonly<Record<string, unknown>>>>) =>
    startHost({
      plugins: ['git'],
      settings: { proxy: { PROXY_ENABLED: true, PROXY_URL: proxy.url, PROXY_HOSTS: '**' }, ...more },
    });
  before(async () => {
    proxy = await CountingProxy.start();
    server = await RemoteServer.start();
    host = await start({ migrations: { ALLOW_LOCALNETWORKS: true, SKIP_TLS_VERIFY: true } });
    remotes = host.services.get(gitRemotes);
  });
  after(async () => {
    proxy.close();
    await server.close();
    await host.close();
  });
  beforeEach(() => {
    proxy.requests.length = 0;
    server.requests.length = 0;
    server.misbehave = undefined;
    server.login = undefined;
  });
  const make = async () => {
    const id = ++last;
    const name = `source${id}`;
    await host.services.get(gitStore).create(id);
    await server.repository(name);
    await server.commit(name, 'main', { 'a.txt': 'a' });
    return { id, name };
  };
  /** A name that the proxy alone can resolve. */
  const named = (name: string, scheme = 'http', port = server.port) =>
    remotes.parse(`${scheme}://forge.example:${port}/${name}.git`);
  const branch = async (id: number) => host.services.get(gitReader).open(id).branch('main');

  it('fetches and pushes of http go by it, each of their requests, with the credentials of the server', async () => {
    const { id, name } = await make();
    server.login = { username: 'ada', password: 'inner-word' };
    const credentials = { ...server.login };
    expect((await remotes.fetch(id, named(name), { pusher: ada, credentials })).updates).to.have.length(1);
    expect(await branch(id)).to.exist();
    await server.repository(`${name}-copy`);
    expect((await remotes.push(id, named(`${name}-copy`), { credentials })).updates).to.have.length(1);
    expect(server.requests.length).to.be.above(4);
    expect(proxy.requests).to.have.length(server.requests.length);
    expect(proxy.requests[0]).to.equal(
      `GET http://forge.example:${server.port}/${name}.git/info/refs?service=git-upload-pack`,
    );
    expect(await server.git(`${name}-copy`, 'rev-parse', 'main')).to.equal((await branch(id))!.oid);
  });

  it('https goes through its tunnel', async () => {
    const { id, name } = await make();
    const [key, cert] = [join(host.workDir, 'key.pem'), join(host.workDir, 'cert.pem')];
    const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=forge.example'];
    expect(spawnSync('openssl', [...words, '-keyout', key, '-out', cert]).status).to.equal(0);
    const front = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
      const inner = connect(server.port, '127.0.0.1');
      socket.pipe(inner).pipe(socket);
      for (const one of [socket, inner]) one.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const { port } = front.address() as AddressInfo;
    try {
      expect((await remotes.fetch(id, named(name, 'https', port), { pusher: ada })).updates).to.have.length(1);
      expect(new Set(proxy.requests)).to.equal(new Set([`CONNECT forge.example:${port}`]));
    } finally {
      front.close();
    }
  });

  it('what comes by it is counted, and no error names it or its password', async () => {
    const { id, name } = await make();
    await server.commit(name, 'main', {
      'a.bin': Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256)),
    });
    const large = await remotes.fetch(id, named(name), { pusher: ada, maxBytes: 100_000 }).catch((error) => error);
    expect(remoteFailureOf(large)).to.equal('tooLarge');
    server.misbehave = (_request, response) => Boolean(response.writeHead(500).end());
    const failed = (await remotes.list(named(name)).catch((error) => error)) as Error;
    expect(failed.message).to.not.contain('out-word').and.not.contain('clerk');
  });

  it('GEN-14: addresses are checked all the same, and other protocols go directly', async () => {
    const closed = await start({ security: { ALLOWED_HOST_LIST: 'external' } });
    try {
      const strict = closed.services.get(gitRemotes);
      for (const inwards of [server.url('x'), `http://localhost:${server.port}/x.git`, `https://127.0.0.1/x.git`]) {
        const failure = await strict.list(strict.parse(inwards)).catch((error) => error);
        expect(remoteFailureOf(failure), inwards).to.equal('forbidden');
      }
      // by a redirect of one that may be asked
      server.misbehave = (_request, response) =>
        Boolean(response.writeHead(302, { location: `http://localhost:${server.port}/x.git/info/refs` }).end());
      const failure = await strict.list(strict.parse(`http://forge.example:${server.port}/x.git`)).catch((e) => e);
      expect(remoteFailureOf(failure)).to.equal('forbidden');
      expect(proxy.requests).to.have.length(1);
      await expect(remotes.list(remotes.parse(`git://127.0.0.1:${server.port}/x`))).to.reject();
      expect(proxy.requests).to.have.length(1);
    } finally {
      await closed.close();
    }
  });
});
