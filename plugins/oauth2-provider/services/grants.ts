import { actAudited, retryDuplicate, type Database, type Events, type QueryCache } from '@mortise/plugin-sdk';
import type { TokenScopes } from '@mortise/auth-token/api';
import type { OAuth2Application } from '../api.js';
import { ApplicationRow, toApplication } from '../models/application.js';
import { CodeRow } from '../models/code.js';
import { GrantRow } from '../models/grant.js';
import { TokenRow } from '../models/token.js';
import { covers, joined } from './scope.js';
import { hashOf, isSecret, newSecret } from './secrets.js';

/** Milliseconds from consent to the exchange of the code. */
const codeSpan = 2 * 60_000;

export interface Lifetimes {
  /** Milliseconds. */
  readonly access: number;
  readonly refresh: number;
}

/** What somebody agreed to. */
interface Consent {
  readonly userId: number;
  readonly application: OAuth2Application;
  readonly scope: readonly string[];
}

interface NewCode extends Consent {
  readonly givenRedirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
  /** Milliseconds since 1970 UTC. */
  readonly signedInAt: number;
}

export interface FoundToken {
  readonly token: TokenRow;
  readonly grant: GrantRow;
  readonly application: OAuth2Application;
}

export interface Granted {
  readonly grant: GrantRow;
  readonly application: OAuth2Application;
}

/** What people granted applications, and the codes and tokens that come of it. */
export class Grants {
  constructor(
    private readonly database: Database,
    private readonly cached: QueryCache<FoundToken | undefined>,
    private readonly words: TokenScopes,
    private readonly lifetimes: Lifetimes,
    private readonly events: Events,
  ) {}

  /** Need they be asked? Not again for the same, unless nobody can tell whether it is the same program (RFC 8252 8.6). */
  async isGranted({ userId, application, scope }: Consent): Promise<boolean> {
    if (!application.isConfidential && !application.skipsSecondConsent) return false;
    const grant = await this.#grantOf(userId, application.id);
    return grant !== undefined && covers(grant.scope, scope, this.words);
  }

  /** Stores the consent and gives a code for it. */
  async issueCode(given: NewCode): Promise<string> {
    const code = newSecret('code');
    const now = Date.now();
    await retryDuplicate(() =>
      this.database.write(async () => {
        const grant = await this.#remember(given, now);
        await this.database.query(CodeRow).insert({
          grant_id: grant,
          code_hash: hashOf(code),
          scope: [...given.scope],
          redirect_uri: given.givenRedirectUri,
          challenge: given.challenge,
          nonce: given.nonce,
          is_used: false,
          expires_at: now + codeSpan,
          signed_in_at: given.signedInAt,
        });
      }),
    );
    return code;
  }

