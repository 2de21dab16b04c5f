import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { Readable } from 'node:stream';
import { signUp } from '@mortise/accounts/testing';
import { h, type VNode } from 'preact';
import { fileActions, mediaSources } from '@mortise/files/api';
import { commitBadges, signatureVerifiers } from '@mortise/history/api';
import { commitSigners } from '@mortise/repositories/api';
import { branchRenamed, branchRules } from '../api.js';

/** What a pointer stands for. */
const object = Buffer.from('0123456789'.repeat(500));

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const base64 = (text: string) => Buffer.from(text).toString('base64');

const renamed: unknown[] = [];
/** A plugin that fills every point of the pages of code. */
const neighbour = definePlugin({
  name: 'neighbour',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { history: '^1.0.0', refs: '^1.0.0', files: '^1.0.0' },
  register(host) {
    host.on(branchRenamed, 'within', 'note', {}, async (payload) => void renamed.push(payload));
    host.contribute(branchRules, {
      key: 'rules',
      rules: async (_context, _actor, branches) =>
        new Map(
          branches
            .filter((name) => name.startsWith('release/'))
            .map((name) => [
              name,
              {
                ruleName: 'release/*',
                requiredApprovals: 2,
                enableStatusCheck: true,
                statusCheckContexts: ['build'],
                userCanPush: false,
                userCanMerge: true,
              },
            ]),
        ),
    });
    host.contribute(commitBadges, {
      key: 'mark',
      badges: async (_context, oids) => new Map(oids.map((oid) => [oid, h('b', { class: 'a-mark' }, 'ok') as VNode])),
    });
    host.contribute(fileActions, {
      key: 'action',
      render: ({ path, editable }) => h('a', { class: 'an-action' }, `${path}:${editable}`) as VNode,
    });
    host.contribute(mediaSources, {
      key: 'media',
      open: async (_id, pointer, range) =>
        pointer.includes('git-lfs')
          ? {
              size: object.length,
              stream: Readable.from(object.subarray(range?.start ?? 0, (range?.end ?? object.length) + 1), {
                objectMode: false,
              }),
            }
          : undefined,
    });
    host.contribute(commitSigners, {
      key: 'signer',
      signer: async () => ({
        name: 'Site',
        email: 'site@example.com',
        sign: async () => '-----BEGIN SIGNATURE-----\nx\n-----END SIGNATURE-----',
      }),
    });
    host.contribute(signatureVerifiers, {
      key: 'verifier',
      verify: async (objects) =>
        objects.map((object) => ({
          verified: true,
          reason: 'site / key',
          signature: object.signature ?? '',
          payload: object.payload ?? '',
          signer: { name: 'Site', email: 'site@example.com', username: '' },
        })),
    });
  },
});

