import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { defineService } from '@mortise/plugin-sdk';
import { makeUser, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import type { SignatureVerifier, SignedObject } from '@mortise/history/api';
import { serverSigning as signingRef, type SigningRequest } from '../contract/signatures.js';
import { SigningTools } from './tools.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const verifierRef = defineService<SignatureVerifier>('signatures.verifier');

const payload =
  'tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\ncommitter Nobody <nobody@example.net> 1700000000 +0000\n\nMade by the site\n';
const signature = { name: 'Nobody', email: 'nobody@example.net', time: 1_700_000_000_000, zone: '+0000' };

describe('the key of the site', { timeout: 300_000 }, () => {
  let tools: SigningTools;
  const started: TestHost[] = [];
  const start = async (settings: Record<string, unknown>) => {
    const host = await startHost({
      plugins: ['signatures', 'refs', 'files', 'auth-basic'],
      settings: { 'repository.signing': { SIGNING_NAME: 'Site', SIGNING_EMAIL: 'site@example.com', ...settings } },
    });
    started.push(host);
    return host;
  };
  const request: SigningRequest = { action: 'crud', actorId: 1, parents: [] };
  const verified = async (host: TestHost, object: SignedObject) =>
    (await host.services.get(verifierRef).verify([object]))[0]!;

  before(() => {
    tools = new SigningTools();
  });
  after(async () => {
    for (const host of started) await host.close();
    tools.close();
  });

  it('is none unless an operator names one', async () => {
    const host = await start({});
    expect(await host.services.get(signingRef).signer(request)).to.be.undefined();
    for (const file of ['signing-key.gpg', 'signing-key.pub'])
      expect((await host.inject(`/api/v1/${file}`)).statusCode).to.equal(404);
  });

  it('OpenPGP: gpg takes the signature, and so does the site', async () => {
    const print = tools.gpgKey('Site <site@example.com>');
    const file = tools.write('site.asc', tools.run('gpg', ['--batch', '--armor', '--export-secret-keys', print]));
    const host = await start({ SIGNING_KEY: file, CRUD_ACTIONS: 'always', WIKI: 'never' });
    const signing = host.services.get(signingRef);
    const signer = (await signing.signer(request))!;
    expect(signer).to.include({ name: 'Site', email: 'site@example.com' });
    expect(await signing.signer({ ...request, action: 'wiki' })).to.be.undefined();
    const armored = await signer.sign(payload);
    tools.run('gpg', ['--verify', tools.write('payload.sig', armored), tools.write('payload', payload)]);
    const answer = await verified(host, { oid: '1'.repeat(40), committer: signature, signature: armored, payload });
    expect(answer.verified).to.be.true();
    expect(answer.signer).to.equal({ name: 'Site', email: 'site@example.com', username: '' });
    const key = await host.inject('/api/v1/signing-key.gpg');
    expect(key.payload).to.include('-----BEGIN PGP PUBLIC KEY BLOCK-----').and.not.include('PRIVATE');
    expect((await host.inject('/api/v1/signing-key.pub')).statusCode).to.equal(404);
  });

  it('SSH: ssh-keygen takes the signature of every kind of key, and so does the site', async () => {
    for (const [kind, bits] of [['ed25519'], ['rsa', 3072], ['ecdsa', 256], ['ecdsa', 521]] as const) {
      const key = tools.sshKey(`site-${kind}${bits ?? ''}`, kind, bits);
      const host = await start({ SIGNING_KEY: key.file, SIGNING_FORMAT: 'ssh', INITIAL_COMMIT: 'always' });
      const signer = (await host.services.get(signingRef).signer({ ...request, action: 'initial' }))!;
      const armored = await signer.sign(payload);
      const signers = tools.write('signers', `site@example.com ${key.line}\n`);
      const file = tools.write('ssh.sig', armored);
      const check = ['-Y', 'verify', '-n', 'git', '-I', 'site@example.com', '-f', signers, '-s', file];
      expect(tools.run('ssh-keygen', check, payload)).to.include('Good "git" signature');
      const object = { oid: '2'.repeat(40), committer: signature, signature: armored, payload };
      expect((await verified(host, object)).verified, kind).to.be.true();
      const line = (await host.inject('/api/v1/signing-key.pub')).payload.trim();
      expect(line).to.equal(key.line.split(' ').slice(0, 2).join(' '));
    }
  });

  it('follows the rules: keys of who acts, signatures of what was there', async () => {
    const key = tools.sshKey('rules');
    const host = await start({ SIGNING_KEY: key.file, SIGNING_FORMAT: 'ssh', CRUD_ACTIONS: 'pubkey, parentsigned' });
    const signing = host.services.get(signingRef);
    const ada = await makeUser(host, 'ada');
    const own = tools.sshKey('own');
    const parent = { oid: '3'.repeat(40), committer: { ...signature, email: 'ada@example.com' } };
    const by = { ...request, actorId: ada.id };
    expect(await signing.signer(by)).to.be.undefined();
    const added = await host.inject({
      method: 'POST',
      url: '/api/v1/user/keys',
      headers: { authorization: ada.authorization },
      payload: { title: 'own', key: own.line },
    });
    expect(added.statusCode).to.equal(201);
    expect(await signing.signer(by)).to.exist();
    expect(await signing.signer({ ...by, parents: [parent] })).to.be.undefined();
    const armored = tools.run('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'git', '-f', own.file], payload);
    expect(await signing.signer({ ...by, parents: [{ ...parent, signature: armored, payload }] })).to.exist();
  });

  it('signs what is committed over the API', async () => {
    const key = tools.sshKey('commits');
    const host = await start({ SIGNING_KEY: key.file, SIGNING_FORMAT: 'ssh', CRUD_ACTIONS: 'always' });
    const by = host.as(await makeUser(host, 'ada'));
    await by.inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'wheel', auto_init: true } });
    const made = await by.inject({
      method: 'POST',
      url: '/api/v1/repos/ada/wheel/contents/a.txt',
      payload: { content: Buffer.from('a').toString('base64'), message: 'Add a' },
    });
    expect(made.statusCode).to.equal(201);
    const [commit, first] = (await by.inject('/api/v1/repos/ada/wheel/commits')).json as {
      commit: { verification: { verified: boolean; signature: string; payload: string }; committer: { name: string } };
    }[];
    expect(commit!.commit.committer.name).to.equal('Site');
    // the rule for first commits is `always`
    expect(first!.commit.verification.verified).to.be.true();
    const { verification } = commit!.commit;
    expect(verification.verified).to.be.true();
    const signers = tools.write('signers', `site@example.com ${key.line}\n`);
    const file = tools.write('commit.sig', verification.signature);
    const check = ['-Y', 'verify', '-n', 'git', '-I', 'site@example.com', '-f', signers, '-s', file];
    expect(tools.run('ssh-keygen', check, verification.payload)).to.include('Good "git" signature');
  });

  it('trusts the SSH keys that the operator names, for any committer', async () => {
    const key = tools.sshKey('trusted');
    const host = await start({ TRUSTED_SSH_KEYS: key.line });
    const armored = tools.run('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'git', '-f', key.file], payload);
    const object = { oid: '4'.repeat(40), committer: signature, signature: armored, payload };
    expect((await verified(host, object)).verified).to.be.true();
  });

  it('keeps the site from starting when the key cannot be read', async () => {
    copyFileSync(tools.write('broken', 'no key'), join(tools.folder, 'broken.asc'));
    for (const SIGNING_FORMAT of ['openpgp', 'ssh'])
      await expect(start({ SIGNING_KEY: join(tools.folder, 'broken.asc'), SIGNING_FORMAT })).to.reject();
  });
});
