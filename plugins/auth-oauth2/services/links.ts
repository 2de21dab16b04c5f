import { createHash } from 'node:crypto';
import {
  actAudited,
  Conflict,
  NotFound,
  refuseDuplicate,
  type Database,
  type Events,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account, AccountMail, Accounts, LoginSources } from '@mortise/accounts/api';
import { LinkRow } from '../models/link.js';
import { t } from '../texts/index.js';
import type { Source } from './client.js';
import type { Identity } from './identity.js';

/** A person of a provider who may sign in as an account. Times are milliseconds since 1970 UTC. */
export interface Link {
  readonly id: number;
  readonly sourceId: number;
  readonly userId: number;
  readonly name: string;
  readonly createdAt: number;
  /** 0: never. */
  readonly lastUsedAt: number;
}

interface Deps {
  readonly database: Database;
  readonly events: Events;
  readonly accounts: Accounts;
  readonly accountMail: AccountMail;
  readonly loginSources: LoginSources;
  readonly site: Site;
}

/** Of the subject as the provider spells it. */
export const subjectHash = (subject: string): string => createHash('sha256').update(subject).digest('hex');

const toLink = (row: LinkRow): Link => ({
  id: row.id,
  sourceId: row.source_id,
  userId: row.user_id,
  name: row.name,
  createdAt: Number(row.created_at),
  lastUsedAt: Number(row.last_used_at),
});

/** More ways in than anybody needs. */
const maxLinks = 50;

/**
 * Who of a provider is which account here: accounts that were made for them, known by source and subject, and links that
 * owners of other accounts have made. Names and addresses say nothing.
 */
export class Links {
  constructor(private readonly deps: Deps) {}

  async accountOf(source: Source, { subject }: Pick<Identity, 'subject'>): Promise<Account | undefined> {
    const { accounts, database, loginSources } = this.deps;
    const own = await loginSources.accountOf(source, subject);
    if (own) return own;
    const row = await database.query(LinkRow).findOne({ source_id: source.id, subject_hash: subjectHash(subject) });
    return row && accounts.byId(row.user_id);
  }

  async list(userId: number): Promise<readonly Link[]> {
    const rows = await this.deps.database.query(LinkRow).where('user_id', userId).orderBy('id').limit(maxLinks);
    return rows.map(toLink);
  }

  /** Conflict for a person who is somebody here already. Tells the owner by mail. */
  async add(source: Source, account: Account, identity: Identity): Promise<void> {
    const { accountMail, database, site } = this.deps;
    const taken = t.later('error.linkedAlready', { source: source.name });
    const known = await this.accountOf(source, identity);
    if (known?.id === account.id) return;
    if (known) throw Conflict(taken);
    if ((await this.list(account.id)).length >= maxLinks) throw Conflict(t.later('error.tooManyLinks'));
    const now = Date.now();
    await refuseDuplicate(taken, () =>
      database.write(async () => {
        await database.query(LinkRow).insert({
          source_id: source.id,
          user_id: account.id,
          subject: identity.subject,
          subject_hash: subjectHash(identity.subject),
          name: identity.name || identity.email,
          created_at: now,
          last_used_at: 0,
        });
        await this.#audit('create', account.id, identity.name || identity.email, source.id);
        await accountMail.send(account, {
          subject: t.later('mail.subject', { site: site.name }),
          body: [
            t.later('mail.linked', {
              name: account.name,
              source: source.name,
              person: identity.name || identity.email,
            }),
            t.later('mail.notYou'),
          ],
        });
      }),
    );
  }

  /** Remembers that somebody has come in this way. */
  async used(source: Source, { subject, name, email }: Identity): Promise<void> {
    const { database } = this.deps;
    await database.write(async () =>
      database
        .query(LinkRow)
        .where({ source_id: source.id, subject_hash: subjectHash(subject) })
        .patch({ last_used_at: Date.now(), name: name || email }),
    );
  }

  async remove(userId: number, id: number): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const row = await database.query(LinkRow).findOne({ id, user_id: userId });
      if (!row) throw NotFound(t.later('error.linkMissing'));
      await database.query(LinkRow).deleteById(id);
      await this.#audit('delete', userId, row.name, row.source_id);
    });
  }

  async #audit(verb: 'create' | 'delete', userId: number, name: string, sourceId: number): Promise<void> {
    const source = (await this.deps.loginSources.byId(sourceId))?.name ?? '';
    await this.deps.events.emit(actAudited, {
      action: `external_login.${verb}`,
      target: { kind: 'external_login', name },
      userId,
      details: { source },
    });
  }
}
