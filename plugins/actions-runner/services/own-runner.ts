import { Conflict, Invalid, type Broker, type Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { OwnRunnerRow } from '../models/own-runner.js';
import type { RunnerSettings } from '../settings.js';
import { t } from '../texts/index.js';

const topic = 'actions-runner.changed';
const onlyRow = 1;
const maxNames = 50;

export interface OwnRunnerState {
  /** Whose jobs it takes; nobody's: it does not run. */
  readonly serves: readonly string[];
  /** The settings of the server say so: no page changes it. */
  readonly isSetting: boolean;
  /** Jobs would run as root. */
  readonly isRefused: boolean;
}

export interface OwnRunnerParts {
  readonly database: Database;
  readonly broker: Broker;
  readonly accounts: Accounts;
  readonly settings: Pick<RunnerSettings, 'ENABLED' | 'SERVES' | 'USER'>;
  readonly isRoot: boolean;
}

/** Whether the server has a runner of its own: the settings say it, or an administrator has started it. */
export class OwnRunner {
  constructor(private readonly parts: OwnRunnerParts) {}

  async state(): Promise<OwnRunnerState> {
    const { database, settings, isRoot } = this.parts;
    const isRefused = isRoot && settings.USER === '';
    if (settings.ENABLED) return { serves: isRefused ? [] : settings.SERVES, isSetting: true, isRefused };
    const row = await database.query(OwnRunnerRow).findById(onlyRow);
    return { serves: isRefused ? [] : (row?.serves ?? []), isSetting: false, isRefused };
  }

  /** For these owners, in place of those before. Invalid (422) where there is no such owner, or none is named. */
  async start(names: readonly string[]): Promise<void> {
    await this.#check();
    const serves = await this.#known(names);
    const { database } = this.parts;
    await this.#change(async () => {
      await database.query(OwnRunnerRow).deleteById(onlyRow);
      await database.query(OwnRunnerRow).insert({ id: onlyRow, serves, started_at: Date.now() });
    });
  }

  /** Jobs that run end as cancelled. */
  async stop(): Promise<void> {
    await this.#check();
    await this.#change(async () => {
      await this.parts.database.query(OwnRunnerRow).deleteById(onlyRow);
    });
  }

  /** Hears of changes in any process; gives how to stop. */
  onChange(work: () => void): () => void {
    return this.parts.broker.subscribe(topic, work);
  }

  async #check(): Promise<void> {
    const { isSetting, isRefused } = await this.state();
    if (isSetting) throw Conflict(t.later('runner.bySettings'));
    if (isRefused) throw Conflict(t.later('runner.asRoot'));
  }

  async #known(names: readonly string[]): Promise<string[]> {
    const refused = (text: ReturnType<typeof t.later>) => Invalid(text, { inputs: { serves: text } });
    if (names.length === 0) throw refused(t.later('runner.nobody'));
    if (names.length > maxNames) throw refused(t.later('runner.tooMany', { count: maxNames }));
    if (names.includes('all')) return ['all'];
    const known = await this.parts.accounts.byNames(names);
    return names.map((name) => {
      const account = known.get(name) ?? known.get(name.toLowerCase());
      if (!account) throw refused(t.later('runner.unknown', { name }));
      return account.name;
    });
  }

  async #change(work: () => Promise<void>): Promise<void> {
    const { database, broker } = this.parts;
    await database.write(async () => {
      await work();
      database.afterCommit(() => broker.publish(topic, null));
    });
  }
}