describe('branches, tags and the plugins around', () => {
  let host: TestHost;
  let ada: TestClient;
  const api = '/api/v1/repos/ada/wheel';
  const send = (method: string, url: string, payload?: object, by: Pick<TestClient, 'inject'> = ada) =>
    by.inject({ method: method as 'GET', url, payload });
  const form = (url: string, values: Record<string, string>) => submitForm(ada, url, values);

  before(async () => {
    host = await startHost({ plugins: ['refs', 'files', neighbour] });
    ada = await signUp(host, 'ada');
    await send('POST', '/api/v1/user/repos', { name: 'wheel', default_branch: 'main' });
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:' + 'a'.repeat(64) + '\nsize 10\n';
    const made = await send('POST', `${api}/contents`, {
      files: [
        { operation: 'create', path: 'a.txt', content: base64('one\n') },
        { operation: 'create', path: 'large.bin', content: base64(pointer) },
      ],
    });
    expect(made.statusCode).to.equal(201);
  });
  after(() => host.close());

  it('CNT-05: commits that the site makes are signed and verified, wherever they are shown', async () => {
    const commit = (await send('GET', `${api}/git/commits/main`)).json;
    expect(commit.commit.committer.name).to.equal('Site');
    expect(commit.commit.author.name).to.equal('ada');
    expect(commit.commit.verification).to.include({ verified: true, reason: 'site / key' });
    expect(commit.commit.verification.payload).to.include('committer Site <site@example.com>');
    expect((await send('GET', `${api}/git/commits/main?verification=false`)).json.commit.verification).to.be.null();
    expect((await send('GET', `${api}/branches/main`)).json.commit.verification.verified).to.be.true();
    const page = (await send('GET', '/ada/wheel/commits/branch/main')).payload;
    expect(page).to.include('Verified').and.to.include('a-mark');
    expect((await send('GET', '/ada/wheel')).payload)
      .to.include('a-mark')
      .and.to.include('an-action');
    expect((await send('GET', '/ada/wheel/src/branch/main/a.txt')).payload).to.include('a.txt:true');
  });

  it('REP-19: shows the rules of branches, their names to administrators only', async () => {
    expect((await send('POST', `${api}/branches`, { new_branch_name: 'release/1' })).statusCode).to.equal(201);
    expect((await send('GET', `${api}/branches/release/1`)).json).to.include({
      protected: true,
      required_approvals: 2,
      user_can_push: false,
      user_can_merge: true,
      effective_branch_protection_name: 'release/*',
    });
    const stranger = (await send('GET', `${api}/branches/release/1`, undefined, host)).json;
    expect(stranger).to.include({ protected: true, user_can_merge: false, effective_branch_protection_name: '' });
    expect((await send('GET', '/ada/wheel/branches')).payload).to.include('Protected');
  });

  it('REP-20: renames, also the default branch, and tells within the transaction', async () => {
    expect((await send('PATCH', `${api}/branches/main`, { name: 'trunk' })).statusCode).to.equal(204);
    expect(renamed).to.have.length(1);
    expect(renamed[0]).to.include({ from: 'main', to: 'trunk' });
    expect((await send('GET', api)).json.default_branch).to.equal('trunk');
    // links to what it was called before lead on
    for (const [old, now] of [
      ['src/branch/main/a.txt', 'src/branch/trunk/a.txt'],
      ['src/branch/main', 'src/branch/trunk'],
      ['src/main/a.txt', 'src/trunk/a.txt'],
      ['commits/branch/main', 'commits/branch/trunk'],
      ['blame/branch/main/a.txt', 'blame/branch/trunk/a.txt'],
      ['raw/branch/main/a.txt', 'raw/branch/trunk/a.txt'],
    ]) {
      const { statusCode, headers } = await send('GET', `/ada/wheel/${old}`);
      expect([statusCode, headers.location], old).to.equal([302, `/ada/wheel/${now}`]);
    }
    expect((await send('GET', '/ada/wheel/src/branch/mainly/a.txt')).statusCode).to.equal(404);
    expect((await send('GET', '/ada/wheel/src/branch/trunk/main')).statusCode).to.equal(404);
    await host.settle();
    expect((await send('GET', `${api}/branches`)).json.map((one: { name: string }) => one.name)).to.equal([
      'release/1',
      'trunk',
    ]);
  });

  it('deletes and restores branches from the page', async () => {
    expect((await form('/ada/wheel/branches/new', { name: 'f/one', from: 'trunk' })).statusCode).to.equal(303);
    const head = (await send('GET', `${api}/branches/f/one`)).json.commit.id;
    expect((await form('/ada/wheel/branches/delete', { name: 'f/one' })).statusCode).to.equal(303);
    expect((await send('GET', `${api}/branches/f/one`)).statusCode).to.equal(404);
    const page = (await send('GET', '/ada/wheel/branches')).payload;
    expect(page).to.include('Deleted branches').and.to.include('f/one');
    const id = /name="id" value="(\d+)"/.exec(page)![1]!;
    expect((await form('/ada/wheel/branches/restore', { id })).statusCode).to.equal(303);
    expect((await send('GET', `${api}/branches/f/one`)).json.commit.id).to.equal(head);
    expect((await send('GET', '/ada/wheel/branches')).payload).to.not.include('Deleted branches');
    expect((await form('/ada/wheel/branches/restore', { id })).statusCode).to.equal(404);
    const again = await form('/ada/wheel/branches/new', { name: 'f/one', from: 'trunk' });
    expect(again.statusCode).to.equal(409);
    expect(again.payload).to.include('already exists');
    expect((await form('/ada/wheel/branches/delete', { name: 'trunk' })).statusCode).to.equal(403);
  });

  it('forgets branches that were deleted long ago', async () => {
    const removed = async (name: string) => {
      expect((await form('/ada/wheel/branches/new', { name, from: 'trunk' })).statusCode).to.equal(303);
      expect((await form('/ada/wheel/branches/delete', { name })).statusCode).to.equal(303);
    };
    const rows = () => host.database.knex()('deleted_branch');
    await removed('old');
    const age = 91 * 86_400_000;
    await host.database.write(() => rows().where('name', 'old').decrement('deleted_at', age));
    await removed('new');
    expect(await rows().orderBy('name').pluck('name')).to.equal(['new']);
    await host.database.write(() => rows().delete());
  });

  it('makes and removes tags from the page', async () => {
    expect((await form('/ada/wheel/tags/new', { name: 'v1', target: 'trunk', message: 'First' })).statusCode).to.equal(
      303,
    );
    expect((await send('GET', `${api}/tags/v1`)).json.message).to.equal('First');
    expect((await send('GET', '/ada/wheel/tags')).payload)
      .to.include('v1')
      .and.to.include('First');
    expect((await form('/ada/wheel/tags/delete', { name: 'v1' })).statusCode).to.equal(303);
    expect((await send('GET', `${api}/tags/v1`)).statusCode).to.equal(404);
  });

  it('serves what pointers stand for under /media, the pointer itself under /raw', async () => {
    expect((await send('GET', `${api}/media/large.bin`)).payload).to.equal(object.toString());
    expect((await send('GET', `${api}/raw/large.bin`)).payload).to.include('git-lfs');
    const part = await ada.inject({ url: '/ada/wheel/media/branch/trunk/large.bin', headers: { range: 'bytes=2-4' } });
    expect(part.statusCode).to.equal(206);
    expect(part.payload).to.equal('234');
    const whole = await ada.inject({ url: `${api}/media/large.bin`, headers: { 'accept-encoding': 'gzip' } });
    expect([whole.headers['content-encoding'], whole.headers['content-length']]).to.equal([undefined, '5000']);
    expect((await send('GET', '/ada/wheel/src/branch/trunk/large.bin')).payload).to.include('stored with Git LFS');
  });

  it('CNT-23: keeps archives, serves parts of them, and takes paths', async () => {
    const first = await send('GET', `${api}/archive/trunk.zip`);
    expect(first.statusCode).to.equal(200);
    const again = await ada.inject({ url: `${api}/archive/trunk.zip`, headers: { range: 'bytes=0-1' } });
    expect([again.statusCode, again.payload, again.headers['content-range']]).to.equal([
      206,
      'PK',
      `bytes 0-1/${first.rawPayload.length}`,
    ]);
    const known = await ada.inject({
      url: `${api}/archive/trunk.zip`,
      headers: { 'if-none-match': first.headers.etag as string },
    });
    expect(known.statusCode).to.equal(304);
    expect((await send('GET', `${api}/archive/trunk.tar.gz?path=a.txt`)).statusCode).to.equal(200);
    expect((await send('GET', `${api}/archive/trunk.bundle`)).payload).to.startWith('# v2 git bundle');
    expect((await send('GET', `${api}/archive/trunk.zip?path=none`)).statusCode).to.equal(400);
  });

  it('refuses what git would not take, without a fault of the server', async () => {
    for (const url of [
      `${api}/commits?path=%00`,
      `${api}/commits?not=%00`,
      `${api}/compare/%00...x`,
      '/ada/wheel/commits/branch/trunk?author=%00',
      '/ada/wheel/search?q=%00',
      '/ada/wheel/compare/...%ff',
      '/ada/wheel/src/branch/%00',
      '/ada/wheel/blame/branch/trunk',
      '/ada/wheel/graph/branch/nope',
      '/ada/wheel/find/branch/trunk/x',
    ]) {
      const { statusCode } = await send('GET', url);
      expect(statusCode, url).to.be.between(399, 423);
    }
    const long = await send('GET', '/ada/wheel/branches?page=99999999999');
    expect(long.statusCode).to.be.below(500);
  });

  it('shows every page to a stranger', async () => {
    const head = (await send('GET', `${api}/branches/trunk`)).json.commit.id as string;
    for (const path of [
      '',
      '/src/branch/trunk/a.txt',
      '/blame/branch/trunk/a.txt',
      '/commits',
      '/commits/branch/trunk/a.txt?author=ada&q=add',
      '/graph',
      `/commit/${head}?style=split&whitespace=ignore`,
      `/commit/${head}?file=a.txt&context=100`,
      `/commit/${head}.diff`,
      '/compare',
      '/compare/release/1...trunk',
      '/compare/release/1...trunk.patch',
      '/branches',
      '/tags',
      '/search?q=one',
      '/search?q=o%5Be%5D&mode=regex&path=a.txt',
      '/find?q=at',
      '/tree-list/branch/trunk',
    ]) {
      const { statusCode, payload } = await send('GET', `/ada/wheel${path}`, undefined, host);
      expect(statusCode, path).to.equal(200);
      expect(payload, path).to.not.include('action="/ada/wheel/branches/delete"');
    }
  });
});
