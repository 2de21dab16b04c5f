// What accounts, organizations, teams and rights cost does not depend on how many there are: at most eight statements for
// any list, no more with ten times the people, and no more for a member of ten teams than for an owner.
// Time: about 20 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { addPeople, peopleRows } from '../../bench/people-data.mjs';
import { startSite } from '../authorization/site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const maxStatements = 8;
const sizes = {
  few: { users: 60, organizations: 10, teams: 110 },
  many: { users: 600, organizations: 100, teams: 1100 },
};

describe('statements about people', { timeout: 600_000 }, () => {
  const counts = { few: {}, many: {} };
  const problems = [];
  let sql;
  let site;
  before(async () => {
    for (const [size, numbers] of Object.entries(sizes)) {
      site = await startSite({ onStatement: (text) => sql?.push(text), isEmpty: true });
      const { owner, member, teamId } = await site.host.database.write(() =>
        addPeople(site.host.database.knex(), numbers),
      );
      const actors = {
        admin: site.users.root,
        owner: { ...site.users.root, ...owner, isAdmin: false },
        member: { ...site.users.root, ...member, isAdmin: false },
      };
      for (const [name, path, who] of peopleRows(teamId)) {
        // a change of the schema empties every cache of rows
        await site.host.database.write(() => site.host.database.knex().raw('drop table if exists no_such_table'));
        sql = [];
        const { status, text } = await site.as(actors[who], 'GET', `/api/v1${path}`);
        if (status !== 200) problems.push(`${size} ${name}: ${status} ${text.slice(0, 200)}`);
        counts[size][name] = sql;
        sql = undefined;
      }
      await site.close();
      site = undefined;
    }
  });
  after(() => site?.close());

  it('every one answers, and is asked of the database', () => {
    expect(problems).to.equal([]);
    for (const [name, made] of Object.entries(counts.many)) expect(made.length, name).to.be.above(0);
  });

  it(`no list costs more than ${maxStatements}`, () => {
    const wrong = Object.entries(counts.many)
      .filter(([, made]) => made.length > maxStatements)
      .map(([name, made]) => `${name}: ${made.length}\n  ${made.map((one) => one.slice(0, 160)).join('\n  ')}`);
    expect(wrong.join('\n')).to.equal('');
  });

  it('none costs more with ten times the people', () => {
    const number = (of) => Object.fromEntries(Object.entries(of).map(([name, made]) => [name, made.length]));
    expect(number(counts.many)).to.equal(number(counts.few));
  });

  it('the rights of a member of ten teams cost no more than those of an owner', () => {
    const { many } = counts;
    expect(many['repository, in ten teams'].length).to.be.at.most(many['repository, as its owner'].length);
  });
});
