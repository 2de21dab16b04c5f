import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { BaseModel, definePlugin, targetRow, takeoverMappings } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
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
