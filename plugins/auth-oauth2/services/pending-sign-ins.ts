import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '@mortise/plugin-sdk';
import type { LoginSources } from '@mortise/accounts/api';
import { PendingSignInRow } from '../models/pending-sign-in.js';
import type { Source } from './client.js';
import type { Identity } from './identity.js';

export interface NewPendingSignIn {
  readonly source: Source;
  readonly identity: Identity;
  /** Where they want to go: a path of this site, or empty. */
  readonly redirectTo: string;
}

export const pendingSpanMs = 20 * 60_000;
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** People who have come from a provider and are asked which account is theirs; each is good for one answer. */
export class PendingSignIns {
  constructor(
    private readonly database: Database,
    private readonly loginSources: LoginSources,
  ) {}

  /** Gives what the browser keeps. */
  async store({ source, identity, redirectTo }: NewPendingSignIn): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.database.write(async () => {
      await this.database.query(PendingSignInRow).delete().where('expires_at', '<', Date.now());
      await this.database.query(PendingSignInRow).insert({
        token_hash: hashOf(token),
        source_id: source.id,
        identity: { ...identity, redirectTo },
        expires_at: Date.now() + pendingSpanMs,
      });
    });
    return token;
  }

  /** Undefined: unknown, too old, used, or the source is off. */
  async find(token: string | undefined): Promise<NewPendingSignIn | undefined> {
    if (!token || !/^[\w-]{43}$/.test(token)) return undefined;
    const row = await this.database.query(PendingSignInRow).findOne({ token_hash: hashOf(token) });
    if (!row || Number(row.expires_at) < Date.now()) return undefined;
    const source = await this.loginSources.byId(row.source_id);
    if (!source?.isActive || source.kind !== 'oauth2') return undefined;
    const { redirectTo, ...identity } = row.identity;
    return { source: source as unknown as Source, identity, redirectTo };
  }

  /** It has been answered: false when somebody else was quicker. */
  async end(token: string): Promise<boolean> {
    return this.database.write(
      async () =>
        (await this.database
          .query(PendingSignInRow)
          .delete()
          .where({ token_hash: hashOf(token) })) > 0,
    );
  }
}
