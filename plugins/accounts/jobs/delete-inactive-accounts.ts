import { Problem, type Database, type JobContext } from '@mortise/plugin-sdk';
import type { Accounts } from '../api.js';
import { AccountRow } from '../models/account.js';

interface Services {
  readonly accounts: Accounts;
  readonly database: Database;
}

const step = 100;

/**
 * Deletes accounts of people that were made before this time, in milliseconds, and never activated. Who owns something is
 * kept. Each is a step of its own: when the job must end, the next one goes on.
 */
export async function deleteInactiveAccounts(
  { accounts, database }: Services,
  before: number,
  { log, signal }: Pick<JobContext, 'log' | 'signal'>,
): Promise<void> {
  const inactive = () =>
    database
      .query(AccountRow)
      .where({ kind: 'user', is_active: false, is_admin: false, last_login_at: 0 })
      .where('created_at', '<', before);
  const after = (id: number) => inactive().select('id').where('id', '>', id).orderBy('id').limit(step);
  for (let rows = await after(0); rows.length > 0; rows = await after(rows.at(-1)!.id))
    for (const { id } of rows) {
      if (signal.aborted) return;
      try {
        await database.write(async () => {
          // it may have been activated just now
          if (await inactive().findById(id)) await accounts.delete(id);
        });
      } catch (error) {
        if (!Problem.is(error)) throw error;
        log.info('kept an inactive account that cannot be deleted', { event: 'account.inactive', id, error });
      }
    }
}
