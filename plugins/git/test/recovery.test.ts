/** What a kill, a full disk or a lost database leaves between git and the database. */
import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore, gitWriter, refUpdates, zeroOid } from '../api.js';
import { maintain } from '../jobs/maintain.js';
import { refGate } from '../services/service-refs.js';
import { checkRepositories } from '../services/doctor.js';
import { Journal, type ChangeEntry } from '../services/journal.js';
import { hasForeignWriters, thisProcess } from '../services/process-owner.js';
import { firstLine } from '../services/stderr-excerpt.js';
import { allLocks, removeLock } from '../services/stale-locks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);
const ada = asActor({ id: 1, name: 'ada' });
const by = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0000' };
/** No process has so high a number on Linux. */
const dead = { ...thisProcess, process: 2 ** 22 + 1, started: '1' };
const identity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'Ada'],
    [`GIT_${who}_EMAIL`, 'ada@example.com'],
  ]),
);
const thresholds = { looseObjects: 1000, packs: 20 };

describe('what a kill leaves in repositories', () => {
  let host: TestHost;
  let made = 0;
  before(async () => {
    host = await startHost({ plugins: ['git'] });
  });
  after(() => host.close());

  const repository = async () => {
    const id = ++made;
    await host.services.get(gitStore).create(id);
    const writer = host.services.get(gitWriter);
    const tree = await writer.writeTree(id, undefined, [{ path: 'a', content: String(id) }]);
    const oid = await writer.writeCommit(id, { tree, parents: [], author: by, committer: by, message: 'first' });
    const folder = host.services.get(gitStore).path(id);
    const set = (ref: string, old: string, next: string) =>
      host.services
        .get(refUpdates)
        .apply({ repositoryId: id, updates: [{ ref, old, new: next }], pusher: ada, source: 'api' });
    return { id, oid, folder, set };
  };
  const journal = () => host.services.get(refGate).journal;
  const journalFolder = () => host.services.get(refGate).journal.folder;
  const doctor = async (fix: boolean) => {
    const found: { text: string; fixed?: boolean }[] = [];
    for await (const { text, fixed } of checkRepositories(host.services.get(refGate), { fix }))
      found.push({ text, fixed });
    return found;
  };
  const leaveEntry = (entry: Partial<ChangeEntry> & { id: string; repositoryId: number }) => {
    mkdirSync(journalFolder(), { recursive: true });
    const whole = { kind: 'code', updates: [], pusherId: 1, pusherName: 'ada', pushOptions: {}, source: 'http' };
    const more = { at: Date.now(), wasEmpty: false, owner: dead };
    const file = join(journalFolder(), `${entry.repositoryId}-code-${entry.id}.json`);
    writeFileSync(file, JSON.stringify({ ...whole, ...more, ...entry }));
  };
  const locks = ['HEAD.lock', 'packed-refs.lock', 'refs/heads/main.lock', 'refs/heads/deep/er.lock', 'config.lock'];
  const more = ['index.lock', 'shallow.lock', 'objects/info/commit-graphs/commit-graph-chain.lock'];
  const leaveLocks = (folder: string, names: readonly string[]) => {
    for (const name of names) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), '');
    }
  };

  it('F1: locks of a killed process keep nobody from writing', async () => {
    const { oid, folder, set } = await repository();
    await set('refs/heads/main', zeroOid, oid);
    leaveLocks(folder, locks);
    await set('refs/heads/main', oid, zeroOid);
    await set('refs/heads/main', zeroOid, oid);
    const left = (await allLocks(folder)).map(({ name }) => name);
    expect(left).to.only.include(['config.lock', 'refs/heads/deep/er.lock']); // in nobody's way yet
    await set('refs/heads/deep/er', zeroOid, oid);
    await doctor(true);
  });

  it('F1: locks are left to those who live, and the error names no place on the server', async () => {
    const { id, oid, folder, set } = await repository();
    // a process that lives: the parent of this one
    const living = { ...thisProcess, process: process.ppid, started: startOf(process.ppid) };
    leaveEntry({ id: 'living', repositoryId: id, owner: living });
    leaveLocks(folder, ['refs/heads/main.lock']);
    const refused = (await expect(set('refs/heads/main', zeroOid, oid)).to.reject()) as Error & { code: string };
    expect(refused.code).to.equal('conflict');
    expect(refused.message).to.not.contain('/');
    expect(existsSync(join(folder, 'refs/heads/main.lock'))).to.be.true();
    expect(await doctor(true)).to.be.empty();
    // its process has ended
    leaveEntry({ id: 'living', repositoryId: id });
    await host.services.get(refUpdates).repair(id);
    expect(await allLocks(folder)).to.be.empty();
    await set('refs/heads/main', zeroOid, oid);
  });

  it('F1: a git that outlived its server keeps its locks', async () => {
    const { id, folder } = await repository();
    leaveEntry({ id: 'outlived', repositoryId: id });
    leaveLocks(folder, ['HEAD.lock']);
    // its parent ends, so nobody vouches for it
    const child = spawn('/bin/sh', ['-c', '(sleep 1000 | git update-ref --stdin) >/dev/null 2>&1 &'], {
      cwd: folder,
      stdio: 'ignore',
      detached: true,
    });
    await new Promise((resolve) => child.once('exit', resolve));
    try {
      await until(async () => (await hasForeignWriters(folder)) === true);
      await host.services.get(refUpdates).repair(id);
      expect(existsSync(join(folder, 'HEAD.lock'))).to.be.true();
    } finally {
      process.kill(-child.pid!, 'SIGKILL');
    }
    await until(async () => {
      await host.services.get(refUpdates).repair(id);
      return !existsSync(join(folder, 'HEAD.lock'));
    });
    expect(await journal().left(id)).to.be.empty();
  });

  it('F1: what ended while the journal was read is over', async () => {
    const { id, oid, set } = await repository();
    await set('refs/heads/main', zeroOid, oid);
    const updates = ['main', 'topic'].map((name) => ({ ref: `refs/heads/${name}`, old: zeroOid, new: oid }));
    leaveEntry({ id: 'ended', repositoryId: id, updates, isAtomic: true });
    const [ended] = await journal().left(id);
    await journal().end(ended!);
    const reading = Object.assign(journal(), { left: () => Promise.resolve([ended!]) });
    await host.services.get(refUpdates).repair(id);
    delete (reading as { left?: unknown }).left;
    // somebody has deleted it since
    expect(await host.services.get(gitReader).open(id).branch('topic')).to.be.undefined();
  });

  it('F1: maintenance removes what an earlier one left, and is known while it lasts', async () => {
    const { id, oid, folder, set } = await repository();
    await set('refs/heads/main', zeroOid, oid);
    leaveLocks(folder, [...locks, ...more]);
    await maintain(host.services.get(refGate), thresholds, { repositoryId: id, kind: 'code' });
    expect(await allLocks(folder)).to.be.empty();
    expect(existsSync(join(folder, 'objects/info/commit-graphs/commit-graph-chain'))).to.be.true();
    await journal().maintaining(id, 'code', async () => {
      expect(await journal().hasWriters(id, 'code')).to.be.true();
    });
    expect(await journal().hasWriters(id, 'code')).to.be.false();
  });

  it('F1: a lock that was taken anew meanwhile stays', async () => {
    const { folder } = await repository();
    leaveLocks(folder, ['HEAD.lock']);
    const [lock] = await allLocks(folder);
    writeFileSync(join(folder, 'new'), 'of somebody else');
    renameSync(join(folder, 'new'), join(folder, 'HEAD.lock'));
    expect(await removeLock(folder, lock!)).to.be.false();
    expect(statSync(join(folder, 'HEAD.lock')).size).to.equal(16);
    expect(await removeLock(folder, (await allLocks(folder))[0]!)).to.be.true();
    expect(readdirSync(folder).filter((name) => /lock|stale/.test(name))).to.be.empty();
  });

  it('F1: doctor finds locks, tells them, and removes them when asked', async () => {
    const { id, folder } = await repository();
    leaveLocks(folder, [...locks, ...more]);
    const found = await doctor(false);
    expect(found).to.have.length(locks.length + more.length);
    for (const { text, fixed } of found) {
      expect(text).to.contain(`repository ${id}: `);
      expect(fixed).to.not.be.true();
    }
    expect((await doctor(true)).every(({ fixed }) => fixed)).to.be.true();
    expect(await doctor(false)).to.be.empty();
  });

  it('F2: a journal file that is empty or makes no sense is set aside and told; all else goes on', async () => {
    const { id, oid, set } = await repository();
    const { id: other, oid: otherOid, folder } = await repository();
    mkdirSync(journalFolder(), { recursive: true });
    writeFileSync(join(journalFolder(), `${id}-code-empty.json`), '');
    writeFileSync(join(journalFolder(), `${id}-code-odd.json`), '{"id":"odd"}');
    writeFileSync(join(journalFolder(), `${id}-code-cut.json`), '{"id":"cut","updates":[');
    await run('git', ['update-ref', 'refs/heads/main', otherOid], { cwd: folder });
    const updates = [{ ref: 'refs/heads/main', old: zeroOid, new: otherOid }];
    leaveEntry({ id: 'whole', repositoryId: other, updates });
    await host.services.get(refGate).repair();
    expect(await journal().left()).to.be.empty();
    await set('refs/heads/main', zeroOid, oid);
    const found = await doctor(false);
    expect(found).to.have.length(3);
    for (const { text } of found) expect(text).to.contain(`of repository ${id} could not be read`);
    expect((await doctor(true)).every(({ fixed }) => fixed)).to.be.true();
    expect(await doctor(false)).to.be.empty();
  });

  it('F2: doctor completes what was interrupted', async () => {
    const { id, oid, folder } = await repository();
    await run('git', ['update-ref', 'refs/heads/main', oid], { cwd: folder });
    leaveEntry({ id: 'left', repositoryId: id, updates: [{ ref: 'refs/heads/main', old: zeroOid, new: oid }] });
    expect(await doctor(false)).to.have.length(1);
    expect(await doctor(true)).to.equal([
      { text: `a change of references of repository ${id} was interrupted`, fixed: true },
    ]);
    expect(await doctor(false)).to.be.empty();
  });

  it('F4: what was refused goes back once the database tells that nothing is stored', async () => {
    const { id, oid, folder, set } = await repository();
    await set('refs/heads/main', zeroOid, oid);
    const updates = [{ ref: 'refs/heads/main', old: zeroOid, new: oid }];
    leaveEntry({ id: 'refused', repositoryId: id, updates, isRefused: true });
    await host.services.get(refUpdates).repair(id);
    expect(await host.services.get(gitReader).open(id).branch('main')).to.be.undefined();
    expect(existsSync(join(folder, 'refs/heads/main'))).to.be.false();
  });

  it('U1: a change of several references that a kill cut in half is carried to its end, and told whole', async () => {
    const { id, oid, folder, set } = await repository();
    await set('refs/heads/a', zeroOid, oid);
    await set('refs/heads/old', zeroOid, oid);
    // killed when `a` had gone and `main` had come: `a/b`, `other` and `old` were still to move
    await run('git', ['update-ref', '-d', 'refs/heads/a'], { cwd: folder });
    await run('git', ['update-ref', 'refs/heads/main', oid], { cwd: folder });
    const comes = (ref: string) => ({ ref, old: zeroOid, new: oid });
    const goes = (ref: string) => ({ ref, old: oid, new: zeroOid });
    const updates = [
      goes('refs/heads/a'),
      comes('refs/heads/a/b'),
      comes('refs/heads/main'),
      comes('refs/heads/other'),
      goes('refs/heads/old'),
    ];
    leaveEntry({ id: 'half', repositoryId: id, updates, isAtomic: true });
    await host.services.get(refUpdates).repair(id);
    const refs = await host.services.get(gitReader).open(id).refs();
    expect(refs.map(({ ref }) => ref)).to.equal(['refs/heads/a/b', 'refs/heads/main', 'refs/heads/other']);
    expect(await journal().left(id)).to.be.empty();
  });

  it('U1: what somebody else moved since is left to them, and a push that is not atomic ends where it was', async () => {
    const { id, oid, folder } = await repository();
    const next = await run('git', ['commit-tree', `${oid}^{tree}`, '-m', 'by another'], {
      cwd: folder,
      env: { ...process.env, ...identity },
    });
    const theirs = next.stdout.trim();
    await run('git', ['update-ref', 'refs/heads/main', oid], { cwd: folder });
    await run('git', ['update-ref', 'refs/heads/other', theirs], { cwd: folder });
    const updates = ['main', 'other', 'third'].map((name) => ({ ref: `refs/heads/${name}`, old: zeroOid, new: oid }));
    leaveEntry({ id: 'pushed', repositoryId: id, updates });
    await host.services.get(refUpdates).repair(id);
    const at = async (name: string) => (await host.services.get(gitReader).open(id).branch(name))?.oid;
    expect([await at('main'), await at('other'), await at('third')]).to.equal([oid, theirs, undefined]);
    leaveEntry({ id: 'whole', repositoryId: id, updates, isAtomic: true });
    await host.services.get(refUpdates).repair(id);
    expect([await at('main'), await at('other'), await at('third')]).to.equal([oid, theirs, oid]);
    expect(await journal().left(id)).to.be.empty();
  });

  it('GEN-06: what git says names no place on the server', () => {
    const said =
      "fatal: cannot lock ref 'refs/heads/x': Unable to create '/srv/git/1.git/refs/heads/x.lock': File exists.";
    expect(firstLine(said)).to.equal("cannot lock ref 'refs/heads/x': Unable to create 'x.lock': File exists.");
    expect(firstLine('error: cannot open /srv/git/1.git/HEAD: denied')).to.equal('cannot open HEAD: denied');
    expect(firstLine("fatal: unable to access 'https://example.com/a.git/': no")).to.contain('https://example.com/a');
  });
});

