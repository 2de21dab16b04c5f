import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
//   MORTISE_TEST_FULL=1   100,000 references that come and go at once instead of 5,000
/** Sources and targets of mirrors that break, change their nature, or mean harm. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { gitReader } from '@mortise/git/api';
import { send } from '@mortise/repositories/testing';
import { startMirrorScene, type MirrorScene } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;
const isFull = process.env['MORTISE_TEST_FULL'] === '1';

describe('mirrors of servers that mean harm, or change', { timeout: 600_000 }, () => {
  let scene: MirrorScene;
  /** Waits three seconds where others wait minutes. */
  let impatient: MirrorScene;
  let made = 0;
  before(async () => {
    impatient = await startMirrorScene([], { git: { WRITE_TIMEOUT: 3 } });
    scene = await startMirrorScene(['releases']);
  });
  after(async () => {
    for (const { remote, host } of [scene, impatient]) {
      await remote.close();
      await host.close();
    }
  });
  beforeEach(() => {
    scene.remote.misbehave = undefined;
    scene.remote.login = undefined;
  });

  const source = async (files: Record<string, string | Buffer> = { 'a.txt': 'a' }) => {
    const name = `spring${++made}`;
    await scene.remote.repository(name);
    await scene.remote.commit(name, 'main', files);
    return name;
  };
  const follow = async (name: string, more: object = {}) => {
    const repository = await scene.mirror(scene.ada, name, { address: scene.remote.url(name), interval: '0', ...more });
    await scene.host.settle();
    return { id: repository.id, api: `/repos/ada/${name}`, name };
  };
  const git = (name: string, ...args: string[]) => scene.remote.git(name, ...args);
  const refs = async (id: number) =>
    Object.fromEntries(
      (await scene.host.services.get(gitReader).open(id).refs()).map(({ ref, oid }) => [ref.slice(5), oid]),
    );
  const theirs = async (name: string) =>
    Object.fromEntries(
      (await git(name, 'for-each-ref', '--format=%(refname) %(objectname)'))
        .split('\n')
        .map((line) => line.slice(5).split(' ') as [string, string]),
    );
  /** Asks for a run, and gives what stands in the row. */
  const sync = async ({ api, id }: { api: string; id: number }) => {
    expect((await send(scene.ada, 'POST', `${api}/mirror-sync`)).statusCode).to.equal(200);
    await scene.host.settle();
    const row = await scene.host.database.knex()('pull_mirror').where('repository_id', id).first();
    return { failures: Number(row.failures), error: String(row.last_error) };
  };
  const well = { failures: 0, error: '' };

  it('history that was rewritten, names that swap places, and a default branch that vanished', async () => {
    const name = await source();
    await scene.remote.commit(name, 'side', { 'b.txt': 'b' });
    await git(name, 'update-ref', 'refs/heads/a', 'side');
    const mirror = await follow(name);
    const rewritten = await git(name, 'commit-tree', 'main^{tree}', '-m', 'anew');
    await git(name, 'update-ref', 'refs/heads/main', rewritten);
    await git(name, 'update-ref', '-d', 'refs/heads/a');
    await git(name, 'update-ref', 'refs/heads/a/b', 'side');
    expect(await sync(mirror)).to.equal(well);
    expect(await refs(mirror.id)).to.equal(await theirs(name));
    await git(name, 'update-ref', '-d', 'refs/heads/a/b');
    await git(name, 'update-ref', 'refs/heads/a', 'main');
    await git(name, 'symbolic-ref', 'HEAD', 'refs/heads/side');
    await git(name, 'update-ref', '-d', 'refs/heads/main');
    expect(await sync(mirror)).to.equal(well);
    expect(await refs(mirror.id)).to.equal(await theirs(name));
    expect((await send(scene.ada, 'GET', mirror.api)).json).to.include({ default_branch: 'side', empty: false });
    expect((await scene.ada.inject(`/ada/${name}`)).statusCode).to.equal(200);
    // now HEAD names a branch that is not there either
    await git(name, 'symbolic-ref', 'HEAD', 'refs/heads/nowhere');
    await git(name, 'update-ref', '-d', 'refs/heads/side');
    expect(await sync(mirror)).to.equal(well);
    expect(Object.keys(await refs(mirror.id))).to.equal(['heads/a']);
    expect((await scene.ada.inject(`/ada/${name}`)).statusCode).to.be.below(500);
  });

  it('tags that move or go: releases that hang on them are not lost', async () => {
    const name = await source();
    const [first, second] = [
      await git(name, 'rev-parse', 'main'),
      await scene.remote.commit(name, 'main', { 'b.txt': 'b' }),
    ];
    await git(name, 'tag', 'v1', first);
    await git(name, 'tag', 'v2', first);
    const mirror = await follow(name);
    for (const tag of ['v1', 'v2']) {
      const body = { tag_name: tag, name: `release ${tag}`, body: 'what is new' };
      const answer = await send(scene.ada, 'POST', `${mirror.api}/releases`, body);
      expect(answer.statusCode, answer.payload).to.equal(201);
    }
    await git(name, 'update-ref', 'refs/tags/v1', second);
    await git(name, 'update-ref', '-d', 'refs/tags/v2');
    expect(await sync(mirror)).to.equal(well);
    expect(await refs(mirror.id)).to.equal(await theirs(name));
    const releases = (await send(scene.ada, 'GET', `${mirror.api}/releases?limit=50`)).json as Record<
      string,
      unknown
    >[];
    const shown = releases.map((one) => [one['tag_name'], one['name'], one['draft']]);
    expect(shown).to.include([['v1', 'release v1', false]]);
    expect(shown.filter(([tag]) => tag === 'v2')).to.equal([['v2', 'release v2', true]]);
    expect((await send(scene.ada, 'GET', `${mirror.api}/tags/v1`)).json.commit.sha).to.equal(second);
  });

  it('names that would be read as something else stay away, and those that differ in case come', async () => {
    const name = await source();
    for (const ref of [
      'refs/heads/-x',
      'refs/heads/HEAD',
      `refs/tags/${'a'.repeat(40)}`,
      'refs/pull/1/head',
      'refs/notes/x',
    ])
      await git(name, 'update-ref', ref, 'main');
    const long = Array.from({ length: 16 }, () => 'n'.repeat(240)).join('/');
    for (const ref of ['refs/heads/Main', 'refs/heads/MAIN', `refs/heads/${long}`])
      await git(name, 'update-ref', ref, 'main');
    // in a file of packed references a name may be longer than a file system takes
    const tooLong = `refs/heads/${'y'.repeat(251)}`;
    await git(name, 'pack-refs', '--all');
    await appendFile(
      join(scene.remote.folder(name), 'packed-refs'),
      `${(await theirs(name))['heads/main']} ${tooLong}\n`,
    );
    const mirror = await follow(name);
    const expected = ['heads/Main', 'heads/MAIN', 'heads/main', `heads/${long}`];
    expect(Object.keys(await refs(mirror.id)).sort()).to.equal(expected.sort());
    expect(await sync(mirror)).to.equal(well);
    const page = await scene.ada.inject(`/ada/${name}/settings/mirrors`);
    expect(page.statusCode).to.equal(200);
    expect(page.payload).to.contain('<strong>-x</strong>').and.to.contain('y'.repeat(200));
    expect((await send(scene.ada, 'GET', `${mirror.api}/branches?limit=50`)).json).to.have.length(4);
  });

  it(`${isFull ? '100,000' : '5,000'} references come and go at once`, async () => {
    const count = isFull ? 100_000 : 5000;
    const name = await source();
    const oid = await git(name, 'rev-parse', 'main');
    const stdin = (line: (n: number) => string) =>
      execFileSync('git', ['update-ref', '--stdin'], {
        cwd: scene.remote.folder(name),
        input: Array.from({ length: count }, (_, n) => line(n)).join(''),
      });
    const mirror = await follow(name);
    stdin((n) => `create refs/heads/many/${n} ${oid}\n`);
    execFileSync('git', ['pack-refs', '--all'], { cwd: scene.remote.folder(name) });
    expect(await sync(mirror)).to.equal(well);
    expect(Object.keys(await refs(mirror.id))).to.have.length(count + 1);
    stdin((n) => `delete refs/heads/many/${n}\n`);
    expect(await sync(mirror)).to.equal(well);
    expect(Object.keys(await refs(mirror.id))).to.equal(['heads/main']);
  });

  it('a source that turns to other object ids, or into something else, changes nothing here and is named', async () => {
    const name = await source();
    const mirror = await follow(name);
    const had = await refs(mirror.id);
    const folder = scene.remote.folder(name);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', '--object-format=sha256', '.'], { cwd: folder });
    const tree = execFileSync('git', ['mktree'], { cwd: folder, input: '' }).toString().trim();
    await git(name, 'update-ref', 'refs/heads/main', await git(name, 'commit-tree', tree, '-m', 'other'));
    const turned = await sync(mirror);
    expect(turned.failures).to.equal(1);
    expect(turned.error).to.match(/sha256|algorithm|format/i);
    expect(await refs(mirror.id)).to.equal(had);
    scene.remote.misbehave = (_request, response) => Boolean(response.writeHead(200).end('<html>hello</html>'));
    expect((await sync(mirror)).failures).to.equal(2);
    scene.remote.misbehave = (_request, response) => Boolean(response.writeHead(410).end());
    expect((await sync(mirror)).failures).to.equal(3);
    expect(await refs(mirror.id)).to.equal(had);
    const page = await scene.ada.inject(`/ada/${name}/settings/mirrors`);
    expect(page.payload).to.contain('Failures in a row: 3');
  });

  it('a source that has nothing: a new mirror of it is empty, and one that had something keeps it and says so', async () => {
    const empty = `spring${++made}`;
    await scene.remote.repository(empty);
    const waiting = await follow(empty);
    expect((await send(scene.ada, 'GET', waiting.api)).json).to.include({ mirror: true, empty: true });
    await scene.remote.commit(empty, 'main', { 'a.txt': 'a' });
    expect(await sync(waiting)).to.equal(well);
    expect(await refs(waiting.id)).to.equal(await theirs(empty));
    await git(empty, 'tag', 'v1', 'main');
    await sync(waiting);
    const had = await refs(waiting.id);
    for (const ref of ['refs/heads/main', 'refs/tags/v1']) await git(empty, 'update-ref', '-d', ref);
    const emptied = await sync(waiting);
    expect(emptied.error).to.contain('no branches any more');
    expect(await refs(waiting.id)).to.equal(had);
    expect((await scene.ada.inject(`/ada/${empty}/settings/mirrors`)).payload).to.contain('no branches any more');
  });

  it('a source that asks for credentials in the middle gets none of anybody else, and moves nothing', async () => {
    const name = await source();
    const mirror = await follow(name, { username: 'carol', password: 'first-word' });
    await scene.remote.commit(name, 'main', { 'b.txt': 'b' });
    const had = await refs(mirror.id);
    const seen: (string | undefined)[] = [];
    scene.remote.misbehave = (request, response) => {
      seen.push(request.headers.authorization);
      if (request.method !== 'POST') return undefined;
      response.writeHead(401, { 'www-authenticate': 'Basic realm="other"' }).end();
      return true;
    };
    const { failures, error } = await sync(mirror);
    expect(failures).to.equal(1);
    expect(error).to.not.contain('first-word').and.not.contain('carol');
    const own = `Basic ${Buffer.from('carol:first-word').toString('base64')}`;
    expect(seen.filter((one) => one !== undefined && one !== own)).to.be.empty();
    expect(await refs(mirror.id)).to.equal(had);
    scene.remote.misbehave = undefined;
    expect(await sync(mirror)).to.equal(well);
  });

  it('drips keep no run open, of fetches and of pushes', async () => {
    const patient = scene;
    scene = impatient;
    try {
      await drips();
    } finally {
      scene = patient;
    }
  });

  const drips = async () => {
    const name = await source();
    const mirror = await follow(name);
    await scene.remote.commit(name, 'main', { 'b.txt': 'b' });
    const drip = (head: boolean) => {
      scene.remote.misbehave = (request, response) => {
        if (!head && request.method !== 'POST') return undefined;
        response.writeHead(200, {
          'content-type': `application/x-git-${head ? 'upload' : 'receive'}-pack-advertisement`,
        });
        const timer = setInterval(() => response.write('0'), 100);
        response.once('close', () => clearInterval(timer));
        return true;
      };
    };
    const began = Date.now();
    drip(true);
    expect((await sync(mirror)).failures).to.equal(1);
    drip(false);
    expect((await sync(mirror)).failures).to.equal(2);
    scene.remote.misbehave = undefined;
    expect(await sync(mirror)).to.equal(well);
    await scene.remote.repository(`${name}-copy`);
    const body = { remote_address: scene.remote.url(`${name}-copy`), interval: '0' };
    expect((await send(scene.ada, 'POST', `${mirror.api}/push_mirrors`, body)).statusCode).to.equal(200);
    for (const head of [true, false]) {
      drip(head);
      expect((await send(scene.ada, 'POST', `${mirror.api}/push_mirrors-sync`)).statusCode).to.equal(422);
    }
    scene.remote.misbehave = undefined;
    expect((await send(scene.ada, 'POST', `${mirror.api}/push_mirrors-sync`)).statusCode).to.equal(200);
    expect(await theirs(`${name}-copy`)).to.equal(await theirs(name));
    expect(Date.now() - began).to.be.below(120_000);
    const runs = await scene.host.database.knex()('mirror_run').where('state', 'running').select();
    expect(runs).to.be.empty();
  };
});
