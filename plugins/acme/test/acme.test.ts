import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jobs } from '@mortise/plugin-sdk';
import { freePort, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { renewCertificate } from '../jobs/renew-certificate.js';
import { AcmeAccountRow } from '../models/account.js';
import { AcmeCertificateRow } from '../models/certificate.js';
import { AcmeChallengeRow } from '../models/challenge.js';
import { Challenges } from '../services/challenges.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const domain = 'git.mortise.test';
const hasPebble = spawnSync('sh', ['-c', 'command -v pebble && command -v pebble-challtestsrv']).status === 0;

async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const found = await find().catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Error(`waited in vain until ${what}`);
}

/** Whom the certificate is for, by whom, and its number; rejects where the connection is refused. */
const certificateOf = (port: number): Promise<{ names: string; issuer: string; serial: string }> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: domain, rejectUnauthorized: false }, () => {
      const { subjectaltname = '', issuer, serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ names: subjectaltname, issuer: String(issuer.CN), serial: serialNumber });
    });
    socket.once('error', reject).setTimeout(5000, () => socket.destroy(new Error('no answer')));
  });

const redirect = (port: number, path: string): Promise<{ status: number; location: string; body: string }> =>
  new Promise((resolve, reject) => {
    get({ port, path, host: '127.0.0.1' }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => (body += String(chunk)));
      answer.once('end', () =>
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '', body }),
      );
    }).once('error', reject);
  });

const isOpen = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
    socket.once('error', () => resolve(undefined));
  });

