/** Imports share the time of the site. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { RemoteServer } from '@mortise/git/testing';
import { send } from '@mortise/repositories/testing';
import { runImport } from '../jobs/jobs.js';
import { importRunner } from '../wiring.js';
import { startTarget } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('an import of a slow source', { timeout: 120_000 }, () => {
  let host: TestHost;
  let remote: RemoteServer;
  let cas: SignedIn;
  let dan: SignedIn;
  before(async () => {
    remote = await RemoteServer.start();
    await remote.repository('ada/mill');
    await remote.commit('ada/mill', 'main', { 'a.txt': 'a' });
    remote.misbehave = ({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://site.invalid');
      if (!pathname.startsWith('/api/v1/')) return false;
      const page = Number(searchParams.get('page') ?? 1);
      const isLabels = pathname.endsWith('/labels');
      const label = { id: page, name: `l${page}`, color: 'ff0000' };
      response.writeHead(200, { 'content-type': 'application/json', ...(isLabels && { 'x-total-count': '3' }) });
      response.end(JSON.stringify(isLabels ? [label] : { name: 'mill', has_wiki: false }));
      return true;
    };
    // the jobs of imports are run by hand
    host = await startTarget({ background: false });
    [cas, dan] = [await signUp(host, 'cas'), await signUp(host, 'dan')];
  });
  after(async () => {
    await remote.close();
    await host?.close();
  });
  const begin = async (by: SignedIn): Promise<number> => {
    const fields = { service: 'gitea', clone_addr: remote.url('ada/mill'), repo_name: 'mill', labels: 'on' };
    expect((await submitForm(by, '/repo/migrate', fields)).statusCode).to.equal(303);
    return (await send(by, 'GET', `/repos/${by.account.name}/mill`)).json.id;
  };
  const run = async (id: number, turnEndsAt?: number) => {
    const context = { signal: new AbortController().signal, progress: () => Promise.resolve() };
    await host.services.get(importRunner).run(id, context, turnEndsAt);
    const knex = host.database.knex();
    const step = await knex('repository_import_step').where({ repository_id: id, step: 'labels' }).first();
    return [(await knex('repository_import').where({ repository_id: id }).first()).state, step?.done];
  };
  const waitingRuns = () => host.database.knex()('job').where({ name: runImport.id, state: 'waiting' });

  it('gives way after its turn where others wait, and goes on from there', async () => {
    const slow = await begin(cas);
    const other = await begin(dan);
    await host.database.write(() => waitingRuns().delete());
    expect(await run(slow, Date.now())).to.equal(['queued', 1]);
    expect((await waitingRuns()).map(({ payload }) => JSON.parse(payload))).to.equal([{ repositoryId: slow }]);
    expect(await run(other)).to.equal(['done', 3]);
    expect(await run(slow, Date.now())).to.equal(['done', 3]);
  });
});
