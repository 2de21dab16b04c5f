import { Conflict, Invalid, type Broker, type Database, type Logger } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { ServedOwnerRow } from '../models/served-owner.js';
import type { RunnerSettings } from '../settings.js';
import { t } from '../texts/index.js';

const topic = 'actions-runner.changed';
const maxOwners = 50;
/** In place of the id of an owner: the jobs of every repository. */
export const everybody = 0;

export interface OwnRunnerState {
  /** Ids of the owners whose jobs it takes, or {@link everybody} alone; none: it does not run. */
  readonly serves: readonly number[];
  /** The settings of the server say so: no page changes it. */
  readonly isSetting: boolean;
  /** Jobs would run as root. */
  readonly isRefused: boolean;
}

export interface OwnRunnerDeps {
  readonly database: Database;
  readonly broker: Broker;
  readonly accounts: Accounts;
  readonly log: Pick<Logger, 'warn'>;
  readonly settings: Pick<RunnerSettings, 'ENABLED' | 'SERVES' | 'USER'>;
  readonly isRoot: boolean;
}

/**
 * Whether the server has a runner of its own: the settings say it, or an administrator has started it. It serves accounts
 * and not names: with an account its name goes to whoever asks for it first.
 */
export class OwnRunner {
  /** Accounts that the settings were found to mean, by lower-case names. */
  readonly #meant = new Map<string, number>();
  #missing = '';

  constructor(private readonly deps: OwnRunnerDeps) {}

  async state(): Promise<OwnRunnerState> {
    const { database, settings, isRoot } = this.deps;
    const isSetting = settings.ENABLED;
    if (isRoot && settings.USER === '') return { serves: [], isSetting, isRefused: true };
    if (isSetting) return { serves: await this.#ofSettings(), isSetting, isRefused: false };
    const rows = await database.query(ServedOwnerRow).orderBy('owner_id');
    return { serves: rows.map((row) => row.owner_id), isSetting, isRefused: false };
  }

  /** Names of those that are served, without {@link everybody}. */
  async namesOf({ serves }: OwnRunnerState): Promise<string[]> {
    const known = await this.deps.accounts.byIds(serves.filter((id) => id !== everybody));
    return [...known.values()].map(({ name }) => name).sort();
  }

  /** May jobs of this owner still be taken? */
  async knows(ownerId: number): Promise<boolean> {
    return ownerId === everybody || (await this.deps.accounts.byId(ownerId)) !== undefined;
  }

  /**
   * For the owners of these names, or for `everybody`, in place of those before. Invalid (422) where there is no such
   * owner, or none is named.
   */
  async start(names: readonly string[], options: { readonly everybody?: boolean } = {}): Promise<void> {
    await this.#check();
    const { database } = this.deps;
    const started_at = Date.now();
    await this.#change(async () => {
      const serves = options.everybody ? [everybody] : await this.#known(names);
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

  /** Hears of changes in any process; gives how to stop. */
  onChange(work: () => void): () => void {
    return this.deps.broker.subscribe(topic, work);
  }

  async #check(): Promise<void> {
    const { isSetting, isRefused } = await this.state();
    if (isSetting) throw Conflict(t.later('runner.bySettings'));
    if (isRefused) throw Conflict(t.later('runner.asRoot'));
  }

  async #known(names: readonly string[]): Promise<number[]> {
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
  async #ofSettings(): Promise<number[]> {
    const { accounts, log, settings } = this.deps;
    const names = settings.SERVES.map((name) => name.toLowerCase());
    if (names.includes('all')) return [everybody];
    const open = names.filter((name) => !this.#meant.has(name));
    if (open.length > 0) for (const [name, { id }] of await accounts.byNames(open)) this.#meant.set(name, id);
    const ids = [...new Set(names.map((name) => this.#meant.get(name) ?? everybody))].filter((id) => id !== everybody);
    const known = await accounts.byIds(ids);
    const missing = names.filter((name) => !known.has(this.#meant.get(name) ?? everybody)).join(', ');
    if (missing !== this.#missing && missing !== '')
      log.warn(`The runner does not serve those whom there is no account of: ${missing} ([actions.runner] SERVES)`);
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
