import type { MarkupReference } from '@mortise/markup/api';
import type { Accounts, Memberships } from '../api.js';

/** `@ada` leads to the account, where there is one that the reader may see. */
export const mentions = (services: { accounts: Accounts; memberships: Memberships }): MarkupReference => ({
  key: 'mention',
  pattern: /(?<![\w/@.`+-])@[a-z0-9](?:[\w.-]{0,38}[a-z0-9])?(?![\w@/-])/gi,
  async resolve(texts, { actor }) {
    const found = await services.accounts.byNames(texts.map((text) => text.slice(1)));
    const seen = await services.memberships.viewable(actor, [...found.values()]);
    const names = new Map(seen.map((account) => [account.lowerName, account.name]));
    return new Map(
      texts.flatMap((text) => {
        const name = names.get(text.slice(1).toLowerCase());
        return name === undefined ? [] : [[text, { href: `/${name}` }]];
      }),
    );
  },
});
