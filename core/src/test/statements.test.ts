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
    expect(statements.read('select `r`.* from `repository` as `r` where exists (select 1 from STAR)')).to.only.include([
      'repository',
      'star',
      'repository#count',
      'star#count',
    ]);
    expect(statements.read('select 1')).to.equal([]);
    expect(statements.read('select * from starred')).to.include(['star', 'user', 'user#count']);
    expect(new Statements().read('select * from star')).to.be.undefined();
  });

  it('tell the tables that they change, with those that change by themselves', () => {
    expect(statements.written('select * from star for update')).to.equal([]);
    expect(statements.written('savepoint trx2')).to.equal([]);
    expect(statements.written('insert into `star` (`user_id`) values (?)')).to.equal(['star']);
    expect(statements.written('update `user` set `name` = ?')).to.equal(['user']);
    expect(statements.written('delete from `user` where `id` = ?')).to.equal(['user', 'repository', 'star']);
    expect(statements.written('update topic set name = ?')).to.only.include(['topic', 'repository', 'star']);
    // counts of a row alone are apart from the rest of it
    const counts = 'update `user` set `starred_count` = `starred_count` + ?, `follower_count` = 0 where `id` = ?';
    expect(statements.written(counts)).to.equal(['user#count']);
    expect(statements.written(counts.replace('follower_count', 'name'))).to.equal(['user']);
    expect(statements.written('update user set starred_count = (select count(*) from star) where id = 1')).to.include([
      'user',
    ]);
    expect(statements.written('update user, star set user.starred_count = 1 where 1')).to.only.include([
      'user',
      'star',
    ]);
    expect(statements.written('update starred set a_count = 1 where 1')).to.only.include(['star', 'user']);
    expect(statements.written('update topic set topic_count = 1 where id = 2')).to.only.include([
      'topic#count',
      'repository',
      'star',
    ]);
    expect(statements.written('alter table star add column x')).to.be.undefined();
  });

  it('tell whether they read counts of a row, where no view hides it', () => {
    const plain = new Statements();
    plain.learn({ tables: ['user'], views: [], cascades: [], triggers: [] });
    for (const sql of ['select `id` from `user`', 'select count(*) as `all` from `user`'])
      expect(plain.read(sql), sql).to.equal(['user']);
    for (const sql of ['select * from `user`', 'select `user`.* from `user`', 'select id from user where a_count > 1'])
      expect(plain.read(sql), sql).to.equal(['user', 'user#count']);
  });
});
