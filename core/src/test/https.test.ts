import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect, type ConnectionOptions, type Server as TlsServer } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { Logger } from '@mortise/plugin-sdk';
import { freePort } from '@mortise/plugin-sdk/testing';
import { CertificateFiles, Certificates } from '../http/certificates.js';
import { tlsOptions, tlsSettings } from '../http/tls-settings.js';
import { httpKit, type HttpKit } from './http-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('HTTPS', { timeout: 60_000 }, () => {
  let folder: string;
  let kit: HttpKit | undefined;
  const files = () => ({ CERT_FILE: join(folder, 'cert.pem'), KEY_FILE: join(folder, 'key.pem') });
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-https-'));
    const { CERT_FILE, KEY_FILE } = files();
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', KEY_FILE, '-out', CERT_FILE],
      ...['-subj', '/CN=localhost'],
    ]);
    expect(made.status, String(made.stderr)).to.equal(0);
  });
  after(async () => {
    await kit?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has a port that leads from http to the root address, and to nothing that a request names', async () => {
    const PORT_TO_REDIRECT = await freePort();
    kit = await httpKit({
      rootUrl: 'https://code.example/git',
      routes: [],
      settings: { server: { PROTOCOL: 'https', ...files(), REDIRECT_OTHER_PORT: true, PORT_TO_REDIRECT } },
    });
    const { origin } = new URL(await kit.listen());
    const answers = ['/', '/ada/loom?q=1', '//evil.test/x', '/.well-known/acme-challenge/../../user/login'].map(
      (path) =>
        new Promise((resolve, reject) => {
          const headers = { host: 'evil.test' };
          get({ port: PORT_TO_REDIRECT, host: '127.0.0.1', path, headers }, (answer) => {
            answer.resume().once('end', () => resolve([answer.statusCode, answer.headers.location]));
          }).once('error', reject);
        }),
    );
    const root = 'https://code.example';
    expect(await Promise.all(answers)).to.equal([
      [307, `${root}/`],
      [307, `${root}/ada/loom?q=1`],
      [307, `${root}//evil.test/x`],
      [307, `${root}/.well-known/acme-challenge/../../user/login`],
    ]);
    expect(origin).to.startWith('https:');
  });

  it('issue 30: speaks the versions, curves and ciphers of [server] SSL_*', async () => {
    const spoken = async (written: object, client: ConnectionOptions) => {
      const { value: tls, error } = tlsSettings.validate(written);
      expect(error).to.be.undefined();
      const own = await httpKit({ routes: [], settings: { server: { PROTOCOL: 'https', ...files() }, tls } });
      const port = Number(new URL(await own.listen()).port);
      const answer = await new Promise((resolve) => {
        const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...client }, () => {
          const { name } = socket.getEphemeralKeyInfo() as { name?: string };
          resolve([socket.getProtocol(), socket.getCipher().name, name]);
          socket.destroy();
        }).once('error', () => resolve('refused'));
      });
      await own.stop();
      return answer;
    };
    const old = { maxVersion: 'TLSv1.2' } as const;
    expect(await spoken({ SSL_MIN_VERSION: 'TLSv1.3' }, old)).to.equal('refused');
    expect(await spoken({ SSL_MAX_VERSION: 'TLSv1.2' }, { minVersion: 'TLSv1.3' })).to.equal('refused');
    const chosen = {
      SSL_CURVE_PREFERENCES: 'p384, curveP521',
      SSL_CIPHER_SUITES: 'ecdhe_rsa_with_chacha20_poly1305,rsa_with_rc4_128_sha, tls_ecdhe_rsa_with_aes_256_gcm_sha384',
    };
    expect(await spoken(chosen, old)).to.equal(['TLSv1.2', 'ECDHE-RSA-CHACHA20-POLY1305', 'secp384r1']);
    expect(await spoken(chosen, { ...old, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).to.equal('refused');
    expect(await spoken(chosen, {})).to.include('TLSv1.3');
    expect(await spoken(chosen, { ecdhCurve: 'X25519' })).to.equal('refused');
  });

  it('issue 30: knows the names of the compatible server, and says which it passes over', () => {
    const names = [
      'ecdhe_ecdsa_with_aes_256_gcm_sha384',
      'ecdhe_rsa_with_aes_128_cbc_sha256',
      'rsa_with_aes_128_cbc_sha',
      'ecdhe_ecdsa_with_chacha20_poly1305_sha256',
      'rsa_with_3des_ede_cbc_sha',
    ];
    const { value, warning } = tlsSettings.validate({ SSL_CIPHER_SUITES: names.join(',') });
    expect(value.SSL_CIPHER_SUITES).to.equal([
      'ECDHE-ECDSA-AES256-GCM-SHA384',
      'ECDHE-RSA-AES128-SHA256',
      'AES128-SHA',
      'ECDHE-ECDSA-CHACHA20-POLY1305',
    ]);
    expect(String(warning?.message)).to.include('rsa_with_3des_ede_cbc_sha, passed over');
    const { value: odd } = tlsSettings.validate({ SSL_MIN_VERSION: 'TLSv1.3', SSL_MAX_VERSION: 'TLSv1.2' });
    expect(() => tlsOptions(odd)).to.throw(/SSL_MAX_VERSION = TLSv1.2 is older/);
  });

  it('reads its files again when they have changed, and keeps the former ones where they are broken', async () => {
    const used: string[] = [];
    const listener = { setSecureContext: ({ cert }: { cert: string }) => used.push(cert) } as unknown as TlsServer;
    const [cert, key] = [join(folder, 'other.pem'), join(folder, 'other-key.pem')];
    const texts = { cert: readFileSync(files().CERT_FILE, 'utf8'), key: readFileSync(files().KEY_FILE, 'utf8') };
    writeFileSync(cert, texts.cert);
    writeFileSync(key, texts.key);
    const source = new CertificateFiles({ CERT_FILE: 'other.pem', KEY_FILE: key }, folder);
    const start = async () => {
      const certificates = new Certificates(source, listener, { warn: () => undefined } as unknown as Logger);
      await certificates.start().finally(() => certificates.stop());
    };
    await start();
    expect(used).to.equal([texts.cert]);
    for (const [at, broken] of ['', 'no certificate'].entries()) {
      writeFileSync(cert, broken);
      utimesSync(cert, at + 1, at + 1);
      expect(await source.current()).to.equal({ cert: broken, key: texts.key });
      await expect(start()).to.reject();
    }
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    });
    writeFileSync(cert, texts.cert);
    writeFileSync(key, other);
    await expect(start()).to.reject(/private key is not that of the certificate/);
    expect(used).to.have.length(1);
    rmSync(cert);
    await expect(source.current()).to.reject(/ENOENT/);
  });
});
