import { randomUUID } from 'node:crypto';
import {
  actAudited,
  pageOf,
  BadRequest,
  Invalid,
  NotFound,
  refusedField,
  type Database,
  type Events,
  type QueryCache,
} from '@mortise/plugin-sdk';
import { isBcrypt, matchesBcrypt } from '@mortise/accounts/api';
import type { NewOAuth2Application, OAuth2Applications } from '../contract/oauth2-provider.js';
import type { OAuth2Application } from '../api.js';
import { ApplicationRow, toApplication } from '../models/application.js';
import { t } from '../texts/index.js';
import { isRedirectUri } from './redirects.js';
import { hashOf, newSecret } from './secrets.js';
import { wellKnown, wellKnownIds } from './well-known.js';

const maxName = 255;
const maxUris = 50;
/** Of one account, and of the site: all are shown on one page. */
const maxApplications = 100;
/** What bcrypt looks at of a text. */
const maxImportedSecret = 72;
/** Of all together: what the column takes. */
const maxUriText = 16_000;

/** Registered applications and those that need not be registered. */
export class ApplicationService implements OAuth2Applications {
  constructor(
    private readonly database: Database,
    private readonly cached: QueryCache<ApplicationRow | undefined>,
    private readonly schemes: readonly string[],
    private readonly events: Events,
  ) {}

  async list(ownerId: number, { limit, offset }: { limit: number; offset: number }) {
    const query = this.database.query(ApplicationRow).where('owner_id', ownerId);
    const { rows, total } = await pageOf(query.orderBy('id'), { limit, offset });
    return { items: rows.map(toApplication), total };
  }

  async byId(id: number): Promise<OAuth2Application | undefined> {
    const row = await this.database.query(ApplicationRow).findById(id);
    return row && toApplication(row);
  }

  async byClientId(clientId: string): Promise<OAuth2Application | undefined> {
    const row = await this.#row(clientId);
    return row && toApplication(row);
  }

  /** The application when the secret is its own; one that keeps none needs none. */
  async authenticated(clientId: string, secret: string | undefined): Promise<OAuth2Application | undefined> {
    const row = await this.#row(clientId);
    if (!row) return undefined;
    const isRight = secret !== undefined && secret !== '' && (await this.#fits(row, secret));
    const needsNone = !row.is_confidential && (secret === undefined || secret === '');
    return isRight || needsNone ? toApplication(row) : undefined;
  }

  /** A hash that another server made gives way to ours once the secret is known to be right. */
  async #fits(row: ApplicationRow, secret: string): Promise<boolean> {
    const hash = hashOf(secret);
    if (!isBcrypt(row.secret_hash)) return hash === row.secret_hash;
    if (secret.length > maxImportedSecret || !(await matchesBcrypt(row.secret_hash, secret))) return false;
    await this.database.write(async () => {
      await this.database
        .query(ApplicationRow)
        .where({ id: row.id, secret_hash: row.secret_hash })
        .patch({ secret_hash: hash });
    });
    return true;
  }

  async create(ownerId: number, given: NewOAuth2Application) {
    const secret = newSecret('client');
    const checked = this.#checked(given);
    const row = await this.database.write(async () => {
      const there = await this.database.query(ApplicationRow).where('owner_id', ownerId).resultSize();
      if (there >= maxApplications) throw Invalid(t.later('error.tooMany', { max: maxApplications }));
      const made = await this.database.query(ApplicationRow).insertAndFetch({
        ...checked,
        owner_id: ownerId,
        client_id: randomUUID(),
        secret_hash: hashOf(secret),
        created_at: Date.now(),
        updated_at: Date.now(),
      });
      await this.#audit('create', made);
      return made;
    });
    return { application: toApplication(row), secret };
  }

  async update(id: number, given: NewOAuth2Application) {
    const secret = newSecret('client');
    const changes = { ...this.#checked(given), secret_hash: hashOf(secret), updated_at: Date.now() };
    const row = await this.database.write(async () => {
      const edited = await this.database.query(ApplicationRow).patchAndFetchById(id, changes);
      if (!edited) throw NotFound('application');
      await this.#audit('edit', edited);
      return edited;
    });
    return { application: toApplication(row), secret };
  }

  async delete(id: number): Promise<void> {
    await this.database.write(async () => {
      const row = await this.database.query(ApplicationRow).findById(id);
      if (!row) return;
      await this.database.query(ApplicationRow).deleteById(id);
      await this.#audit('delete', row);
    });
  }

  #audit(verb: 'create' | 'edit' | 'delete', { id, name, owner_id: ownerId }: ApplicationRow): Promise<void> {
    const target = { kind: 'oauth2_application', id, name };
    return this.events.emit(actAudited, { action: `oauth2_application.${verb}`, target, ownerId });
  }

  /** Of an account that goes. */
  async deleteOf(ownerId: number): Promise<void> {
    await this.database.write(async () => {
      await this.database.query(ApplicationRow).delete().where('owner_id', ownerId);
    });
  }

  /** Stores the programs named by `[oauth2] DEFAULT_APPLICATIONS`, and forgets those that are not named any more. */
  async ensureWellKnown(names: readonly string[]): Promise<void> {
    const wanted = names.flatMap((name) => wellKnown[name] ?? []);
    const there = await this.database.query(ApplicationRow).where('owner_id', 0).whereIn('client_id', wellKnownIds);
    const missing = wanted.filter(({ clientId }) => !there.some((row) => row.client_id === clientId));
    const gone = there.filter((row) => !wanted.some(({ clientId }) => clientId === row.client_id));
    if (missing.length === 0 && gone.length === 0) return;
    const now = Date.now();
    await this.database.write(async () => {
      for (const { name, clientId } of missing)
        await this.database
          .query(ApplicationRow)
          .insert({
            owner_id: 0,
            name,
            client_id: clientId,
            secret_hash: '',
            is_confidential: false,
            skips_second_consent: false,
            redirect_uris: [
              'http://127.0.0.1',
              'http://[::1]',
              'http://localhost',
              'http://127.0.0.1/',
              'http://localhost/',
            ],
            created_at: now,
            updated_at: now,
          })
          .onConflict('client_id')
          .ignore();
      for (const { id } of gone) await this.database.query(ApplicationRow).deleteById(id);
    });
  }

  #row(clientId: string): Promise<ApplicationRow | undefined> {
    if (!/^[\x21-\x7e]{1,40}$/.test(clientId)) return Promise.resolve(undefined);
    return this.cached.load(clientId, async () => {
      const row = await this.database.query(ApplicationRow).findOne({ client_id: clientId });
      return row?.client_id === clientId ? row : undefined;
    });
  }

  #checked({ name, redirectUris, isConfidential, skipsSecondConsent }: NewOAuth2Application) {
    const trimmed = name.trim();
    if (trimmed === '' || [...trimmed].length > maxName)
      throw refusedField('name', t.later('error.name', { max: maxName }));
    const uris = redirectUris.map((one) => one.trim()).filter(Boolean);
    if (uris.length === 0 || uris.length > maxUris || uris.join().length > maxUriText)
      throw refusedField('redirect_uris', t.later('error.redirects', { max: maxUris }));
    const bad = uris.find((one) => !isRedirectUri(one, this.schemes));
    if (bad !== undefined) {
      const text = t.later('error.redirect', { address: bad.slice(0, 200) });
      throw BadRequest(text, { inputs: { redirect_uris: text } });
    }
    return {
      name: trimmed,
      redirect_uris: [...new Set(uris)],
      is_confidential: isConfidential,
      skips_second_consent: skipsSecondConsent,
    };
  }
}
