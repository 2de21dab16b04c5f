import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { createConnection, type Connection } from 'mysql2/promise';
import { mysqlAddress } from '../database/mysql.js';
import { migrationLockTable, withMigrationRow } from '../database/mysql-migration-lock.js';
import { engines, goneOwner, inAnHour, knowsProcesses, until, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const mysql = engines.find(({ name }) => name === 'MySQL');

describe('migrating on a cluster, whose nodes know nothing of the locks of each other', { skip: !mysql }, () => {
  let test: TestDatabase;
  const connections: Connection[] = [];
  before(async () => {
    test = await mysql!.open();
    const address = { ...mysqlAddress(test.settings), database: test.settings.NAME };
    for (let count = 0; count < 3; count++) connections.push(await createConnection(address));
  });
  after(async () => {
    for (const connection of connections) connection.destroy();
    await test.close();
  });
  const quick = { pauseMs: 10 };

  it('processes take turns, also where none had made the table', async () => {
    let inside = 0;
    let turns = 0;
    await Promise.all(
      connections.map((connection) =>
        withMigrationRow(
          connection,
          async () => {
            expect(++inside).to.equal(1);
            await new Promise((resolve) => setTimeout(resolve, 30));
            inside--;
            turns++;
          },
          quick,
        ),
      ),
    );
    expect(turns).to.equal(3);
  });

  it('the turn of a process that has ended goes to the next at once', { skip: !knowsProcesses }, async () => {
    const [one] = connections;
    await one!.query(`update ${migrationLockTable} set owner = ?, held_until = ?`, [goneOwner(), inAnHour()]);
    expect(await withMigrationRow(one!, async () => 'done', quick)).to.equal('done');
  });

  it('whose lease ended is told when another has taken over', async () => {
    const [one, two] = connections;
    let end!: () => void;
    const endless = new Promise<void>((resolve) => (end = resolve));
    let isInside = false;
    const first = withMigrationRow(one!, () => ((isInside = true), endless), { leaseMs: 400, pauseMs: 10 });
    const told = expect(first).to.reject('another process took the migrations over');
    await until(() => isInside);
    await two!.query(`update ${migrationLockTable} set owner = 'other', held_until = ?`, [inAnHour()]);
    await told;
    end();
    const [rows] = await two!.query(`select owner from ${migrationLockTable}`);
    expect(JSON.stringify(rows)).to.equal('[{"owner":"other"}]');
  });
});
