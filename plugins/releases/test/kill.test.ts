import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Invalid, definePlugin } from '@mortise/plugin-sdk';
import { gitStore, refUpdates, refsUpdated, zeroOid, type RefChange, type RefUpdate } from '@mortise/git/api';
import { releaseDeleted, releaseEdited, releasePublished } from '../contract/releases.js';
import { createdFor } from '../services/tags.js';
import { api, makeWorld, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

let refuses = false;
const heard: string[] = [];
/** Refuses moved references in their transaction when told to; notes what releases tell. */
const witness = definePlugin({
  name: 'witness',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { releases: '^1.0.0', git: '^1.0.0' },
  register(host) {
    host.on(refsUpdated, 'within', 'refuse', {}, async () => {
      if (refuses) throw Invalid('not today');
    });
    host.on(releasePublished, 'after', 'published', {}, async (one) => void heard.push(`published ${one.tagName}`));
    host.on(releaseEdited, 'after', 'edited', {}, async (one) => void heard.push(`edited ${one.tagName}`));
    host.on(releaseDeleted, 'after', 'deleted', {}, async (one) => void heard.push(`deleted ${one.tagName}`));
  },
});

/** The parts of the gate between which a kill can fall. */
interface Gate {
  /** `abandon`: nobody works on it any more. */
  readonly journal: { abandon(entry: unknown): void };
  readonly moves: { move(folder: string, updates: readonly RefUpdate[]): Promise<void> };
  begin(change: RefChange, options: { readonly isAtomic: boolean }): Promise<unknown>;
  repair(repositoryId: number): Promise<void>;
}

describe('releases after a kill', () => {
  let world: World;
  const at = `${api}/releases`;
  const rows = () => world.host.database.knex()('release').select('tag_name', 'state', 'pending_at');
  const row = async (tag: string) => (await rows()).find((one) => one.tag_name === tag);
  const counter = async () => (await send(world.ada, 'GET', api)).json.release_counter as number;

  before(async () => {
    world = await makeWorld(['releases', witness]);
  });
  after(() => world.host.close());

  /** What is there when the process dies: the row, and as much of the change of references. */
  const begin = async (tagName: string, until: 'row' | 'journal' | 'moved') => {
    const repository = await world.repository();
    const texts = { tagName, target: 'main', title: 'T', note: '', isPrerelease: false };
    const pending = { ...texts, actorId: world.users.ben.id };
    const release = await world.releaseServices.releaseStore.insert(repository.id, texts, {
      actorId: 1,
      tagMessage: '',
      pending,
    });
    if (until === 'row') return;
    const gate = world.host.services.get(refUpdates) as unknown as Gate;
    const updates = [{ ref: `refs/tags/${tagName}`, old: zeroOid, new: await world.head() }];
    const entry = await gate.begin(
      {
        repositoryId: repository.id,
        kind: 'code',
        updates,
        pusher: { kind: 'user', id: world.users.ben.id, name: 'ben' } as RefChange['pusher'],
        pushOptions: {},
        source: 'api',
        facts: createdFor.with(release.id),
      },
      { isAtomic: true },
    );
    gate.journal.abandon(entry);
    if (until === 'moved') await gate.moves.move(world.host.services.get(gitStore).path(repository.id), updates);
  };

  it('before the tag was made: nobody sees it, the next try succeeds, the sweep forgets it', async () => {
    for (const until of ['row', 'journal'] as const) {
      const tag = `k-${until}`;
      await begin(tag, until);
      expect((await send(world.ben, 'GET', `${at}/tags/${tag}`)).statusCode).to.equal(404);
      expect((await send(world.ben, 'GET', at)).json.map((one: { tag_name: string }) => one.tag_name)).to.not.include(
        tag,
      );
      expect((await send(world.ben, 'POST', at, { tag_name: tag })).statusCode).to.equal(201);
      await begin(`s-${until}`, until);
      expect(await world.releaseServices.releases.sweep(0)).to.equal(1);
      expect(await row(`s-${until}`)).to.be.undefined();
    }
    expect(await counter()).to.equal(2);
  });

  it('after the tag was made: the journal tells, and the release is out', async () => {
    await begin('k-moved', 'moved');
    await (world.host.services.get(refUpdates) as unknown as Gate).repair((await world.repository()).id);
    expect((await send(world.cas, 'GET', `${at}/tags/k-moved`)).statusCode).to.equal(200);
    expect(await counter()).to.equal(3);
    await begin('k-swept', 'moved');
    expect(await world.releaseServices.releases.sweep(0)).to.equal(1);
    expect((await row('k-swept'))?.state).to.equal('published');
    expect(Number((await row('k-swept'))?.pending_at)).to.equal(0);
    expect(await counter()).to.equal(4);
  });

  it('a refusal in between leaves neither tag nor release, and a draft as it was', async () => {
    const draft = await send(world.ben, 'POST', at, { tag_name: 'd', name: 'D', draft: true });
    refuses = true;
    expect((await send(world.ben, 'POST', at, { tag_name: 'r' })).statusCode).to.equal(422);
    const publish = await send(world.ben, 'PATCH', `${at}/${draft.json.id}`, { draft: false, name: 'E' });
    expect(publish.statusCode).to.equal(422);
    refuses = false;
    expect(await world.tag('r')).to.be.undefined();
    expect(await world.tag('d')).to.be.undefined();
    expect(await row('r')).to.be.undefined();
    expect(await row('d')).to.include({ state: 'draft' });
    expect((await send(world.ben, 'GET', `${at}/${draft.json.id}`)).json).to.include({ name: 'D', draft: true });
    expect(await counter()).to.equal(4);
  });

  it('tells of each publication, change and deletion once, of drafts never', async () => {
    await world.host.settle();
    heard.length = 0;
    const made = await send(world.ben, 'POST', at, { tag_name: 'e1' });
    await send(world.ben, 'PATCH', `${at}/${made.json.id}`, { name: 'x' });
    await send(world.ben, 'DELETE', `${at}/${made.json.id}`);
    const draft = await send(world.ben, 'POST', at, { tag_name: 'e2', draft: true });
    await send(world.ben, 'PATCH', `${at}/${draft.json.id}`, { name: 'x' });
    await send(world.ben, 'DELETE', `${at}/${draft.json.id}`);
    await world.host.settle();
    // Between kinds of events there is no order.
    expect([...heard].sort()).to.equal(['deleted e1', 'edited e1', 'published e1']);
  });

  it('the page deletes a release with its tag in one moment', async () => {
    await send(world.ben, 'POST', at, { tag_name: 'both' });
    const gone = await world.ben.inject({
      method: 'POST',
      url: '/ada/press/releases/delete/both',
      payload: 'delete_tag=on',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(gone.statusCode).to.equal(303);
    expect(await world.tag('both')).to.be.undefined();
    expect(await row('both')).to.be.undefined();
  });

  it('the doctor finds and mends counters and releases without tags', async () => {
    const { id } = await world.repository();
    await world.host.database.write(
      async () => void (await world.host.database.knex()('repository').where({ id }).update({ release_count: 40 })),
    );
    const store = world.host.services.get(gitStore);
    const gate = world.host.services.get(refUpdates) as unknown as Gate;
    await gate.moves.move(store.path(id), [{ ref: 'refs/tags/k-row', old: await world.head(), new: zeroOid }]);
    const { checkReleases } = await import('../services/doctor.js');
    const found: string[] = [];
    for await (const one of checkReleases(world.releaseServices, { fix: true }))
      found.push(`${one.level}: ${one.text}`);
    expect(found.filter((one) => !one.startsWith('ok'))).to.have.length(2);
    expect((await row('k-row'))?.state).to.equal('draft');
    expect(await counter()).to.equal(3);
    for await (const one of checkReleases(world.releaseServices, { fix: false })) expect(one.level).to.equal('ok');
  });
});
