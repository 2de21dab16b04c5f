// What a move on a project board costs does not depend on how many cards the board has, and the page of a board of 2,000
// cards is read by few statements, as are feeds with boards of many accounts.
// Time: about 20 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startSite } from '../authorization/site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const kinds = [
  { what: 'a repository', path: '/repos/root/desk/projects', page: '/root/desk/projects' },
  { what: 'an account', path: '/user/projects', page: '/root/-/projects' },
];
/** Of a move. */
const maxStatements = 10;
const cards = 2000;
const columns = 4;

describe('statements of project boards', { timeout: 300_000 }, () => {
  let site;
  let sql;
  before(async () => {
    site = await startSite({ onStatement: (text) => sql?.push(text), isEmpty: true });
    await make('POST', '/user/repos', { name: 'desk' });
  });
  after(() => site?.close());

  const ask = async (method, url, payload) => {
    const answer = await site.as(site.users.root, method, url, payload);
    expect(answer.status, `${method} ${url}: ${answer.text.slice(0, 200)}`).to.be.within(200, 204);
    return answer;
  };
  const make = async (method, path, payload) => (await ask(method, `/api/v1${path}`, payload)).json;
  /** Without what begins and ends a transaction, which on MariaDB notes the change for the caches of others. */
  const statementsOf = async (act) => {
    sql = [];
    await act();
    const heard = sql;
    sql = undefined;
    return heard.filter((text) => !/^\s*(?:begin|commit|start|savepoint|release|insert into data_version)/i.test(text));
  };

  const measure = async ({ path: root, page: pages }) => {
    const board = await make('POST', root, { title: 'Sprint', template_type: 'basic_kanban' });
    const path = `${root}/${board.id}`;
    const ids = (await make('GET', `${path}/columns`)).map(({ id }) => id);
    expect(ids).to.have.length(columns);
    const issue = await make('POST', '/repos/root/desk/issues', { title: 'moves', projects: [board.id] });
    for (const title of ['stays', 'stays too'])
      await make('POST', '/repos/root/desk/issues', { title, projects: [board.id] });
    const moves = [
      { column_id: ids[1], sorting: 0 },
      { column_id: ids[0], sorting: 1 },
      { sorting: 0 },
      { column_id: ids[2] },
      { column_id: ids[0] },
    ];
    const costs = async () => {
      const found = [];
      for (const move of moves) {
        const made = await statementsOf(() => make('POST', `${path}/issues/${issue.id}/move`, move));
        expect(made.length, made.map((text) => text.slice(0, 120)).join('\n')).to.be.at.most(maxStatements);
        found.push(made.length);
      }
      return found;
    };
    // the row of the repository, which the new issues changed, is read once for all who ask
    await make('POST', `${path}/issues/${issue.id}/move`, { column_id: ids[2] });
    const few = await costs();
    expect(Math.min(...few)).to.be.above(2);

    const { database } = site.host;
    const base = 10_000 * board.id;
    const [issueRow] = await database.knex()('issue').where('id', issue.id);
    const [card] = await database.knex()('project_card').where({ issue_id: issue.id, project_id: board.id });
    await database.write(async () => {
      for (let first = 0; first < cards; first += 100) {
        const some = Array.from({ length: 100 }, (_, n) => base + first + n);
        await database
          .knex()('issue')
          .insert(some.map((id) => ({ ...issueRow, id, number: id, title: `card ${id}` })));
        await database
          .knex()('project_card')
          .insert(
            some.map((id) => ({ ...card, id, issue_id: id, column_id: ids[id % columns], position: id * 65_536 })),
          );
      }
    });
    await make('POST', `${path}/issues/${issue.id}/move`, { column_id: ids[2] });
    expect(await costs()).to.equal(few);

    const page = `${pages}/${board.id}`;
    expect((await ask('GET', page)).text).to.include(`card ${base}`);
    for (let n = 0; n < 2; n++) {
      // a change of the schema empties every cache of rows
      await database.write(() => database.knex().raw('drop table if exists no_such_table'));
      const made = await statementsOf(() => ask('GET', page));
      expect(made.length, made.map((text) => text.slice(0, 120)).join('\n')).to.be.at.most(25);
    }
  };

  /** A change of a board of which this many users have a page open. */
  const costWith = async (root, count) => {
    const board = await make('POST', root, { title: 'Seen', template_type: 'none' });
    const { database } = site.host;
    const [{ id: _id, ...row }] = await database.knex()('user').where('id', site.users.root.id);
    const names = Array.from({ length: count }, (_, number) => `viewer${board.id}n${number}`);
    await database.write(async () => {
      for (const name of names)
        await database
          .knex()('user')
          .insert({ ...row, name, lower_name: name, is_admin: false, email: `${name}@example.org` });
      const ids = await database.knex()('user').whereIn('name', names).pluck('id');
      for (const user_id of ids)
        await database.knex()('project_viewer').insert({ project_id: board.id, user_id, seen_at: Date.now() });
    });
    await make('PATCH', `${root}/${board.id}`, { title: 'Seen once' });
    const made = await statementsOf(() => make('PATCH', `${root}/${board.id}`, { title: 'Seen again' }));
    return made.length;
  };

  for (const { what, path } of kinds)
    it(`PRJ-06: the rights of all who have a board of ${what} open are asked for together`, async () => {
      const [few, many] = [await costWith(path, 3), await costWith(path, 90)];
      expect(many, `${few} statements for 3 users`).to.be.at.most(few + 3);
    });

  it('FED-01: a feed asks for the rights on the boards of all accounts in it at once', async () => {
    const ben = await site.user('ben');
    let count = 0;
    const addOrganizations = async (more) => {
      for (const last = count + more; count < last; count++) {
        const name = `guild${count}`;
        await make('POST', '/orgs', { username: name, visibility: 'private' });
        const { id } = await make('POST', `/orgs/${name}/teams`, {
          name: 'planners',
          permission: 'write',
          units_map: { 'repo.projects': 'write' },
        });
        await make('PUT', `/teams/${id}/members/ben`);
        await site.make(ben, 'POST', `/orgs/${name}/projects`, { title: `Board of ${name}` });
      }
      await site.settle();
    };
    const read = async () => {
      const made = await statementsOf(async () => {
        const { text } = await site.as(ben, 'GET', '/api/v1/users/ben/activities/feeds?limit=50');
        expect(text.match(/Board of guild\d+/g)).to.have.length(count);
      });
      return made.map((sql) => sql.slice(0, 120));
    };
    await addOrganizations(2);
    const few = await read();
    await addOrganizations(10);
    const many = await read();
    expect(many.length, many.join('\n')).to.be.at.most(few.length);
    expect(few.length).to.be.above(2);
  });

  for (const kind of kinds)
    it(`PRJ-06: a move on a board of ${kind.what} costs at most ${maxStatements} statements, with 2,000 cards too`, () =>
      measure(kind));
});
