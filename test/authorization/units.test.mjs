// Walks every GET route as members whose team has single units of a private repository, and looks in whatever they get for
// what lies in its other units: in feeds, lists, searches, pages and records alike (S9). A new plugin is covered by its routes.
// Time: about 40 s
//
//   MORTISE_TEST_FULL=1   members with each of the five units ask, instead of two of them (on MariaDB one)
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { fill, startSite } from './site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Words that are written into one unit of the repository alone. */
const words = {
  code: ['zqcodefile', 'zqcodemessage', 'zqcodemore', 'zqcodebranch', 'zqcodetag'],
  issues: ['zqissuetitle', 'zqissuetext', 'zqissuecomment'],
  pulls: ['zqpulltitle', 'zqpulltext', 'zqpullcomment'],
  releases: ['zqreleasetitle', 'zqreleasenote'],
  wiki: ['zqwikipage', 'zqwikitext'],
};
/** What a unit shows of others by its nature. */
const alsoShown = {
  // a pull request is a change of the code
  pulls: words.code,
  releases: words.code,
};
const members = { issuer: 'issues', coder: 'code', puller: 'pulls', releaser: 'releases', reader: 'wiki' };
/** Who asks: two of them tell most of what five do, and the second database sees the rights decided by the same code. */
const isFull = process.env.MORTISE_TEST_FULL === '1';
const asking = isFull
  ? Object.keys(members)
  : process.env.MORTISE_TEST_ENGINE === 'mysql'
    ? ['issuer']
    : ['issuer', 'coder'];
/** Of the issue and the pull request. */
const numbers = [1, 2];

describe('S9: what lies in a unit is told to its readers alone', { timeout: 300_000 }, () => {
  let site;
  let actors;
  before(async () => {
    site = await startSite({ isEmpty: true });
    const { users, make, user } = site;
    for (const name of ['chief', 'outsider', ...Object.keys(members)]) await user(name);
    await make(users.chief, 'POST', '/orgs', { username: 'works' });
    await make(users.chief, 'POST', '/orgs/works/repos', { name: 'safe', private: true, auto_init: true });
    for (const [name, unit] of Object.entries(members)) {
      const { id } = await make(users.chief, 'POST', '/orgs/works/teams', {
        name: `${name}s`,
        units_map: { [`repo.${unit}`]: 'read' },
        includes_all_repositories: true,
      });
      await make(users.chief, 'PUT', `/teams/${id}/members/${name}`);
      await make(users[name], 'PUT', '/repos/works/safe/subscription');
    }
    const repo = '/repos/works/safe';
    await make(users.chief, 'PUT', `${repo}/subscription`);
    await make(users.chief, 'POST', `${repo}/issues`, {
      title: 'zqissuetitle',
      body: 'zqissuetext @issuer @coder @reader',
    });
    await make(users.chief, 'POST', `${repo}/issues/1/comments`, { body: 'zqissuecomment' });
    await make(users.chief, 'POST', `${repo}/contents/zqcodefile.txt`, {
      content: Buffer.from('zqcodefile').toString('base64'),
      message: 'zqcodemessage zqcodemore, see #1',
      new_branch: 'zqcodebranch',
    });
    const pull = { title: 'zqpulltitle', body: 'zqpulltext', head: 'zqcodebranch', base: 'main' };
    await make(users.chief, 'POST', `${repo}/pulls`, pull);
    await make(users.chief, 'POST', `${repo}/issues/2/comments`, { body: 'zqpullcomment' });
    await make(users.chief, 'POST', `${repo}/tags`, { tag_name: 'zqcodetag', message: 'zqcodetag' });
    await make(users.chief, 'POST', `${repo}/releases`, {
      tag_name: 'v1',
      name: 'zqreleasetitle',
      body: 'zqreleasenote',
    });
    await make(users.chief, 'POST', `${repo}/wiki/new`, {
      title: 'zqwikipage',
      content_base64: Buffer.from('zqwikitext').toString('base64'),
    });
    await site.settle();
    actors = Object.fromEntries(asking.map((name) => [name, { actor: users[name], unit: members[name] }]));
  });
  after(() => site?.close());

  /** The addresses of the routes, with both numbers, for the organization and for the member itself. */
  const everywhere = (routes, member) =>
    new Set(
      routes.flatMap(({ path }) =>
        numbers.flatMap((number) => {
          const filled = path.replaceAll(/\{(index|id)\}/g, String(number));
          return ['works', member].map((username) =>
            fill(filled, { owner: 'works', repo: 'safe', username, id: number }),
          );
        }),
      ),
    );

  it('no GET route shows a member what lies in units that their team has not', async () => {
    const routes = site.host
      .routes()
      .flatMap(({ value }) => value.inner ?? [value])
      .filter(({ method }) => method === 'GET');
    const told = [];
    let asked = 0;
    for (const [name, { actor, unit }] of Object.entries(actors)) {
      const hidden = Object.entries(words)
        .filter(([other]) => other !== unit)
        .flatMap(([, list]) => list)
        .filter((word) => !alsoShown[unit]?.includes(word));
      const look = async (address, searched) => {
        asked++;
        const { status, text } = await site.as(actor, 'GET', address);
        const found = hidden.filter((word) => word !== searched && text.includes(word));
        if (found.length) told.push(`${name} (${unit}) ${address}: ${status} ${found.join(' ')}`);
      };
      for (const address of everywhere(routes, name)) await look(address);
      for (const word of hidden)
        for (const kind of ['repositories', 'code', 'commits', 'issues', 'pulls', 'users'])
          await look(`/search?q=${word}&type=${kind}`, word);
    }
    expect(asked).to.be.above(500);
    expect(told).to.equal([]);
  });
});