describe('the journal of changes', () => {
  const folder = join(process.env['TMPDIR'] ?? '/tmp', `mortise-journal-${process.pid}`);
  const change = {
    repositoryId: 1,
    kind: 'code',
    updates: [],
    pusherId: 1,
    pusherName: 'ada',
    pushOptions: {},
  } as const;

  it('F13: a process elsewhere is alive for as long as it renews its entries, whatever the clocks and names say', async () => {
    let now = 0;
    const elsewhere = { ...thisProcess, machine: 'another machine' };
    const watcher = new Journal(folder, { leaseMs: 30_000, clock: () => now });
    mkdirSync(folder, { recursive: true });
    const entry = { ...change, id: 'a', source: 'http', at: 0, wasEmpty: false, owner: elsewhere };
    const file = join(folder, '1-code-a.json');
    writeFileSync(file, JSON.stringify(entry));
    const renew = (seconds: number) => utimesSync(file, seconds, seconds);
    renew(1000);
    expect(await watcher.left()).to.be.empty();
    for (let beat = 0; beat < 10; beat++) {
      now += 25_000;
      renew(10 * beat); // its clock is wrong, and may go back
      expect(await watcher.left()).to.be.empty();
      expect(await watcher.hasWriters(1, 'code')).to.be.true();
    }
    now += 29_000;
    expect(await watcher.left()).to.be.empty();
    now += 2000;
    expect((await watcher.left()).map(({ id }) => id)).to.equal(['a']);
    expect(await watcher.hasWriters(1, 'code')).to.be.false();
  });

  it('F13: a process that has the number of the one that died is not taken for it', async () => {
    const journal = new Journal(folder);
    const reborn = { ...thisProcess, started: '1' };
    const entry = { ...change, id: 'b', source: 'http', at: 0, wasEmpty: false, owner: reborn };
    writeFileSync(join(folder, '1-code-b.json'), JSON.stringify(entry));
    expect((await journal.left()).map(({ id }) => id)).to.include('b');
  });
});

const startOf = (id: number) =>
  readFileSync(`/proc/${id}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')[19];

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 50));
}
