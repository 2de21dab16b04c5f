import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { importKinds } from '../contract/source.js';
import { codebaseSource } from '../sources/codebase.js';
import { readRepository } from '../testing.js';
import { PlayedService, tools, type PlayedRequest } from './played-service.js';

// Database: SQLite alone: what a source gives reaches no database
export const lab = Lab.script();
const { describe, it, before, after } = lab;

const date = '2024-09-26T19:18:33+00:00';
const oid = (digit: string) => digit.repeat(40);
const dates = `<created-at type="datetime">${date}</created-at><updated-at type="datetime">${date}</updated-at>`;
const ticket = (id: number, isClosed: boolean, milestone: string) => `<ticket>
    <ticket-id type="integer">${id}</ticket-id><summary>Ticket &lt;${id}&gt;</summary><ticket-type>Bug</ticket-type>
    <reporter-id type="integer">43</reporter-id><reporter>ada</reporter><assignee nil="true"/>
    <type><name>Bug</name></type><status><treat-as-closed type="boolean">${isClosed}</treat-as-closed></status>
    <milestone><name>${milestone}</name></milestone>${dates}</ticket>`;
const tickets = (...all: string[]) => `<tickets type="array">${all.join('')}</tickets>`;
const note = (id: number, content: string) =>
  `<ticket-note><content>${content}</content>${dates}<id type="integer">${id}</id><user-id type="integer">44</user-id></ticket-note>`;
const comment = (id: number, content: string, action: string) =>
  `<comment><content>${content}</content><id type="integer">${id}</id><user-id type="integer">43</user-id>${action}<created-at type="datetime">${date}</created-at></comment>`;
const pages: Readonly<Record<string, string>> = {
  '1': tickets(ticket(1, true, 'soon'), ticket(2, false, '')),
  '2': tickets(ticket(5, false, '')),
};

const answers: Readonly<Record<string, string>> = {
  '/water/mill': '<repository><name>mill</name><description>grinds &amp; pumps</description></repository>',
  '/water/milestones': `<ticketing-milestones type="array"><ticketing-milestone><id type="integer">1</id><name>soon</name>
    <deadline type="date">2030-01-02</deadline><description>all</description><status>active</status></ticketing-milestone>
    <ticketing-milestone><name>past</name><status>completed</status></ticketing-milestone></ticketing-milestones>`,
  '/water/tickets/types':
    '<ticketing-types type="array"><ticketing-type><id type="integer">1</id><name>Bug</name></ticketing-type></ticketing-types>',
  '/water/tickets/1/notes': `<ticket-notes type="array">${note(201, 'second')}${note(200, 'the text')}${note(202, '')}</ticket-notes>`,
  '/water/tickets/2/notes': '<ticket-notes type="array"/>',
  '/water/mill/merge_requests':
    '<merge-requests type="array"><merge-request><id type="integer">100</id></merge-request></merge-requests>',
  '/water/mill/merge_requests/100': `<merge-request><id type="integer">100</id><source-ref>topic</source-ref>
    <target-ref>main</target-ref><subject>Merge me</subject><status>merged</status><user-id type="integer">43</user-id>${dates}
    <comments type="array">${comment(300, 'please', '<action nil="true"></action>')}${comment(301, 'done', '')}${comment(302, '', '<action>merging</action>')}</comments></merge-request>`,
  '/water/mill/commits/main': `<commits type="array"><commit><ref>${oid('a')}</ref></commit></commits>`,
  '/users':
    '<users type="array"><user><email-address>ada@example.com</email-address><id type="integer">43</id><username>ada</username></user></users>',
};

function play({ path, query, headers }: PlayedRequest) {
  if (headers.authorization !== `Basic ${Buffer.from('acme/ada:key').toString('base64')}`) return { status: 401 };
  const xml = path === '/water/tickets' ? pages[query.get('page') ?? '1'] : answers[path];
  return xml === undefined ? undefined : { body: `<?xml version="1.0" encoding="UTF-8"?>\n${xml}` };
}

describe('imports from Codebase, by its documented API', () => {
  const service = new PlayedService(play);
  before(() => service.start());
  after(() => service.stop());
  const connect = (more: object = {}) =>
    codebaseSource.connect(
      {
        address: 'https://acme.codebasehq.com/water/mill.git',
        values: { auth_username: 'ada', auth_password: 'key' },
        kinds: new Set(importKinds),
        ...more,
      },
      tools(undefined, { 'https://api3.codebasehq.com': service.url }),
    );

  it('MIG-01: gives tickets of all pages with notes, types and milestones, and merge requests behind them', async () => {
    const all = await readRepository(await connect());
    expect(all.repository).to.include({
      name: 'mill',
      description: 'grinds & pumps',
      cloneUrl: 'https://acme.codebasehq.com/water/mill.git',
    });
    expect(all.issues.map(({ number, title, isClosed, body }) => [number, title, isClosed, body])).to.equal([
      [1, 'Ticket <1>', true, 'the text'],
      [2, 'Ticket <2>', false, ''],
      [5, 'Ticket <5>', false, ''],
    ]);
    expect(all.issues[0]).to.include({ labels: ['Bug'], milestone: 'soon', createdAt: Date.parse(date) });
    expect(all.issues[0]!.author).to.equal({ id: 43, name: 'ada', email: 'ada@example.com' });
    expect(all.labels.map(({ name }) => name)).to.equal(['Bug']);
    expect(all.milestones.map(({ title, isClosed, dueAt }) => [title, isClosed, dueAt])).to.equal([
      ['soon', false, Date.UTC(2030, 0, 2)],
      ['past', true, undefined],
    ]);
    expect(all.pullRequests).to.have.length(1);
    expect(all.pullRequests[0]).to.include({ number: 105, title: 'Merge me', body: 'please', isMerged: true });
    expect([all.pullRequests[0]!.head, all.pullRequests[0]!.base]).to.equal([
      { branch: 'topic', commit: '' },
      { branch: 'main', commit: oid('a') },
    ]);
    expect(all.comments.map(({ id, issue, body, author }) => [id, issue, body, author.name])).to.equal([
      ['ticket-201', 1, 'second', 'User 44'],
      ['merge-301', 105, 'done', 'ada'],
    ]);
  });

  it('says what is wrong: no repository, another host, a wrong key', async () => {
    for (const address of ['https://acme.codebasehq.com/water/none', 'https://acme.codebasehq.com/water'])
      expect(await expect(connect({ address })).to.reject()).to.include({ reason: 'notFound' });
    const asked = service.requests.length;
    const elsewhere = connect({ address: 'https://codebasehq.com.evil.example/water/mill' });
    expect(await expect(elsewhere).to.reject()).to.include({ reason: 'notFound' });
    expect(service.requests.length).to.equal(asked);
    const wrong = connect({ values: { auth_username: 'acme/ada', auth_password: 'no' } });
    expect(await expect(wrong).to.reject()).to.include({ reason: 'unauthorized' });
  });
});
