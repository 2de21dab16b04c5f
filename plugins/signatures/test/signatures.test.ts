import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { config, createMessage, enums, PacketList, readPrivateKey, Signature, SignaturePacket } from 'openpgp';
import { defineService } from '@mortise/plugin-sdk';
import { makeUser, startHost, type KitUser, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, emails as emailsRef, publicKeys as publicKeysRef } from '@mortise/accounts/api';
import type { SignatureVerifier, SignedObject } from '@mortise/history/api';
import { gitReader } from '@mortise/git/api';
import { repositories as repositoriesRef } from '@mortise/repositories/api';
import { gpgKeys as gpgKeysRef } from '../contract/signatures.js';
import { reasons } from '../services/verifier.js';
import { SigningTools } from './tools.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const verifierRef = defineService<SignatureVerifier>('signatures.verifier');

describe('what signatures prove', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  let tools: SigningTools;
  let folder: string;
  let repositoryId: number;
  const verify = async (...objects: SignedObject[]) => host.services.get(verifierRef).verify(objects);
  const commit = (oid: string) => host.services.get(gitReader).open(repositoryId).commit(oid);
  const push = async () => {
    const url = new URL(await host.url());
    await tools.talk(
      'git',
      [
        'push',
        '-q',
        '--force',
        '--tags',
        `http://ada:${encodeURIComponent(ada.password)}@${url.host}/ada/wheel`,
        'main',
      ],
      folder,
    );
  };

  before(async () => {
    tools = new SigningTools();
    host = await startHost({ plugins: ['signatures', 'refs', 'files', 'git-http', 'auth-basic'] });
    ada = await makeUser(host, 'ada');
    ben = await makeUser(host, 'ben');
    const made = await host.as(ada).inject({ method: 'POST', url: '/api/v1/user/repos', payload: { name: 'wheel' } });
    expect(made.statusCode).to.equal(201);
    repositoryId = (await host.services.get(repositoriesRef).byPath('ada', 'wheel'))!.id;
    folder = tools.repository('wheel');
  });
  after(async () => {
    await host.close();
    tools.close();
  });

  it('CNT-05: of gpg, by key and subkey, for commits and tags; and changes with the keys', async () => {
    const print = tools.gpgKey('Ada <ada@example.com>');
    const oids = [tools.signed(folder, { email: 'ada@example.com', gpg: print })];
    oids.push(tools.signed(folder, { email: 'ada@example.com', gpg: `${print}!`, message: 'by the primary key' }));
    oids.push(
      tools.signed(folder, { email: 'ada@example.com', gpg: print, message: 'Grüße, schöne', encoding: 'ISO-8859-1' }),
    );
    const tag = tools.signed(folder, {
      email: 'ada@example.com',
      gpg: print,
      tag: 'v1',
      message: 'Version 1\n\nwords',
    });
    await push();
    const objects = [
      ...(await Promise.all(oids.map(commit))),
      await host.services.get(gitReader).open(repositoryId).annotatedTag(tag),
    ];
    expect((await verify(...objects)).map((one) => one?.reason)).to.equal(objects.map(() => reasons.noKey));

    const [key] = await host.services.get(gpgKeysRef).add(ada.id, tools.armored(print));
    const answers = await verify(...objects);
    expect(answers.map((one) => one?.verified)).to.equal(objects.map(() => true));
    const subkey = key!.subkeys[0]!.keyId;
    expect(answers.map((one) => one?.reason)).to.equal([subkey, key!.keyId, subkey, subkey].map((id) => `ada / ${id}`));
    expect(answers[0]!.signer).to.equal({ name: 'ada', email: 'ada@example.com', username: 'ada' });
    expect(answers[0]!.signature).to.startWith('-----BEGIN PGP SIGNATURE-----');
    expect(answers[0]!.payload).to.startWith('tree ');

    const one = objects[0] as Awaited<ReturnType<typeof commit>>;
    // Another object id: what was found about the true one must not help.
    const forged = { ...one, oid: 'f'.repeat(40), payload: one.payload!.replace('signed', 'forged') };
    expect((await verify(forged))[0]!.reason).to.equal(reasons.bad);
    expect(
      (await verify({ ...one, oid: 'e'.repeat(40), signature: '-----BEGIN PGP SIGNATURE-----\nx' }))[0]!.reason,
    ).to.equal(reasons.unreadable);
    const packet = /\n\n([\s\S]+)\n=/.exec(one.signature!)![1]!.replace(/\s/g, '');
    const flood = Buffer.concat(Array.from({ length: 9 }, () => Buffer.from(packet, 'base64'))).toString('base64');
    const signature = `-----BEGIN PGP SIGNATURE-----\n\n${flood}\n-----END PGP SIGNATURE-----\n`;
    expect((await verify({ ...one, oid: '9'.repeat(40), signature }))[0]!.reason).to.equal(reasons.unreadable);
    expect(await verify({ ...one, oid: 'd'.repeat(40), signature: '-----BEGIN SIGNED MESSAGE-----\n' })).to.equal([
      undefined,
    ]);

    await host.services.get(gpgKeysRef).remove(key!.id);
    expect((await verify(objects[0]!))[0]!.reason).to.equal(reasons.noKey);
  });

  it('a key speaks for the addresses that it names, and for all of its owner when proven', async () => {
    const keys = host.services.get(gpgKeysRef);
    const print = tools.gpgKey('Ada Two <ada@example.com>');
    const [key] = await keys.add(ada.id, tools.armored(print));
    await host.services.get(emailsRef).add(ada.id, ['countess@example.com'], { confirmed: true });
    const other = tools.signed(folder, { email: 'countess@example.com', gpg: print });
    const stranger = tools.signed(folder, { email: 'nobody@example.net', gpg: print });
    const bens = tools.signed(folder, { email: 'ben@example.com', gpg: print });
    await push();
    const objects = await Promise.all([other, stranger, bens].map(commit));
    const told = async () => (await verify(...objects)).map((one) => one?.reason);
    expect(await told()).to.equal([reasons.noKey, reasons.noAccount, reasons.noKey]);
    await keys.prove(ada.id, key!.keyId, tools.detached(print, `${keys.token(ada.id)}\n`));
    expect((await told())[0]!).to.startWith('ada / ');
    expect((await told()).slice(1)).to.equal([reasons.noAccount, reasons.noKey]);
    await keys.remove(key!.id);
  });

  it('S10: an address that nobody vouches for proves nothing, with whatever key, until somebody does', async () => {
    const keys = host.services.get(gpgKeysRef);
    const addresses = host.services.get(emailsRef);
    const print = tools.gpgKey('Ada Claims <ada@example.com>');
    const named = tools.gpgKey('Victim <victim@example.org>');
    const ssh = tools.sshKey('claimed');
    await addresses.add(ada.id, ['victim@example.org']);
    expect((await addresses.list(ada.id)).find((one) => one.email === 'victim@example.org')).to.include({
      isVerified: true,
      isConfirmed: false,
    });
    const made = [...(await keys.add(ada.id, tools.armored(print))), ...(await keys.add(ada.id, tools.armored(named)))];
    for (const [at, key] of [print, named].entries())
      await keys.prove(ada.id, made[at]!.keyId, tools.detached(key, `${keys.token(ada.id)}\n`));
    const sshKey = await host.services.get(publicKeysRef).add(ada.id, { title: 'mine', key: ssh.line });
    const committed = [
      tools.signed(folder, { email: 'victim@example.org', gpg: print }),
      tools.signed(folder, { email: 'Victim@Example.org', gpg: named }),
      tools.signed(folder, { email: 'victim@example.org', ssh: ssh.file }),
    ];
    await push();
    const objects = await Promise.all(committed.map(commit));
    const told = async () => (await verify(...objects)).map((one) => [one?.verified, one?.signer?.username]);
    expect(await told()).to.equal(committed.map(() => [false, undefined]));
    await addresses.makePrimary(ada.id, 'victim@example.org');
    expect(await told()).to.equal(committed.map(() => [false, undefined]));
    await addresses.confirm(ada.id, 'victim@example.org');
    expect(await told()).to.equal(committed.map(() => [true, 'ada']));
    await addresses.makePrimary(ada.id, 'ada@example.com');
    await addresses.remove(ada.id, ['victim@example.org']);
    for (const key of made) await keys.remove(key.id);
    await host.services.get(publicKeysRef).remove(sshKey.id);
  });

  it('a signature of another kind than of documents covers none', async () => {
    const keys = host.services.get(gpgKeysRef);
    const print = tools.gpgKey('Ada Three <ada@example.com>');
    const [key] = await keys.add(ada.id, tools.armored(print));
    const secret = await readPrivateKey({
      armoredKey: tools.run('gpg', ['--batch', '--armor', '--export-secret-keys', print]),
    });
    const committer = { name: 'Ada', email: 'ada@example.com', time: 0, zone: '+0000' };
    const reason = async (type: enums.signature, oid: string) => {
      const packet = Object.assign(new SignaturePacket(), {
        signatureType: type,
        publicKeyAlgorithm: secret.keyPacket.algorithm,
        hashAlgorithm: enums.hash.sha256,
      });
      const text = await createMessage({ binary: new Uint8Array(Buffer.from('never signed')) });
      // the types leave out the last argument
      const sign = packet.sign.bind(packet) as (...given: unknown[]) => Promise<void>;
      await sign(secret.keyPacket, text.packets[0], new Date(), false, config);
      const list = new PacketList<SignaturePacket>();
      list.push(packet);
      const signature = new Signature(list).armor();
      const object = { oid, committer, payload: 'never signed', signature, message: '' } as unknown as SignedObject;
      return (await verify(object))[0]!.reason;
    };
    expect(await reason(enums.signature.binary, '1'.repeat(40))).to.startWith('ada / ');
    expect(await reason(enums.signature.standalone, '2'.repeat(40))).to.equal(reasons.unreadable);
    expect(await reason(enums.signature.timestamp, '3'.repeat(40))).to.equal(reasons.unreadable);
    await keys.remove(key!.id);
  });

  it('nobody is looked for by an address that cannot be one', async () => {
    const users = host.services.get(accountsRef);
    const { byConfirmedEmails } = users;
    const asked: string[] = [];
    users.byConfirmedEmails = (emails) => {
      asked.push(...emails);
      return byConfirmedEmails.call(users, emails);
    };
    const signature = '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n';
    const object = (oid: string, email: string) =>
      ({
        oid,
        committer: { name: 'A', email, time: 0, zone: '+0000' },
        payload: 'x',
        signature,
      }) as unknown as SignedObject;
    await verify(
      object('4'.repeat(40), 'zoe@example.com'),
      object('5'.repeat(40), `${'z'.repeat(1_000_000)}@example.com`),
    );
    users.byConfirmedEmails = byConfirmedEmails;
    expect(asked).to.equal(['zoe@example.com']);
  });

  it('of SSH keys: Ed25519, RSA, ECDSA', async () => {
    const keys = host.services.get(publicKeysRef);
    for (const [kind, bits] of [['ed25519'], ['rsa', 3072], ['ecdsa', 256], ['ecdsa', 384], ['ecdsa', 521]] as const) {
      const { file, line } = tools.sshKey(`${kind}${bits ?? ''}`, kind, bits);
      const oid = tools.signed(folder, { email: 'ada@example.com', ssh: file });
      const tag = tools.signed(folder, { email: 'ada@example.com', ssh: file, tag: `${kind}${bits ?? ''}` });
      const bens = tools.signed(folder, { email: 'ben@example.com', ssh: file });
      await push();
      const objects = [
        await commit(oid),
        await host.services.get(gitReader).open(repositoryId).annotatedTag(tag),
        await commit(bens),
      ];
      expect((await verify(...objects)).map((one) => one?.reason)).to.equal(objects.map(() => reasons.noKey));
      const key = await keys.add(ada.id, { title: `${kind} ${bits ?? ''}`, key: line });
      expect(
        (await verify(...objects)).map((one) => one?.reason),
        kind,
      ).to.equal([`ada / ${key.fingerprint}`, `ada / ${key.fingerprint}`, reasons.noKey]);
      const real = await commit(oid);
      const forged = {
        ...real,
        oid: `${'c'.repeat(36)}${kind.slice(0, 2)}${bits ?? '00'}`,
        payload: `${real.payload} `,
      };
      expect((await verify(forged))[0]!.reason).to.equal(reasons.bad);
    }
    // Right key, right text, signed for another purpose.
    const { file } = tools.sshKey('letters');
    const line = tools.run('cat', [`${file}.pub`]);
    await keys.add(ada.id, { title: 'letters', key: line });
    const real = await commit(tools.run('git', ['rev-parse', 'HEAD'], '', folder).trim());
    const committer = { ...real.committer, email: 'ada@example.com' };
    const signature = tools.run('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'file', '-f', file], real.payload!);
    expect((await verify({ ...real, committer, oid: 'b'.repeat(40), signature }))[0]!.reason).to.equal(reasons.bad);
    const good = tools.run('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'git', '-f', file], real.payload!);
    expect((await verify({ ...real, committer, oid: 'a'.repeat(40), signature: good }))[0]!.verified).to.be.true();
  });

  it('refuses keys that are broken, private, revoked, of nobody here, or taken', async () => {
    const keys = host.services.get(gpgKeysRef);
    const strange = tools.gpgKey('Stranger <stranger@nowhere.example>', 'rsa3072');
    const add = async (armored: string, signature?: string, userId = ada.id) => {
      try {
        return await keys.add(userId, armored, signature);
      } catch (error) {
        return (error as { status?: number }).status;
      }
    };
    expect(await add('nonsense')).to.equal(422);
    expect(await add(tools.run('gpg', ['--batch', '--armor', '--export-secret-keys', strange]))).to.equal(422);
    expect(await add(tools.armored(strange))).to.equal(404);
    expect(await add(tools.armored(strange), tools.detached(strange, 'something else'))).to.equal(422);
    // A text signed for another account proves nothing.
    expect(await add(tools.armored(strange), tools.detached(strange, keys.token(ben.id)))).to.equal(422);
    const made = await add(tools.armored(strange), tools.detached(strange, keys.token(ada.id)));
    expect(made).to.be.an.array();
    expect(await add(tools.armored(strange), undefined, ben.id)).to.equal(422);

    const gone = tools.gpgKey('Gone <ada@example.com>');
    const certificate = `${tools.folder}/openpgp-revocs.d/${gone}.rev`;
    const text = tools.run('cat', [certificate]).replace(/^:-----BEGIN/m, '-----BEGIN');
    tools.run('gpg', ['--import'], text);
    expect(await add(tools.armored(gone))).to.equal(422);
  });

  it('takes keys that have expired: what they signed before counts', async () => {
    const keys = host.services.get(gpgKeysRef);
    const { print, oid } = tools.at('20240301T120000', () => {
      const made = tools.gpgKey('Ada Old <ada@example.com>', 'ed25519', '1d');
      return { print: made, oid: tools.signed(folder, { email: 'ada@example.com', gpg: `${made}!` }) };
    });
    await push();
    const [key] = await keys.add(ada.id, tools.armored(print));
    expect(key!.expiresAt).to.be.above(0).and.below(Date.now());
    expect((await verify(await commit(oid)))[0]!.verified).to.be.true();
  });
});