  async #remember({ userId, application, scope }: Consent, now: number): Promise<number> {
    const known = await this.#grantOf(userId, application.id);
    if (!known) {
      const row = await this.database.query(GrantRow).insertAndFetch({
        user_id: userId,
        application_id: application.id,
        scope: [...scope],
        created_at: now,
        updated_at: now,
      });
      await this.#audit('create', userId, application, scope);
      return row.id;
    }
    await this.database
      .query(GrantRow)
      .findById(known.id)
      .patch({ scope: [...joined(known.scope, scope, this.words)], updated_at: now });
    return known.id;
  }

  async code(text: string): Promise<(Granted & { readonly code: CodeRow }) | undefined> {
    if (!isSecret('code', text)) return undefined;
    const code = await this.database.query(CodeRow).findOne({ code_hash: hashOf(text) });
    const granted = code && (await this.#granted(code.grant_id));
    return granted && { code, ...granted };
  }

  /** False: another request was faster. Used up whatever comes of it: nobody may try twice. */
  async useCode(id: number): Promise<boolean> {
    return this.database.write(async () => {
      const used = await this.database.query(CodeRow).where({ id, is_used: false }).patch({ is_used: true });
      return used === 1;
    });
  }

  async refreshToken(text: string): Promise<FoundToken | undefined> {
    if (!isSecret('refresh', text)) return undefined;
    const token = await this.database.query(TokenRow).findOne({ token_hash: hashOf(text), kind: 'refresh' });
    const granted = token && (await this.#granted(token.grant_id));
    return granted && { token, ...granted };
  }

  /** An access token that is good now. */
  async accessToken(text: string): Promise<FoundToken | undefined> {
    if (!isSecret('access', text)) return undefined;
    const hash = hashOf(text);
    const loaded = await this.cached.load(hash, async () => {
      const token = await this.database.query(TokenRow).findOne({ token_hash: hash, kind: 'access' });
      const granted = token && (await this.#granted(token.grant_id));
      return granted && { token, ...granted };
    });
    return loaded && Number(loaded.token.expires_at) > Date.now() ? loaded : undefined;
  }

  /** False, and nothing stored: the code or refresh token has ended, or was used by another request a moment ago. */
  async storeTokens(
    source: {
      readonly grantId: number;
      readonly codeId: number;
      readonly scope: readonly string[];
      /** The refresh token that it comes from; undefined: the code. */
      readonly refreshTokenId?: number;
      /** The refresh token is good once. */
      readonly usesUp?: boolean;
    },
    tokens: { readonly access: string; readonly refresh: string },
  ): Promise<boolean> {
    const now = Date.now();
    return this.database.write(async () => {
      if (!(await this.#hold(source))) return false;
      for (const kind of ['access', 'refresh'] as const)
        await this.database.query(TokenRow).insert({
          grant_id: source.grantId,
          code_id: source.codeId,
          kind,
          token_hash: hashOf(tokens[kind]),
          scope: [...source.scope],
          is_used: false,
          created_at: now,
          expires_at: now + this.lifetimes[kind],
        });
      return true;
    });
  }

  /** Holds what tokens come from until they are stored: an update locks the row on every engine. False: it has ended. */
  async #hold(source: { codeId: number; refreshTokenId?: number; usesUp?: boolean }): Promise<boolean> {
    const { codeId, refreshTokenId: id, usesUp } = source;
    const { database } = this;
    const held: unknown =
      id === undefined
        ? await database.query(CodeRow).where({ id: codeId }).increment('expires_at', 0)
        : usesUp
          ? await database.query(TokenRow).where({ id, is_used: false }).patch({ is_used: true })
          : await database.query(TokenRow).where({ id }).increment('expires_at', 0);
    return held === 1;
  }

  /** A code or refresh token came a second time: whoever has it now, all that came of it ends (RFC 6749 4.1.2, 10.4). */
  async endFamily(grantId: number, codeId: number): Promise<void> {
    await this.database.write(async () => {
      await this.database.query(TokenRow).delete().where({ grant_id: grantId, code_id: codeId });
      await this.database.query(CodeRow).deleteById(codeId);
    });
  }

  /** One token, by its text, and with a refresh token all that goes back to the same code (RFC 7009 2.1). */
  async endToken(text: string, applicationId: number): Promise<void> {
    const found = (await this.refreshToken(text)) ?? (await this.accessToken(text));
    if (found?.application.id !== applicationId) return;
    const { token } = found;
    if (token.kind === 'refresh') return this.endFamily(token.grant_id, token.code_id);
    await this.database.write(async () => {
      await this.database.query(TokenRow).deleteById(token.id);
    });
  }

  async ofUser(userId: number): Promise<Granted[]> {
    const grants = await this.database.query(GrantRow).where('user_id', userId).orderBy('id', 'desc').limit(200);
    const rows = await this.database.query(ApplicationRow).whereIn(
      'id',
      grants.map((one) => one.application_id),
    );
    const byId = new Map(rows.map((row) => [row.id, toApplication(row)]));
    return grants.flatMap((grant) => {
      const application = byId.get(grant.application_id);
      return application ? [{ grant, application }] : [];
    });
  }

  /** With all its codes and tokens. */
  async revoke(userId: number, grantId: number): Promise<void> {
    await this.database.write(async () => {
      const grant = await this.database.query(GrantRow).findOne({ id: grantId, user_id: userId });
      const application = grant && (await this.database.query(ApplicationRow).findById(grant.application_id));
      if (!grant || !application) return;
      await this.database.query(GrantRow).deleteById(grant.id);
      await this.#audit('delete', userId, application, grant.scope);
    });
  }

  #audit(
    verb: 'create' | 'delete',
    userId: number,
    { id, name }: Pick<OAuth2Application, 'id' | 'name'>,
    scope: readonly string[],
  ): Promise<void> {
    const target = { kind: 'oauth2_application', id, name };
    return this.events.emit(actAudited, { action: `oauth2_grant.${verb}`, target, userId, details: { scope } });
  }

  async sweep(): Promise<void> {
    const now = Date.now();
    await this.database.write(async () => {
      await this.database.query(TokenRow).delete().where('expires_at', '<', now);
      await this.database
        .query(CodeRow)
        .delete()
        .where('expires_at', '<', now - this.lifetimes.refresh);
    });
  }

  async #granted(grantId: number): Promise<Granted | undefined> {
    const grant = await this.database.query(GrantRow).findById(grantId);
    const row = grant && (await this.database.query(ApplicationRow).findById(grant.application_id));
    return row && grant && { grant, application: toApplication(row) };
  }

  async #grantOf(userId: number, applicationId: number): Promise<GrantRow | undefined> {
    return this.database.query(GrantRow).findOne({ user_id: userId, application_id: applicationId });
  }
}
