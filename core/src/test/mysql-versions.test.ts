import { createRequire } from 'node:module';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { mysqlAddress } from '../database/mysql.js';
import { MysqlVersions } from '../database/mysql-versions.js';
import { engines, nextTurn, recordingLog } from './data-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;
const mysql = engines.find(({ name }) => name === 'MySQL');

type Execute = (options: { sql: string }, values: unknown, done: (...answer: unknown[]) => void) => unknown;

describe('the connection for versions on MySQL', { skip: !mysql }, () => {
  it('is not opened anew when the database is closed between the two questions', async () => {
    const test = await mysql!.open();
    const { Connection } = createRequire(import.meta.url)('mysql2') as typeof import('mysql2');
    const own = Connection.prototype as unknown as { execute: Execute };
    const { execute } = own;
    const versions = { moved: () => undefined };
    const deps = { versions, log: recordingLog() } as unknown as ConstructorParameters<typeof MysqlVersions>[2];
    const other = new MysqlVersions({ ...mysqlAddress(test.settings), database: test.settings.NAME }, [], deps);
    other.ready();
    const asked: string[] = [];
    own.execute = function (options, values, done) {
      asked.push(options.sql);
      return execute.call(this, options, values, (...answer: unknown[]) => {
        done(...answer);
        other.close();
      });
    };
    const sockets = () => process.getActiveResourcesInfo().filter((one) => one === 'TCPSocketWrap').length;
    const before = sockets();
    try {
      await other.sync();
    } finally {
      own.execute = execute;
    }
    expect(asked).to.have.length(1);
    while (sockets() > before) await nextTurn();
    await test.close();
  });
});
