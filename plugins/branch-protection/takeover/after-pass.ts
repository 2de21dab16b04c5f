import type { Database, PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { NamedList, ProtectionTeams } from '../contract/branch-protection.js';
import { BranchProtectionRow, lists } from '../models/branch-protection.js';
import { TagProtectionRow } from '../models/tag-protection.js';

interface ListDeps {
  readonly accounts: Pick<Accounts, 'byIds'>;
  readonly database: Database;
  readonly teams: PointReader<ProtectionTeams>;
}

const pageSize = 200;

/** After a pass: lists forget who has no account any more, since somebody else may get the number here. */
export async function removeLostNames(deps: ListDeps): Promise<void> {
  await clearRules(deps, BranchProtectionRow, lists);
  await clearRules(deps, TagProtectionRow, ['allowlist']);
}

async function clearRules(
  deps: ListDeps,
  model: typeof BranchProtectionRow | typeof TagProtectionRow,
  columns: readonly string[],
): Promise<void> {
  const { database } = deps;
  for (let after = 0; ;) {
    const rows = await database
      .query<BranchProtectionRow | TagProtectionRow>(model)
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageSize);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    const named = rows.map((row) => ({ id: row.id, lists: listsOf(row, columns) }));
    const known = await existing(
      deps,
      named.flatMap((rule) => [...rule.lists.values()]),
    );
    await database.write(async () => {
      for (const rule of named) {
        const changes = [...rule.lists].flatMap(([column, list]) => {
          const left = {
            users: list.users.filter((id) => known.users.has(id)),
            teams: list.teams.filter((id) => known.teams.has(id)),
          };
          const isSame = left.users.length === list.users.length && left.teams.length === list.teams.length;
          return isSame ? [] : [[column, JSON.stringify(left)] as const];
        });
        if (changes.length > 0)
          await database.knex()(model.tableName).where('id', rule.id).update(Object.fromEntries(changes));
      }
    });
  }
}

const listsOf = (row: object, columns: readonly string[]): Map<string, NamedList> =>
  new Map(Object.entries(row).filter(([column]) => columns.includes(column)) as [string, NamedList][]);

async function existing({ accounts, teams }: ListDeps, named: readonly NamedList[]) {
  const teamIds = [...new Set(named.flatMap((list) => list.teams))];
  const directories = await Promise.all(teams.list().map((directory) => directory.names(teamIds)));
  return {
    users: await accounts.byIds([...new Set(named.flatMap((list) => list.users))]),
    teams: new Set(directories.flatMap((names) => [...names.keys()])),
  };
}
