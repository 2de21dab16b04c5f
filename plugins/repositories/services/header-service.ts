import { createHash } from 'node:crypto';
import { type Actor, type Database, type QueryCache, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryButton, RepositoryContext, RepositoryTab } from '../api.js';
import { TransferRow } from '../models/transfer.js';
import type { AccessService } from './access.js';
import type { RepositoryFinder } from './repository-finder.js';
import type { TransferService } from './transfers.js';

/** What the header of a repository's pages shows beyond the record. */
export interface HeaderData {
  /** What the buttons need, by their keys. */
  readonly buttons: ReadonlyMap<string, unknown>;
  /** Name of the account that it is offered to. */
  readonly offeredTo: string;
  /** The viewer may accept or decline the offer. */
  readonly mayAnswer: boolean;
  /** The original, where the viewer may see it. */
  readonly original: Repository | undefined;
}
const nothing: HeaderData = {
  buttons: new Map(),
  offeredTo: '',
  mayAnswer: false,
  original: undefined,
};

/** Loads what the header shows when a page is asked for; layouts are rendered without waiting and look it up. */
export class HeaderService {
  readonly #data = new WeakMap<RepositoryContext, HeaderData>();
  readonly #counts = new WeakMap<RepositoryContext, ReadonlyMap<string, number>>();

  constructor(
    private readonly deps: {
      database: Database;
      accounts: Accounts;
      access: AccessService;
      finder: RepositoryFinder;
      transfers: TransferService;
      cached: QueryCache<HeaderData>;
      buttons: PointReader<RepositoryButton>;
      tabs: PointReader<RepositoryTab>;
    },
  ) {}

  of(context: RepositoryContext): HeaderData {
    return this.#data.get(context) ?? nothing;
  }

  /** What the tab of this key counts; 0: nothing, or nothing that is asked for. */
  countOf(context: RepositoryContext, key: string): number {
    return this.#counts.get(context)?.get(key) ?? 0;
  }

  async gather(context: RepositoryContext, actor: Actor): Promise<void> {
    await Promise.all([this.#loadData(context, actor), this.#count(context)]);
  }

  async #count(context: RepositoryContext): Promise<void> {
    const asked = this.deps.tabs.list().filter((tab) => tab.counted);
    if (asked.length === 0) return;
    const counts = await Promise.all(asked.map(async (tab) => [tab.key, await tab.counted!(context)] as const));
    this.#counts.set(context, new Map(counts));
  }

  async #loadData(context: RepositoryContext, actor: Actor): Promise<void> {
    const { repository } = context;
    if (actor.kind !== 'user' && !repository.forkOfId) return;
    // what the record says, and not which copy of it: whoever holds it for a change makes a new one of the same
    const record = createHash('sha256').update(JSON.stringify(repository)).digest('base64url').slice(0, 22);
    const key = `${actor.kind}:${actor.id}:${actor.isAdmin}:${actor.publicOnly}:${record}`;
    this.#data.set(context, await this.deps.cached.load(key, () => this.#load(context, actor)));
  }

  async #load(context: RepositoryContext, actor: Actor): Promise<HeaderData> {
    const { repository } = context;
    const { database, accounts, access, finder, transfers } = this.deps;
    const isUser = actor.kind === 'user';
    const asked = isUser ? this.deps.buttons.list().filter((button) => button.load) : [];
    const [loaded, transfer, original] = await Promise.all([
      Promise.all(asked.map(async (button) => [button.key, await button.load?.(context, actor)] as const)),
      isUser ? database.query(TransferRow).findOne('repository_id', repository.id) : undefined,
      repository.forkOfId ? finder.byId(repository.forkOfId) : undefined,
    ]);
    const recipient = transfer && (await accounts.byId(transfer.recipient_id));
    const visible = original && (await access.context(actor, original)).may('read');
    return {
      buttons: new Map(loaded),
      offeredTo: recipient?.name ?? '',
      mayAnswer: recipient !== undefined && (await transfers.mayTake(actor, recipient)),
      original: visible ? original : undefined,
    };
  }
}
