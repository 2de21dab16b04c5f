import { Invalid } from '@mortise/plugin-sdk';
import type { Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { AuthorMapping } from '../contract/importer.js';
import { t } from '../texts/index.js';

const maxLines = 500;
const strength: readonly AuthorMapping['by'][] = ['none', 'email', 'name'];

/** What an importer asked for, no further than the operator allows: texts in the name of others are a matter of trust. */
export async function authorMapping(
  requested: { readonly by: string; readonly lines: string },
  allowed: AuthorMapping['by'],
  actor: Actor,
  accounts: Pick<Accounts, 'byNames'>,
): Promise<AuthorMapping> {
  const by = strength.find((one) => one === requested.by) ?? 'none';
  const isAllowed = actor.isAdmin || strength.indexOf(by) <= strength.indexOf(allowed);
  return { by: isAllowed ? by : allowed, accounts: await namedAccounts(requested.lines, actor, accounts) };
}

/** Lines `name there = name here`; who is no administrator names themselves alone. */
async function namedAccounts(lines: string, actor: Actor, accounts: Pick<Accounts, 'byNames'>) {
  const pairs = lines
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(0, maxLines)
    .map((line) => line.split('=').map((part) => part.trim().toLowerCase()));
  if (pairs.length === 0) return {};
  const wrong = (message: ReturnType<typeof t.later>) => Invalid(message, { inputs: { authors: message } });
  if (pairs.some((pair) => pair.length !== 2 || pair.includes(''))) throw wrong(t.later('error.authorLine'));
  const accountsByName = await accounts.byNames([...new Set(pairs.map(([, here]) => here!))]);
  return Object.fromEntries(
    pairs.map(([there, here]) => {
      const account = accountsByName.get(here!);
      if (account?.kind !== 'user') throw wrong(t.later('error.authorUnknown', { name: here! }));
      if (!actor.isAdmin && account.id !== actor.id) throw wrong(t.later('error.authorOther'));
      return [there!, account.id];
    }),
  );
}
