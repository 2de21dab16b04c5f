import { Conflict, Invalid, type Broker, type Database, type Logger } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { ServedOwnerRow } from '../models/served-owner.js';
import type { RunnerSettings } from '../settings.js';
import { t } from '../texts/index.js';

const topic = 'actions-runner.changed';
const maxOwners = 50;
/** In place of the id of an owner: the jobs of every repository. */
export const allOwners = 0;

export interface EmbeddedRunnerState {
  /** Ids of the owners whose jobs it takes, or {@link allOwners} alone; none: it does not run. */
  readonly serves: readonly number[];
  /** The settings of the server say so: no page changes it. */
  readonly isSetBySettings: boolean;
  /** Jobs would run as root. */
  readonly isRefused: boolean;
}

interface EmbeddedRunnerDeps {
  readonly database: Database;
  readonly broker: Broker;
  readonly accounts: Accounts;
  readonly log: Pick<Logger, 'warn'>;
  readonly settings: Pick<RunnerSettings, 'ENABLED' | 'SERVES' | 'USER'>;
  readonly isRoot: boolean;
}

/**
 * Whether the server runs an embedded runner: by its settings, or because an administrator started it. It serves accounts
 * and not names, since the name of a deleted account can be taken by another user.
 */
export class EmbeddedRunner {
  /** Accounts that the settings were found to mean, by lower-case names. */
  readonly #accountIds = new Map<string, number>();
  #missing = '';

  constructor(private readonly deps: EmbeddedRunnerDeps) {}

  async state(): Promise<EmbeddedRunnerState> {
    const { database, settings, isRoot } = this.deps;
    const isSetting = settings.ENABLED;
    if (isRoot && settings.USER === '') return { serves: [], isSetBySettings: isSetting, isRefused: true };
    if (isSetting) return { serves: await this.#ownersOfSettings(), isSetBySettings: isSetting, isRefused: false };
    const rows = await database.query(ServedOwnerRow).orderBy('owner_id');
    return { serves: rows.map((row) => row.owner_id), isSetBySettings: isSetting, isRefused: false };
  }

  /** Names of those that are served, without {@link allOwners}. */
  async namesOf({ serves }: EmbeddedRunnerState): Promise<string[]> {
    const known = await this.deps.accounts.byIds(serves.filter((id) => id !== allOwners));
    return [...known.values()].map(({ name }) => name).sort();
  }

  /** May jobs of this owner still be taken? */
  async knows(ownerId: number): Promise<boolean> {
    return ownerId === allOwners || (await this.deps.accounts.byId(ownerId)) !== undefined;
  }

  /**
   * Replaces the served owners by those of these names, or by `allOwners`. Invalid (422) where there is no such
   * owner, or none is named.
   */
  async start(names: readonly string[], options: { readonly everybody?: boolean } = {}): Promise<void> {
    await this.#check();
    const { database } = this.deps;
    const started_at = Date.now();
    await this.#change(async () => {
      const serves = options.everybody ? [allOwners] : await this.#ownerIds(names);
      await database.query(ServedOwnerRow).delete();
      for (const owner_id of serves) await database.query(ServedOwnerRow).insert({ owner_id, started_at });
    });
  }

  /** Jobs that run end as cancelled. */
  async stop(): Promise<void> {
    await this.#check();
    await this.#change(async () => void (await this.deps.database.query(ServedOwnerRow).delete()));
  }

  /** In the transaction that deletes the account. */
  async forget(ownerId: number): Promise<void> {
    const { database, settings } = this.deps;
    const gone = await database.query(ServedOwnerRow).deleteById(ownerId);
    if (gone > 0 || settings.ENABLED) await this.#change(() => Promise.resolve());
  }

  /** Subscribes to changes made by any process; returns how to unsubscribe. */
  onChange(work: () => void): () => void {
    return this.deps.broker.subscribe(topic, work);
  }

  async #check(): Promise<void> {
    const { isSetBySettings: isSetting, isRefused } = await this.state();
    if (isSetting) throw Conflict(t.later('runner.bySettings'));
    if (isRefused) throw Conflict(t.later('runner.asRoot'));
  }

  async #ownerIds(names: readonly string[]): Promise<number[]> {
    const refused = (text: ReturnType<typeof t.later>) => Invalid(text, { inputs: { serves: text } });
    if (names.length === 0) throw refused(t.later('runner.nobody'));
    if (names.length > maxOwners) throw refused(t.later('runner.tooMany', { count: maxOwners }));
    const known = await this.deps.accounts.byNames(names);
    const ids = names.map((name) => {
      const account = known.get(name.toLowerCase());
      if (!account) throw refused(t.later('runner.unknown', { name }));
      return account.id;
    });
    return [...new Set(ids)];
  }

  /** A name keeps the account that it had when this process first asked, however others are called later. */
  async #ownersOfSettings(): Promise<number[]> {
    const { accounts, log, settings } = this.deps;
    const names = settings.SERVES.map((name) => name.toLowerCase());
    if (names.includes('all')) return [allOwners];
    const open = names.filter((name) => !this.#accountIds.has(name));
    if (open.length > 0) for (const [name, { id }] of await accounts.byNames(open)) this.#accountIds.set(name, id);
    const ids = [...new Set(names.map((name) => this.#accountIds.get(name) ?? allOwners))].filter(
      (id) => id !== allOwners,
    );
    const known = await accounts.byIds(ids);
    const missing = names.filter((name) => !known.has(this.#accountIds.get(name) ?? allOwners)).join(', ');
    if (missing !== this.#missing && missing !== '')
      log.warn(`[actions.runner] SERVES names unknown accounts: ${missing}`, { event: 'actions.runner.unknownOwners' });
    this.#missing = missing;
    return ids.filter((id) => known.has(id));
  }

  async #change(work: () => Promise<void>): Promise<void> {
    const { database, broker } = this.deps;
    await database.write(async () => {
      await work();
      database.afterCommit(() => broker.publish(topic, null));
    });
  }
}