describe('certificates by ACME', { timeout: 240_000 }, () => {
  const programs: ChildProcess[] = [];
  let folder: string;
  let host: TestHost | undefined;
  let acmePort: number;
  let plainPort: number;

  const settings = () => ({
    // restarts decrypt what was encrypted before
    security: { SECRET_KEY: 'b'.repeat(64) },
    server: {
      PROTOCOL: 'https',
      ROOT_URL: `https://${domain}/`,
      ENABLE_ACME: true,
      ACME_ACCEPTTOS: true,
      ACME_EMAIL: 'root@mortise.test',
      ACME_URL: `https://127.0.0.1:${acmePort}/dir`,
      ACME_CA_ROOT: join(folder, 'cert.pem'),
      PORT_TO_REDIRECT: plainPort,
    },
  });
  /** Runs what is due, and what was to come later. */
  const renew = async (of: TestHost) => {
    await of.services.get(jobs).enqueue(renewCertificate, {}, { uniqueKey: 'acme.renew', runAt: Date.now() });
    await of.settle();
  };

  const endSoon = ({ database }: TestHost) =>
    database.write(() => database.query(AcmeCertificateRow).patch({ renew_at: Date.now() - 1 }));

  before(async () => {
    if (!hasPebble) return;
    folder = mkdtempSync(join(tmpdir(), 'mortise-acme-'));
    const [dnsPort, dnsManagement, managementPort] = [await freePort(), await freePort(), await freePort()];
    acmePort = await freePort();
    plainPort = await freePort();
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=pebble'],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', join(folder, 'key.pem')],
      ...['-out', join(folder, 'cert.pem')],
    ]);
    expect(made.status, String(made.stderr)).to.equal(0);
    const pebble = {
      listenAddress: `127.0.0.1:${acmePort}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: join(folder, 'cert.pem'),
      privateKey: join(folder, 'key.pem'),
      httpPort: plainPort,
      tlsPort: await freePort(),
      ocspResponderURL: '',
      externalAccountBindingRequired: false,
    };
    writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble }));
    const start = (program: string, args: string[]) =>
      programs.push(
        spawn(program, args, {
          stdio: 'ignore',
          env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_VA_ALWAYS_VALID: '0' },
        }),
      );
    start('pebble-challtestsrv', [
      ...['-defaultIPv4', '127.0.0.1', '-defaultIPv6', '', '-dns01', `127.0.0.1:${dnsPort}`],
      ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-management', `127.0.0.1:${dnsManagement}`],
    ]);
    start('pebble', ['-config', join(folder, 'pebble.json'), '-dnsserver', `127.0.0.1:${dnsPort}`]);
    await until('the ACME server listens', () => isOpen(acmePort));
    await until('its names are served', () => isOpen(dnsManagement));
  });
  after(async () => {
    await host?.close();
    for (const program of programs) program.kill('SIGKILL');
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('are ordered, answered with, kept over a restart, and renewed', { skip: !hasPebble }, async () => {
    host = await startHost({ plugins: ['acme'], settings: settings() });
    const port = Number(new URL(await host.url()).port);
    await expect(certificateOf(port), 'there is none yet').to.reject();
    expect(await redirect(plainPort, '/ada/loom?tab=code')).to.include({
      status: 307,
      location: `https://${domain}/ada/loom?tab=code`,
    });

    await renew(host);
    const { names, issuer, serial } = await until('the first certificate is used', () => certificateOf(port));
    expect(names).to.equal(`DNS:${domain}`);
    expect(issuer).to.startWith('Pebble Intermediate');
    expect(await host.database.query(AcmeChallengeRow)).to.be.empty();
    const [account] = await host.database.query(AcmeAccountRow);
    const [row] = await host.database.query(AcmeCertificateRow);
    expect(row!.private_key + account!.private_key, 'keys are encrypted').to.not.contain('PRIVATE KEY');
    expect(row!.renew_at).to.be.above(Date.now()).and.to.be.below(Number(row!.expires_at));

    await renew(host);
    expect(
      (await host.database.query(AcmeCertificateRow)).map(({ id }) => id),
      'not due',
    ).to.equal([row!.id]);

    await endSoon(host);
    await renew(host);
    host = await host.restart();
    const again = await certificateOf(Number(new URL(await host.url()).port));
    expect(again.names).to.equal(`DNS:${domain}`);
    expect(again.serial, 'another one').to.not.equal(serial);
    const [kept] = await host.database.query(AcmeAccountRow);
    expect(kept?.private_key, 'the same account').to.equal(account?.private_key);
  });

  it('are asked for by tokens, and nothing else is told on the open port', { skip: !hasPebble }, async () => {
    const challenges = new Challenges(host!.database);
    await challenges.add('token-1', 'token-1.thumbprint');
    expect(await redirect(plainPort, '/.well-known/acme-challenge/token-1')).to.include({
      status: 200,
      body: 'token-1.thumbprint',
    });
    for (const path of ['', 'a/b', '../../user/login', '%2e%2e/%2e%2e/user/login'])
      expect((await redirect(plainPort, `/.well-known/acme-challenge/${path}`)).status, path).to.equal(307);
    for (const path of ['/.well-known/acme-challenge/token-2', `/.well-known/acme-challenge/${'t'.repeat(200)}`])
      expect((await redirect(plainPort, path)).status, path).to.be.within(400, 499);
    await challenges.remove('token-1');
    expect((await redirect(plainPort, '/.well-known/acme-challenge/token-1')).status).to.equal(404);
  });

  it('that cannot be ordered leave the former one where it is', { skip: !hasPebble }, async () => {
    const [row] = await host!.database.query(AcmeCertificateRow);
    await endSoon(host!);
    host = await host!.restart({
      settings: {
        ...settings(),
        server: { ...settings().server, ACME_URL: `https://127.0.0.1:${await freePort()}/dir` },
      },
    });
    await renew(host);
    const [kept] = await host.database.query(AcmeCertificateRow);
    expect(kept?.certificate).to.equal(row!.certificate);
    await certificateOf(Number(new URL(await host.url()).port));
  });

  it('need the terms of service to be accepted', async () => {
    const server = { PROTOCOL: 'https', ROOT_URL: `https://${domain}/`, ENABLE_ACME: true };
    await expect(startHost({ plugins: ['acme'], settings: { server } })).to.reject(/ACME_ACCEPTTOS/);
  });
});
