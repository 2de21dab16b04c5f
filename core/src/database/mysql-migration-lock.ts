import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { isGone, leaseOwner } from '../leases.js';
import { codeOf } from './driver-error.js';

/** On clusters alone: the one row says who migrates. */
export const migrationLockTable = 'migration_lock';

/** How long others wait for their turn, in milliseconds. */
const waitMs = 300_000;
const late = () => new Error('another process has been migrating for five minutes');

/** Runs `work` while this connection holds a lock of the server, which ends with the connection. */
export async function withServerLock<T>(connection: Connection, database: string, work: () => Promise<T>): Promise<T> {
  const lock = `mortise migrate ${database}`.slice(0, 64);
  const [rows] = await connection.query<RowDataPacket[]>('select get_lock(?, ?) as held', [lock, waitMs / 1000]);
  if (Number(rows[0]?.held) !== 1) throw late();
  return work();
}

interface LeaseOptions {
  /** How long the row outlives a process of another machine, in milliseconds; default a minute. */
  readonly leaseMs?: number;
  readonly pauseMs?: number;
}

/**
 * Runs `work` while a row names this process. Locks of a server are known to that node of a Galera cluster alone, but two
 * nodes that commit changes of one row at once do not both succeed. Rejects when another process has taken the row over.
 */
export async function withMigrationRow<T>(
  connection: Connection,
  work: () => Promise<T>,
  { leaseMs = 60_000, pauseMs = 500 }: LeaseOptions = {},
): Promise<T> {
  const owner = leaseOwner();
  await connection.query(
    `create table if not exists ${migrationLockTable}
       (id int not null primary key, owner varchar(60) not null, held_until bigint not null)`,
  );
  for (const end = Date.now() + waitMs; !(await take(connection, owner, leaseMs)); await sleep(pauseMs))
    if (Date.now() > end) throw late();
  let renewal: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    renewal = setInterval(() => {
      update(connection, 'held_until = ?', 'owner = ?', [Date.now() + leaseMs, owner]).then(
        (isOurs) => isOurs || reject(new Error('another process took the migrations over')),
        // what holds it up may pass before the lease ends; then another takes over, and the next renewal says so
        () => undefined,
      );
    }, leaseMs / 4);
  });
  try {
    return await Promise.race([work(), lost]);
  } finally {
    clearInterval(renewal);
    // else the lease ends by itself
    await update(connection, 'held_until = 0', 'owner = ?', [owner]).catch(() => undefined);
  }
}

async function take(connection: Connection, owner: string, leaseMs: number): Promise<boolean> {
  try {
    const now = Date.now();
    const [rows] = await connection.query<RowDataPacket[]>(`select owner, held_until from ${migrationLockTable}`);
    const held = rows[0];
    if (!held) await connection.query(`insert into ${migrationLockTable} values (1, '', 0)`);
    else if (Number(held.held_until) > now && !isGone(String(held.owner))) return false;
    const values = [owner, now + leaseMs, held?.owner ?? '', held?.held_until ?? 0];
    return await update(connection, 'owner = ?, held_until = ?', 'owner = ? and held_until = ?', values);
  } catch (error) {
    // another node was quicker
    if (['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT', 'ER_DUP_ENTRY'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** Was the row changed? */
async function update(
  connection: Connection,
  set: string,
  where: string,
  values: readonly (string | number)[],
): Promise<boolean> {
  const sql = `update ${migrationLockTable} set ${set} where id = 1 and ${where}`;
  const [{ affectedRows }] = await connection.query<ResultSetHeader>(sql, [...values]);
  return affectedRows > 0;
}
