import type { Database, TakeoverContext } from '@mortise/plugin-sdk';

const maxNames = 1000;
const namesPerLine = 20;

/** After a pass: names the accounts whose source of sign-ins was not taken over. */
export async function reportLostSources(database: Database, context: Pick<TakeoverContext, 'report'>): Promise<void> {
  const names = await database
    .knex()('user')
    .leftJoin('login_source', 'login_source.id', 'user.source_id')
    .where('user.kind', 'user')
    .whereNot('user.source_id', 0)
    .whereNull('login_source.id')
    .orderBy('user.id')
    .limit(maxNames + 1)
    .pluck<string[]>('user.name');
  const what = 'cannot sign in until an administrator gives them another source';
  for (let at = 0; at < Math.min(names.length, maxNames); at += namesPerLine)
    context.report(`${what}: ${names.slice(at, Math.min(at + namesPerLine, maxNames)).join(', ')}`);
  if (names.length > maxNames) context.report(`${what}: further accounts`);
}
