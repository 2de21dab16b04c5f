/** The database goes away while people push: what they hear is true, and what waits is done once it is back. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { asActor } from '@mortise/plugin-sdk/testing';
import { gitReader, refChecks, refsUpdated, refUpdates, zeroOid, type RefsUpdated } from '@mortise/git/api';
import { Kit } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

/** What the parts of a database are that fail when it is away. */
type Breakable = { write: unknown; query: unknown; knex: unknown };

describe('a database that goes away', { timeout: 600_000 }, () => {
  let kit: Kit;
  const heard: RefsUpdated[] = [];
  /** When the database goes: as the next change is checked, or by then only its writes. */
  let breakAt: 'check' | 'write' | undefined;
  const watcher = definePlugin({
    name: 'test-watcher',
    version: '1.0.0',
    sdk: '*',
    requires: { git: '^1.0.0' },
    register(plugin) {
      plugin.contribute(refChecks, {
        key: 'outage',
        order: 1_000_000,
        check: async () => {
          if (breakAt === 'check') await goAway(['query']);
          if (breakAt) goAway();
        },
      });
      plugin.on(refsUpdated, 'after', 'hear', {}, async (payload) => void heard.push(payload));
    },
  });
  before(async () => {
    kit = await Kit.start({}, [watcher]);
  });
  after(() => kit.host.close());
  afterEach(() => comeBack());

  const broken = () => kit.host.database as unknown as Partial<Breakable>;
  const away = () => {
    throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:3306'), { code: 'ECONNREFUSED' });
  };
  function goAway(parts: readonly (keyof Breakable)[] = ['write', 'query', 'knex']): void {
    for (const part of parts) broken()[part] = part === 'write' ? async () => away() : away;
    if (parts.length === 1) away();
  }
  /** The methods of its class again. */
  function comeBack(): void {
    breakAt = undefined;
    for (const part of ['write', 'query', 'knex'] as const) delete broken()[part];
  }
  const heardOf = async (repositoryId: number, count: number) => {
    for (;;) {
      await kit.host.events.deliverAll();
      const mine = heard.filter((event) => event.repositoryId === repositoryId);
      if (mine.length >= count) return mine;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  for (const transport of ['http', 'ssh'] as const) {
    const address = (name: string) => (transport === 'http' ? kit.http(`ada/${name}`) : kit.url(`ada/${name}`));

    it(`F4: over ${transport}, what has moved is told as soon as the database is back`, async () => {
      const repository = await kit.repository(`moved-${transport}`);
      const source = await kit.source();
      const url = await address(repository.name);
      breakAt = 'write';
      const { code, err } = await kit.try('ada', source, 'push', url, 'main');
      expect([code, err]).to.equal([0, err]);
      expect(err).to.contain('Your changes are stored.');
      expect(err).to.contain('new branch');
      expect(heard.filter((event) => event.repositoryId === repository.id)).to.be.empty();
      comeBack();
      const [event, ...more] = await heardOf(repository.id, 1);
      expect(more).to.be.empty();
      expect(event).to.include({ wasEmpty: true, pusherName: 'ada', source: transport });
      await kit.commit(source, 'b.txt', 'b');
      await kit.git(source, 'push', '-q', url, 'main');
      expect(await heardOf(repository.id, 2)).to.have.length(2);
    });

    it(`F4: over ${transport}, what was refused since the database is away has not happened`, async () => {
      const repository = await kit.repository(`refused-${transport}`);
      const source = await kit.source();
      breakAt = 'check';
      const { code, err } = await kit.try('ada', source, 'push', await address(repository.name), 'main');
      expect(code).to.equal(1);
      expect(err).to.contain('nothing was changed');
      comeBack();
      expect(await kit.host.services.get(gitReader).open(repository.id).refs()).to.be.empty();
    });
  }

  it('F4: a change over the API either is stored with its event or goes back', async () => {
    const repository = await kit.repository('api', { autoInit: true });
    const reader = kit.host.services.get(gitReader).open(repository.id);
    const source = await kit.source();
    await kit.git(source, 'push', '-q', kit.url('ada/api'), 'main:refs/heads/start');
    const { oid } = (await reader.branch('start'))!;
    await heardOf(repository.id, 1);
    heard.length = 0;
    const make = (branch: string) =>
      kit.host.services.get(refUpdates).apply({
        repositoryId: repository.id,
        updates: [{ ref: `refs/heads/${branch}`, old: zeroOid, new: oid }],
        pusher: asActor({ id: kit.ada.id, name: 'ada' }),
        source: 'api',
      });
    breakAt = 'write';
    await expect(make('one')).to.reject(/ECONNREFUSED/);
    comeBack();
    while (await reader.branch('one')) await new Promise((resolve) => setTimeout(resolve, 50));
    // the commit reached the database, its answer did not come back
    const { write } = kit.host.database;
    broken().write = async (work: () => Promise<unknown>) => {
      comeBack();
      await write.call(kit.host.database, work);
      away();
    };
    expect((await make('two')).updates[0]!.new).to.equal(oid);
    expect((await reader.branch('two'))?.oid).to.equal(oid);
    expect((await heardOf(repository.id, 1)).map(({ updates }) => updates[0]!.ref)).to.equal(['refs/heads/two']);
  });

  it('F13: a key that cannot be checked is not refused: people hear why', async () => {
    await kit.repository('keys');
    goAway();
    const options = kit.options('ada').map((word) => word.replace('LogLevel=ERROR', 'LogLevel=INFO'));
    const done = await kit.end(spawn('ssh', [...options, 'git@127.0.0.1'], { stdio: ['ignore', 'pipe', 'pipe'] }));
    expect(done.code).to.equal(255);
    expect(done.err).to.contain('cannot check your key at the moment');
    expect(done.err).to.not.contain('Permission denied');
    comeBack();
    expect((await kit.ssh('ada')).out).to.contain('Hi there, ada!');
  });

  it('F1: what git says about a lock names no place on the server', async () => {
    const repository = await kit.repository('locked');
    const source = await kit.source();
    const lock = join(kit.folder(repository), 'refs', 'heads', 'main');
    // in the way, and never removed as a lock: a folder with something in it
    await mkdir(`${lock}.lock`, { recursive: true });
    await writeFile(join(`${lock}.lock`, 'x'), '');
    for (const url of [await kit.http('ada/locked'), kit.url('ada/locked')]) {
      const { code, err } = await kit.try('ada', source, 'push', url, 'main');
      expect(code).to.equal(1);
      expect(err).to.contain("Unable to create './refs/heads/main.lock'");
      expect(err).to.not.contain(kit.host.workDir);
    }
  });
});
