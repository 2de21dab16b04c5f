import type { MarkupReference } from '@mortise/markup/api';
import type { Accounts, Memberships } from '../api.js';

/** So many are looked up one by one, for what was looked up is kept: a page has many texts. */
const maxSingle = 10;

/** `@ada` leads to the account, where there is one that the reader may see. */
export const mentions = (services: { accounts: Accounts; memberships: Memberships }): MarkupReference => ({
  key: 'mention',
  pattern: /(?<![\w/@.`+-])@[a-z0-9](?:[\w.-]{0,38}[a-z0-9])?(?![\w@/-])/gi,
  async resolve(texts, { actor }) {
    const asked = [...new Set(texts.map((text) => text.slice(1).toLowerCase()))];
    const { accounts } = services;
    const found =
      asked.length > maxSingle
        ? [...(await accounts.byNames(asked)).values()]
        : (await Promise.all(asked.map((name) => accounts.byName(name)))).flatMap((account) => account ?? []);
    const seen = await services.memberships.viewable(actor, found);
    const names = new Map(seen.map((account) => [account.lowerName, account.name]));
    return new Map(
      texts.flatMap((text) => {
        const name = names.get(text.slice(1).toLowerCase());
        return name === undefined ? [] : [[text, { href: `/${name}` }]];
      }),
    );
  },
});
