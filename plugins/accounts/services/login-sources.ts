import {
  actAudited,
  Invalid,
  invalidInput,
  NotFound,
  refuseDuplicate,
  refusedField,
  type AuditedAct,
  type Database,
  type Events,
  type QueryCache,
  type PointReader,
  type Encryption,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, ExternalUser, LoginSource, LoginSourceKind, LoginSources } from '../api.js';
import type { LoginSourceChanges, NewLoginSource } from '../contract/login-sources.js';
import { AccountRow } from '../models/account.js';
import { LoginSourceRow } from '../models/login-source.js';
import { t } from '../texts/index.js';
import type { Provisioner } from './provisioner.js';

const maxName = 100;

/** Reads sources with their secrets opened; few rows, read as one. */
export class LoginSourceReader {
  constructor(
    private readonly database: Database,
    private readonly kinds: PointReader<LoginSourceKind>,
    private readonly rows: QueryCache<readonly LoginSource[]>,
    private readonly encryption: Encryption,
  ) {}

  kind(key: string): LoginSourceKind | undefined {
    return this.kinds.get(key);
  }

  allKinds(): readonly LoginSourceKind[] {
    return this.kinds.list();
  }

  /** Also those of kinds that are not loaded, by name. */
  all(): Promise<readonly LoginSource[]> {
    return this.rows.load('all', async () =>
      (await this.database.query(LoginSourceRow).orderBy('name')).map((row) => this.toSource(row)),
    );
  }

  /** Those of kinds that are there, by name. */
  async list(filter: { readonly kind?: string; readonly isActive?: boolean } = {}): Promise<readonly LoginSource[]> {
    return (await this.all()).filter(
      (one) =>
        this.kind(one.kind) !== undefined &&
        (filter.kind === undefined || one.kind === filter.kind) &&
        (filter.isActive === undefined || one.isActive === filter.isActive),
    );
  }

  async byId(id: number): Promise<LoginSource | undefined> {
    return (await this.list()).find((one) => one.id === id);
  }

  toSource(row: LoginSourceRow): LoginSource {
    return {
      id: row.id,
      kind: row.kind,
      name: row.name,
      isActive: row.is_active,
      isSyncEnabled: row.is_sync_enabled,
      skipsSecondFactor: row.skips_second_factor,
      settings: this.#eachSecret(row.kind, row.settings, (encrypted) => this.encryption.decrypt(encrypted)),
      createdAt: Number(row.created_at),
      updatedAt: Number(row.updated_at),
    };
  }

  sealed(kind: string, settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return this.#eachSecret(kind, settings, (text) => this.encryption.encrypt(text));
  }

  #eachSecret(
    kind: string,
    settings: Readonly<Record<string, unknown>>,
    change: (text: string) => string,
  ): Record<string, unknown> {
    const secrets = this.kind(kind)?.secrets ?? [];
    return Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        secrets.includes(name) && typeof value === 'string' ? change(value) : value,
      ]),
    );
  }
}

/** Directories and providers that know people. */
export class LoginSourceService implements LoginSources {
  constructor(
    private readonly database: Database,
    private readonly reader: LoginSourceReader,
    private readonly provisioner: Provisioner,
    private readonly events: Events,
  ) {}

  list(filter?: { readonly kind?: string; readonly isActive?: boolean }): Promise<readonly LoginSource[]> {
    return this.reader.list(filter);
  }

  byId(id: number): Promise<LoginSource | undefined> {
    return this.reader.byId(id);
  }

