import { createHash, randomBytes } from 'node:crypto';
import type { Database, Encryption, Events, Locks } from '@mortise/plugin-sdk';
import type { RegistrationTokens } from '../../contract/runners.js';
import type { ActionScope } from '../../contract/scopes.js';
import { RegistrationRow } from '../../models/registration.js';
import { auditInScope } from '../audited-scope.js';
import { whereScope } from './runner-records.js';

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** Registration tokens: shown again and again, so they are sealed, and found by their hash. */
export class RegistrationService implements RegistrationTokens {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly locks: Locks,
    private readonly events: Events,
  ) {}

  async current(scope: ActionScope): Promise<string> {
    const known = await this.#active(scope);
    if (known) return known;
    return this.#exclusive(scope, async () => (await this.#active(scope)) ?? (await this.#createToken(scope)));
  }

  reset(scope: ActionScope): Promise<string> {
    return this.#exclusive(scope, () => this.#createToken(scope));
  }

  /** The row of a token, whether it holds or not. */
  async find(token: string): Promise<RegistrationRow | undefined> {
    return this.database.query(RegistrationRow).findOne({ token_hash: hashOf(token) });
  }

  /** A token that was chosen for the site before the start. */
  async preset(token: string): Promise<void> {
    if (await this.find(token)) return;
    const scope = { ownerId: 0, repositoryId: 0 };
    await this.#exclusive(scope, async () => {
      if (!(await this.find(token))) await this.#insert(scope, token);
    });
  }

  /** Columns of a row with this token. */
  stored(token: string): Pick<RegistrationRow, 'token_hash' | 'sealed'> {
    return { token_hash: hashOf(token), sealed: this.encryption.encrypt(token) };
  }

  /**
   * In a transaction, and alone among token creations of the scope: there may be no row that a transaction could
   * lock, and a new token ends those before it.
   */
  #exclusive<T>({ ownerId, repositoryId }: ActionScope, work: () => Promise<T>): Promise<T> {
    return this.locks.hold(`actions.registration.${ownerId}.${repositoryId}`, () => this.database.write(work));
  }

  async #active(scope: ActionScope): Promise<string | undefined> {
    const row = await this.database
      .query(RegistrationRow)
      .where(whereScope(scope))
      .where('is_active', true)
      .orderBy('id', 'desc')
      .first();
    // Empty after the secret of the installation was changed: then there is none that could be shown.
    return (row && this.encryption.decrypt(row.sealed)) || undefined;
  }

  async #createToken(scope: ActionScope): Promise<string> {
    await this.database
      .query(RegistrationRow)
      .where(whereScope(scope))
      .where('is_active', true)
      .patch({ is_active: false });
    const token = randomBytes(20).toString('hex');
    await this.#insert(scope, token);
    const target = { kind: 'runner_token', name: '' };
    await auditInScope(this.events, scope, { action: 'runner_token.create', target });
    return token;
  }

  async #insert(scope: ActionScope, token: string): Promise<void> {
    await this.database.query(RegistrationRow).insert({
      ...whereScope(scope),
      ...this.stored(token),
      is_active: true,
      created_at: Date.now(),
    });
  }
}

/** The preset token of the site, from the environment or the file that it names; throws when both are given. */
export function presetToken(
  environment: Readonly<Record<string, string | undefined>>,
  read: (path: string) => string,
): string | undefined {
  for (const name of ['MORTISE_RUNNER_REGISTRATION_TOKEN', 'GITEA_RUNNER_REGISTRATION_TOKEN']) {
    const given = environment[name];
    const file = environment[`${name}_FILE`];
    if (given && file) throw new Error(`${name} and ${name}_FILE are both set: one of them is enough.`);
    const token = (file ? read(file) : (given ?? '')).trim();
    if (!token) continue;
    if (token.length < 32) throw new Error(`${file ? `${name}_FILE` : name}: the token has less than 32 characters.`);
    if (token.length > 255) throw new Error(`${file ? `${name}_FILE` : name}: the token has more than 255 characters.`);
    return token;
  }
  return undefined;
}
