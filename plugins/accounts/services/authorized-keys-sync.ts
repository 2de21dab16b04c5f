import { Problem, type Logger } from '@mortise/plugin-sdk';
import type { Account, PublicKeys } from '../api.js';

interface Deps {
  readonly publicKeys: Pick<PublicKeys, 'add' | 'list' | 'parse' | 'remove'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** More than anybody has; the rest stays until the next time. */
const maxKeys = 1000;

/** The account has the keys of its login source and no others; one that is refused keeps the others from nothing. */
export async function syncAuthorizedKeys(
  { publicKeys, log }: Deps,
  account: Pick<Account, 'id' | 'name'>,
  source: string,
  wanted: readonly string[],
): Promise<void> {
  const keys = new Map<string, string>();
  const attempt = async (work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      if (!Problem.is(error)) throw error;
      log.warn('rejected a public key of a login source', {
        event: 'loginSource.key',
        account: account.name,
        source,
        error,
      });
    }
  };
  for (const text of wanted)
    await attempt(() => {
      const { fingerprint, content } = publicKeys.parse(text);
      keys.set(fingerprint, content);
    });
  const { items } = await publicKeys.list({ userId: account.id, limit: maxKeys, offset: 0 });
  for (const key of items) if (!keys.has(key.fingerprint)) await publicKeys.remove(key.id);
  const present = new Set(items.map(({ fingerprint }) => fingerprint));
  for (const [fingerprint, content] of keys)
    if (!present.has(fingerprint))
      await attempt(() => publicKeys.add(account.id, { title: `${source} ${fingerprint}`, key: content }));
}