  async create(given: NewLoginSource): Promise<LoginSource> {
    const kind = this.#kindOf(given.kind);
    const settings = checkedSettings(kind, given.settings);
    const now = Date.now();
    return this.#store(given.name, async () => {
      const row = await this.database.query(LoginSourceRow).insertAndFetch({
        kind: given.kind,
        name: checkedName(given.name),
        is_active: given.isActive ?? true,
        is_sync_enabled: given.isSyncEnabled ?? false,
        skips_second_factor: given.skipsSecondFactor ?? false,
        settings: this.reader.sealed(given.kind, settings),
        created_at: now,
        updated_at: now,
      });
      await this.#audit('create', row);
      return this.reader.toSource(row);
    });
  }

  async update(id: number, changes: LoginSourceChanges): Promise<LoginSource> {
    const before = await this.byId(id);
    if (!before) throw NotFound('login source');
    const kind = this.#kindOf(before.kind);
    const unchanged = Object.fromEntries((kind.secrets ?? []).map((name) => [name, before.settings[name]]));
    const sent = Object.entries(changes.settings ?? {}).filter(([name, value]) => !(name in unchanged && value === ''));
    const settings = changes.settings && checkedSettings(kind, { ...unchanged, ...Object.fromEntries(sent) });
    return this.#store(changes.name ?? before.name, async () => {
      if (settings) await this.#refuseOtherPeople(kind, before, settings);
      const row = await this.database.query(LoginSourceRow).patchAndFetchById(id, {
        ...(changes.name !== undefined && { name: checkedName(changes.name) }),
        ...(changes.isActive !== undefined && { is_active: changes.isActive }),
        ...(changes.isSyncEnabled !== undefined && { is_sync_enabled: changes.isSyncEnabled }),
        ...(changes.skipsSecondFactor !== undefined && { skips_second_factor: changes.skipsSecondFactor }),
        ...(settings && { settings: this.reader.sealed(before.kind, settings) }),
        updated_at: Date.now(),
      });
      await this.#audit('edit', row, { changed: Object.keys(changes) });
      return this.reader.toSource(row);
    });
  }

  async delete(id: number): Promise<void> {
    await this.database.write(async () => {
      const used = await this.database.query(AccountRow).where('source_id', id).resultSize();
      if (used > 0) throw Invalid(t.later('error.sourceUsed', { count: used }));
      const row = await this.database.query(LoginSourceRow).findById(id);
      if (!row) throw NotFound('login source');
      await this.database.query(LoginSourceRow).deleteById(id);
      await this.#audit('delete', row);
    });
  }

  #audit(verb: string, { id, kind, name }: LoginSourceRow, details: AuditedAct['details'] = {}): Promise<void> {
    const target = { kind: 'login_source', id, name };
    return this.events.emit(actAudited, { action: `login_source.${verb}`, target, details: { kind, ...details } });
  }

  provision(source: LoginSource, externalUser: ExternalUser): ReturnType<Accounts['create']> {
    return this.provisioner.provision(source, externalUser);
  }

  refresh(source: LoginSource, account: Account, externalUser: ExternalUser): Promise<Account> {
    return this.provisioner.refresh(source, account, externalUser);
  }

  accountOf(source: LoginSource, loginName: string): Promise<Account | undefined> {
    return this.provisioner.find(source, loginName);
  }

  /** With another provider, who is called the same there would become the account of somebody else. */
  async #refuseOtherPeople(
    kind: LoginSourceKind,
    before: LoginSource,
    settings: LoginSource['settings'],
  ): Promise<void> {
    const changed = kind.lasting?.find((name) => (settings[name] ?? '') !== (before.settings[name] ?? ''));
    if (changed === undefined) return;
    const used = await this.database.query(AccountRow).where('source_id', before.id).resultSize();
    if (used > 0 || (await kind.isUsed?.(before)))
      throw refusedField(`settings.${changed}`, t.later('error.sourceLasts'));
  }

  #kindOf(key: string): LoginSourceKind {
    const kind = this.reader.kind(key);
    if (!kind) throw Invalid(t.later('error.sourceKind'));
    return kind;
  }

  #store<T>(name: string, work: () => Promise<T>): Promise<T> {
    const taken = t.later('error.sourceNameTaken', { name });
    return refuseDuplicate(taken, () => this.database.write(work));
  }
}

function checkedName(given: string): string {
  const name = given.trim();
  if (name === '' || [...name].length > maxName)
    throw refusedField('name', t.later('error.sourceName', { max: maxName }));
  return name;
}

function checkedSettings(
  kind: LoginSourceKind,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const checked = kind.schema.validate(given, { abortEarly: false, stripUnknown: true });
  if (!checked.error) return checked.value as Readonly<Record<string, unknown>>;
  const details = checked.error.details.map((detail) => ({ ...detail, path: ['settings', ...detail.path] }));
  throw invalidInput(Object.assign(checked.error, { details }), kind.names);
}
