import type { MarkupReference } from '@mortise/markup/api';
import type { Accounts } from '../api.js';

/** `@ada` leads to the account, where there is one that the reader may see. */
export const mentions = (accounts: Accounts): MarkupReference => ({
  key: 'mention',
  pattern: /(?<![\w/@.`+-])@[a-z0-9](?:[\w.-]{0,38}[a-z0-9])?(?![\w@/-])/gi,
  async resolve(texts, { actor }) {
    const found = await accounts.byNames(texts.map((text) => text.slice(1)));
    return new Map(
      texts.flatMap((text) => {
        const account = found.get(text.slice(1).toLowerCase());
        return account && accounts.mayView(actor, account) ? [[text, { href: `/${account.name}` }]] : [];
      }),
    );
  },
});
