import type { Actor, Database, MemoryCache } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryContext } from '../api.js';
import { StarRow, TransferRow, WatchRow } from '../models/others.js';
import type { AccessService } from './access.js';
import type { RepositoryFinder } from './find.js';

/** What the header of a repository's pages shows beyond the record. */
export interface HeaderFacts {
  readonly isStarred: boolean;
  readonly isWatched: boolean;
  /** Name of the account that it is offered to. */
  readonly offeredTo: string;
  /** The viewer may accept or decline the offer. */
  readonly mayAnswer: boolean;
  /** The original, where the viewer may see it. */
  readonly original: Repository | undefined;
}
const nothing: HeaderFacts = {
  isStarred: false,
  isWatched: false,
  offeredTo: '',
  mayAnswer: false,
  original: undefined,
};

/** Gathers these facts when a page is asked for; layouts are drawn without waiting and look them up. */
export class HeaderService {
  readonly #facts = new WeakMap<RepositoryContext, HeaderFacts>();

  constructor(
    private readonly parts: {
      database: Database;
      accounts: Accounts;
      access: AccessService;
      finder: RepositoryFinder;
      cached: MemoryCache<HeaderFacts>;
    },
  ) {}

  of(context: RepositoryContext): HeaderFacts {
    return this.#facts.get(context) ?? nothing;
  }

  async gather(context: RepositoryContext, actor: Actor): Promise<void> {
    const { repository } = context;
    if (actor.kind !== 'user' && !repository.forkOfId) return;
    const key = `${actor.kind}:${actor.id}:${actor.isAdmin}:${actor.publicOnly}:${repository.id}`;
    this.#facts.set(context, await this.parts.cached.load(key, () => this.#load(repository, actor)));
  }

  async #load(repository: Repository, actor: Actor): Promise<HeaderFacts> {
    const { database, accounts, access, finder } = this.parts;
    const own = { repository_id: repository.id, user_id: actor.id };
    const isUser = actor.kind === 'user';
    const [star, watch, transfer, original] = await Promise.all([
      isUser ? database.query(StarRow).findOne(own) : undefined,
      isUser ? database.query(WatchRow).findOne(own) : undefined,
      isUser ? database.query(TransferRow).findOne('repository_id', repository.id) : undefined,
      repository.forkOfId ? finder.byId(repository.forkOfId) : undefined,
    ]);
    const recipient = transfer && (await accounts.byId(transfer.recipient_id));
    const visible = original && (await access.context(actor, original)).may('read');
    return {
      isStarred: Boolean(star),
      isWatched: Boolean(watch),
      offeredTo: recipient?.name ?? '',
      mayAnswer: Boolean(transfer) && (transfer!.recipient_id === actor.id || actor.isAdmin),
      original: visible ? original : undefined,
    };
  }
}
