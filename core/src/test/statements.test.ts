import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { Statements } from '../database/statements.js';

export const lab = Lab.script();
const { describe, it } = lab;

describe('A11: statements', () => {
  const statements = new Statements();
  statements.learn({
    tables: ['repository', 'star', 'user', 'topic', 'audit'],
    views: [{ name: 'starred', sql: 'create view starred as select * from star join user on user.id = star.user_id' }],
    cascades: [
      { from: 'user', to: 'repository' },
      { from: 'repository', to: 'star' },
    ],
    triggers: [{ table: 'topic', sql: 'begin delete from repository where topic_id = old.id; end' }],
  });

  it('tell the tables that they read', () => {
    expect(statements.read('select `r`.* from `repository` as `r` where exists (select 1 from STAR)')).to.equal([
      'repository',
      'star',
    ]);
    expect(statements.read('select 1')).to.equal([]);
    expect(statements.read('select * from starred')).to.only.include(['star', 'user']);
    expect(new Statements().read('select * from star')).to.be.undefined();
  });

  it('tell the tables that they change, with those that change by themselves', () => {
    expect(statements.written('select * from star for update')).to.equal([]);
    expect(statements.written('savepoint trx2')).to.equal([]);
    expect(statements.written('insert into `star` (`user_id`) values (?)')).to.equal(['star']);
    expect(statements.written('update `user` set `name` = ?')).to.equal(['user']);
    expect(statements.written('delete from `user` where `id` = ?')).to.equal(['user', 'repository', 'star']);
    expect(statements.written('update topic set name = ?')).to.only.include(['topic', 'repository', 'star']);
    expect(statements.written('alter table star add column x')).to.be.undefined();
  });
});
