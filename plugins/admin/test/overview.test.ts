import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient, TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { startAdmin } from './user-fixtures.js';
import { gauges } from '../wiring.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the overview of the administration', () => {
  let host: TestHost;
  let root: TestClient;
  let ada: TestClient;

  before(async () => {
    ({ host, root, ada } = await startAdmin());
  });
  after(() => host.close());

  it('shows versions, database, disks, queues and numbers, to administrators only', async () => {
    const page = await root.inject('/-/admin');
    expect(page.statusCode).to.equal(200);
    const engine = host.database.engine === 'sqlite' ? 'SQLite' : 'MySQL / MariaDB';
    expect(page.payload).to.include(['Mortise version', process.versions.node, engine, 'Disks', '>work<', 'Queues']);
    expect(page.payload).to.match(/Users<\/th><td><a href="\/-\/admin\/users">2</);
    for (const path of ['/-/admin', '/-/admin/plugins']) expect((await ada.inject(path)).statusCode).to.equal(403);
  });

  it('issue 29: charts the memory, the delay and the jobs of the last hours', async () => {
    const history = host.services.get(gauges);
    expect((await root.inject('/-/admin')).payload).to.include('Last hours');
    await history.take();
    await history.take();
    const page = (await root.inject('/-/admin')).payload;
    for (const name of ['Memory', 'Event loop delay', 'Jobs that wait'])
      expect(page).to.match(new RegExp(`role="img" aria-label="${name}: now [^"]+, highest [^"]+"`));
    expect(page).to.match(/points="0\.0,[\d.]+ [\d., ]*180\.0,[\d.]+"/);
    expect(page).to.not.include('NaN');
    for (let at = 0; at < 200; at++) await history.take();
    expect(history.list()).to.have.length(180);
  });

  it('W: counts users without organizations', async () => {
    await host.services.get(accountsRef).create({ kind: 'organization', name: 'guild', email: '' });
    expect((await root.inject('/-/admin')).payload).to.match(/Users<\/th><td><a href="\/-\/admin\/users">2</);
  });

  it('lists plugins with their versions and states', async () => {
    const page = await root.inject('/-/admin/plugins');
    expect(page.payload).to.match(/>accounts<\/td><td class="no-wrap">\d+\.\d+\.\d+<.*?Enabled/s);
    expect(page.payload).to.include('data-sortable');
  });

  it('speaks the language of its visitor', async () => {
    const german = await root.inject({ url: '/-/admin', headers: { 'accept-language': 'de' } });
    expect(german.payload).to.include(['Übersicht', 'Warteschlangen', 'Datenträger']);
  });
});
