import { createHash, randomBytes } from 'node:crypto';
import {
  actAudited,
  checkFields,
  Invalid,
  NotFound,
  refusedField,
  refuseDuplicate,
  type Database,
  type Events,
} from '@mortise/plugin-sdk';
import type { LoginSources } from '@mortise/accounts/api';
import type { Organizations } from '@mortise/organizations/api';
import { TokenRow } from '../models/token.js';
import { t } from '../texts/index.js';

/** What an identity provider may do here. Times are milliseconds since 1970 UTC. */
export interface ScimToken {
  readonly id: number;
  readonly name: string;
  /** Its teams are the groups; 0: there are none. */
  readonly organizationId: number;
  /** New accounts belong to this login source; 0: to none. */
  readonly loginSourceId: number;
  /** It may change and deactivate site administrators. */
  readonly managesAdministrators: boolean;
  readonly createdAt: number;
  /** 0: never. */
  readonly lastUsedAt: number;
}

/** A token with the names of what it belongs to. */
export interface NamedScimToken extends ScimToken {
  /** Empty: none. */
  readonly organization: string;
  /** Empty: none. */
  readonly loginSource: string;
}

export interface NewScimToken {
  readonly name: string;
  /** Name; empty: none. */
  readonly organization: string;
  /** Name; empty: none. */
  readonly loginSource: string;
  readonly managesAdministrators: boolean;
}

interface Deps {
  readonly database: Database;
  readonly events: Events;
  readonly organizations: Pick<Organizations, 'byIds' | 'byName'>;
  readonly loginSources: Pick<LoginSources, 'list'>;
}

export const maxName = 100;
/** More than any site has providers. */
const maxTokens = 100;
const useStepMs = 60_000;
const form = /^scim_[0-9a-f]{64}$/;

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
const newSecret = (): string => `scim_${randomBytes(32).toString('hex')}`;

const toToken = (row: TokenRow): ScimToken => ({
  id: row.id,
  name: row.name,
  organizationId: row.organization_id ?? 0,
  loginSourceId: row.login_source_id ?? 0,
  managesAdministrators: row.manages_administrators,
  createdAt: Number(row.created_at),
  lastUsedAt: Number(row.last_used_at),
});

/** Tokens of identity providers. The database has only their hashes. */
export class ScimTokens {
  constructor(private readonly deps: Deps) {}

  /** By name. */
  async list(): Promise<readonly ScimToken[]> {
    return (await this.deps.database.query(TokenRow).orderBy('name').limit(maxTokens)).map(toToken);
  }

  /** As {@link list}. */
  async listNamed(): Promise<readonly NamedScimToken[]> {
    const { loginSources, organizations } = this.deps;
    const tokens = await this.list();
    const named = await organizations.byIds(tokens.flatMap((one) => one.organizationId || []));
    const sources = await loginSources.list();
    return tokens.map((token) => ({
      ...token,
      organization: named.get(token.organizationId)?.account.name ?? '',
      loginSource: sources.find(({ id }) => id === token.loginSourceId)?.name ?? '',
    }));
  }

  /** @throws NotFound */
  async byId(id: number): Promise<ScimToken> {
    const row = await this.deps.database.query(TokenRow).findById(id);
    if (!row) throw NotFound('SCIM token');
    return toToken(row);
  }

  /** The token that a program has sent; remembers, to the minute, that it was used. */
  async authenticate(secret: string): Promise<ScimToken | undefined> {
    if (!form.test(secret)) return undefined;
    const { database } = this.deps;
    const row = await database.query(TokenRow).findOne({ token_hash: hashOf(secret) });
    if (!row) return undefined;
    const now = Date.now();
    if (now - Number(row.last_used_at) >= useStepMs)
      await database.write(async () => database.query(TokenRow).findById(row.id).patch({ last_used_at: now }));
    return toToken(row);
  }

  /**
   * Gives the secret, which is shown once.
   *
   * @throws Invalid: a name that is missing, too long or in use, an organization or login source that does not exist, or
   * a token more than {@link list} shows
   */
  async create(given: NewScimToken): Promise<{ readonly token: ScimToken; readonly secret: string }> {
    const { database, loginSources, organizations } = this.deps;
    const organization = given.organization ? await organizations.byName(given.organization) : undefined;
    const source = given.loginSource
      ? (await loginSources.list()).find(({ name }) => name === given.loginSource)
      : undefined;
    await checkFields({
      name: () => {
        if (given.name === '' || given.name.length > maxName)
          throw refusedField('name', t.later('error.name', { max: maxName }));
      },
      organization: () => {
        if (given.organization && !organization) throw refusedField('organization', t.later('error.organization'));
      },
      login_source: () => {
        if (given.loginSource && !source) throw refusedField('login_source', t.later('error.loginSource'));
      },
    });
    const secret = newSecret();
    const token = await refuseDuplicate(t.later('error.nameTaken', { name: given.name }), () =>
      database.write(async () => {
        if (await database.query(TokenRow).findOne({ name: given.name }))
          throw refusedField('name', t.later('error.nameTaken', { name: given.name }));
        if ((await database.query(TokenRow).resultSize()) >= maxTokens)
          throw Invalid(t.later('error.tooMany', { max: maxTokens }));
        const row = await database.query(TokenRow).insertAndFetch({
          name: given.name,
          token_hash: hashOf(secret),
          organization_id: organization?.account.id ?? null,
          login_source_id: source?.id ?? null,
          manages_administrators: given.managesAdministrators,
          created_at: Date.now(),
          last_used_at: 0,
        });
        const details = {
          organization: given.organization,
          login_source: given.loginSource,
          manages_administrators: given.managesAdministrators,
        };
        await this.#audit('create', row, details);
        return toToken(row);
      }),
    );
    return { token, secret };
  }

  /** A new secret in the place of the old one; the accounts stay those of the token. @throws NotFound */
  async renew(id: number): Promise<{ readonly token: ScimToken; readonly secret: string }> {
    const { database } = this.deps;
    const secret = newSecret();
    const token = await database.write(async () => {
      const row = await database.query(TokenRow).findById(id);
      if (!row) throw NotFound('SCIM token');
      await database
        .query(TokenRow)
        .findById(id)
        .patch({ token_hash: hashOf(secret) });
      await this.#audit('renew', row);
      return toToken(row);
    });
    return { token, secret };
  }

  /** The accounts and teams stay as they are; nobody manages them any more. @throws NotFound */
  async delete(id: number): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const row = await database.query(TokenRow).findById(id);
      if (!row) throw NotFound('SCIM token');
      await database.query(TokenRow).deleteById(id);
      await this.#audit('delete', row);
    });
  }

  #audit(verb: string, { id, name }: TokenRow, details: Readonly<Record<string, string | boolean>> = {}) {
    return this.deps.events.emit(actAudited, {
      action: `scim_token.${verb}`,
      target: { kind: 'scim_token', id, name },
      details,
    });
  }
}
