// Database: SQLite alone; which signatures client and server agree on has nothing to do with it.
import { readFile } from 'node:fs/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import ssh2 from 'ssh2';
import { sshAddresses } from '../contract/git-ssh.js';
import { signatureAlgorithms } from '../services/announcement.js';
import { Kit } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const keyIsGood = 60;

describe('signing in with what a client can', () => {
  let kit: Kit;
  before(async () => {
    kit = await Kit.start();
    for (const type of ['rsa', 'ecdsa']) await kit.addKey(kit.ada, await kit.newKey(type, type));
  });
  after(() => kit.host.close());

  it('RSA keys sign with SHA-2 of either length, and not with SHA-1', async () => {
    const greeted: string[] = [];
    for (const algorithm of ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']) {
      const done = await kit.ssh('rsa', '-o', `PubkeyAcceptedAlgorithms=${algorithm}`);
      if (done.code === 0) greeted.push(algorithm);
    }
    expect(greeted).to.equal(['rsa-sha2-512', 'rsa-sha2-256']);
  });

  it('the host key signs with SHA-2 of either length, and not with SHA-1', async () => {
    const known: string[] = [];
    for (const algorithm of ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']) {
      const done = await kit.ssh('ada', '-o', `HostKeyAlgorithms=${algorithm}`);
      if (done.code === 0) known.push(algorithm);
    }
    expect(known).to.equal(['rsa-sha2-512', 'rsa-sha2-256']);
  });

  it('says once, and spelled rightly, which signatures are taken', async () => {
    const said = await kit.ssh('ecdsa', '-v', '-o', 'LogLevel=DEBUG1');
    expect(said.err.match(/server-sig-algs=<.*>/g)).to.equal([`server-sig-algs=<${signatureAlgorithms.join(',')}>`]);
  });

  it('repeats the algorithm that was asked about, as strict clients want it', async () => {
    for (const [key, names] of [
      ['rsa', ['rsa-sha2-256', 'rsa-sha2-512']],
      ['ecdsa', ['ecdsa-sha2-nistp256']],
      ['ada', ['ssh-ed25519']],
    ] as const) {
      const { answers, done } = await talk(key);
      const told = answers.filter(([type]) => type === keyIsGood).map(([, text]) => text);
      expect([key, done, told.length === 1 && names.includes(told[0] as never)]).to.equal([key, true, true]);
    }
  });

  /** Signs in by the library; gives the types of what came, and the first text of each. */
  async function talk(key: string) {
    const client = new ssh2.Client();
    const privateKey = await readFile(kit.path(`keys/${key}`));
    const { port } = kit.host.services.get(sshAddresses);
    const answers: [number, string][] = [];
    const done = await new Promise<boolean>((resolve) => {
      client.once('ready', () => resolve(true)).on('error', () => resolve(false));
      client.connect({ host: '127.0.0.1', port, username: 'git', privateKey, readyTimeout: 100_000 });
      const protocol = (client as unknown as { _protocol: { _onPayload(bytes: Buffer): void } })._protocol;
      const take = protocol._onPayload;
      protocol._onPayload = (bytes) => {
        const payload = Buffer.from(bytes);
        const length = payload.length > 5 ? payload.readUInt32BE(1) : 0;
        answers.push([payload[0] ?? 0, payload.toString('latin1', 5, Math.min(payload.length, 5 + length))]);
        take(bytes);
      };
    });
    client.end();
    return { answers, done };
  }
});
