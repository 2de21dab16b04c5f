import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { BaseModel, definePlugin, targetRow, takeoverMappings } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { TakeoverReport } from '../services/takeover-report.js';
import { SourceFixture } from './source.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const user = (id: number, name: string, created = 1700000000) => ({
  id,
  name,
  lower_name: name,
  type: 0,
  created_unix: created,
});

describe('issue 28: the server that a site takes over', () => {
  let host: TestHost;
  let source: SourceFixture;
  let other: SourceFixture;
  const names = () => host.database.knex()('user').orderBy('id').pluck('name');
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'accounts'] });
    source = new SourceFixture();
    source.rows('user', user(7, 'ada'));
    other = new SourceFixture('INTERNAL_TOKEN = another\n');
    other.rows('user', user(8, 'ben'));
  });
  afterEach(async () => {
    source.close();
    other.close();
    await host.close();
  });

  it('is one: a pass or a dry run of another one is refused, and removes nothing', async () => {
    await host.command('takeover', { from: source.folder });
    await expect(host.command('takeover', { from: other.folder })).to.reject(/is of another one.*--same-server/);
    await expect(host.command('takeover', { from: other.folder, dryRun: true })).to.reject(/is of another one/);
    expect(await names()).to.equal(['ada']);
  });

  it('is known by its first user too, where two have the same secrets', async () => {
    await host.command('takeover', { from: source.folder });
    const copied = new SourceFixture();
    copied.rows('user', user(7, 'dora', 1600000000));
    await expect(host.command('takeover', { from: copied.folder })).to.reject(/is of another one/);
    copied.close();
    expect(await names()).to.equal(['ada']);
  });

  it('may lie in another folder later', async () => {
    await host.command('takeover', { from: source.folder });
    const copy = new SourceFixture();
    copy.rows('user', user(7, 'ada'), user(9, 'cleo'));
    await host.command('takeover', { from: copy.folder });
    copy.close();
    expect(await names()).to.equal(['ada', 'cleo']);
  });

  it('may have other secrets where the operator says that it is the same, and goes on with those', async () => {
    await host.command('takeover', { from: source.folder });
    await host.command('takeover', { from: other.folder, sameServer: true });
    expect(await names()).to.equal(['ben']);
    await host.command('takeover', { from: other.folder });
    await expect(host.command('takeover', { from: source.folder })).to.reject(/is of another one/);
  });

  it('may be another one as long as nothing has come', async () => {
    const empty = new SourceFixture();
    await host.command('takeover', { from: empty.folder });
    empty.close();
    await host.command('takeover', { from: other.folder });
    expect(await names()).to.equal(['ben']);
  });
});

class NodeRow extends BaseModel {
  static override tableName = 'takeover_node';
  declare id: number;
  declare parent_id: number | null;
}

const nodes = definePlugin({
  name: 'takeover-nodes',
  version: '1.0.0',
  description: 'A table whose rows name each other',
  sdk: '^1.0.0',
  register(host) {
    host.contribute(takeoverMappings, {}, () => ({
      key: 'nodes',
      tables: () =>
        Promise.resolve([
          {
            id: 'nodes.nodes',
            table: 'node',
            references: { parent_id: 'nodes.nodes' },
            map: (row) => targetRow(NodeRow, { id: row.number('id'), parent_id: row.number('parent') || null }),
          },
        ]),
    }));
  },
});

describe('issue 28: rows of a table that refer to each other', () => {
  it('come in one page, each behind the one that it names, and those that name a missing one do not', async () => {
    const host = await startHost({ plugins: ['takeover', 'accounts', nodes] });
    const source = new SourceFixture();
    try {
      await host.database.write(async () =>
        host.database.knex().schema.createTable('takeover_node', (table) => {
          table.integer('id').primary();
          table.integer('parent_id').references('id').inTable('takeover_node');
        }),
      );
      source.rows(
        'node',
        { id: 1, parent: 3 },
        { id: 2, parent: 1 },
        { id: 3, parent: 0 },
        { id: 4, parent: 99 },
        { id: 5, parent: 4 },
        { id: 6, parent: 6 },
      );
      const lines = await host.command('takeover', { from: source.folder });
      expect(lines).to.include('nodes.nodes: 6 read, 4 written, 0 unchanged, 0 removed, 2 skipped');
      expect(await host.database.knex()('takeover_node').orderBy('id').pluck('id')).to.equal([1, 2, 3, 6]);
    } finally {
      source.close();
      await host.close();
    }
  });
});

class ParcelRow extends BaseModel {
  static override tableName = 'takeover_parcel';
  declare id: number;
  declare content: string;
}

const parcels = definePlugin({
  name: 'takeover-parcels',
  version: '1.0.0',
  description: 'A table with long texts',
  sdk: '^1.0.0',
  register(host) {
    host.contribute(takeoverMappings, {}, () => ({
      key: 'parcels',
      tables: () =>
        Promise.resolve([
          {
            id: 'parcels.parcels',
            table: 'parcel',
            map: (row) => targetRow(ParcelRow, { id: row.number('id'), content: row.text('content') }),
          },
          {
            id: 'parcels.titles',
            table: 'title',
            map: (row) => targetRow(ParcelRow, { id: row.number('id'), content: row.text('content', 3) }),
          },
        ]),
    }));
  },
});

describe('issue 28: texts of a source', () => {
  let host: TestHost;
  let source: SourceFixture;
  const stored = async () =>
    (await host.database.knex()('takeover_parcel').orderBy('id')).map(({ id, content }) => [id, content]);
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'accounts', parcels] });
    source = new SourceFixture();
    await host.database.write(async () =>
      host.database.knex().schema.createTable('takeover_parcel', (table) => {
        table.integer('id').primary();
        table.text('content', 'longtext').notNullable();
      }),
    );
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('that are larger than what the database takes at once are skipped, and the rest of the page comes', async () => {
    // each quote takes two bytes in a statement
    const content = "'".repeat(10 * 1024 * 1024);
    source.rows('parcel', { id: 1, content: 'a' }, { id: 2, content }, { id: 3, content: 'c' });
    const lines = await host.command('takeover', { from: source.folder });
    const isLimited = host.database.engine === 'mysql';
    expect(lines).to.include(
      `parcels.parcels: 3 read, ${isLimited ? 2 : 3} written, 0 unchanged, 0 removed, ${isLimited ? 1 : 0} skipped`,
    );
    if (isLimited) expect(lines).to.include('  1 skipped: it is larger than max_allowed_packet of the database');
    expect((await host.database.knex()('takeover_parcel').orderBy('id').pluck('id')).filter((id) => id !== 2)).to.equal(
      [1, 3],
    );
  });

  it('that are too long are not cut within a character', async () => {
    source.rows('title', { id: 1, content: 'ab🎉' }, { id: 2, content: 'a🎉' }, { id: 3, content: 'abcd' });
    await host.command('takeover', { from: source.folder });
    expect(await stored()).to.equal([
      [1, 'ab'],
      [2, 'a🎉'],
      [3, 'abc'],
    ]);
  });

  it('are quoted in the report in part, in one line and without what a terminal obeys', () => {
    const lines = new TakeoverReport();
    lines.report(`\u001b[2Jgone\n${'x'.repeat(5000)}`);
    expect(lines.lines()[0]).to.have.length(1000);
    expect(lines.lines()[0]).to.match(/^ \[2Jgone x/);
  });
});
