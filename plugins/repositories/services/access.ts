import {
  Forbidden,
  Locked,
  NotFound,
  Problem,
  Unauthorized,
  reply,
  type Actor,
  type Database,
  type FreshCache,
  type Reply,
  type Site,
  type ResourceRequest,
  type ResourceResolver,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import {
  accessRank,
  repositoryResource,
  type AccessMode,
  type Repository,
  type RepositoryAccess,
  type RepositoryContext,
} from '../api.js';
import { mustBeOpen } from '../contract/blocks.js';
import { CollaboratorRow, RedirectRow, TransferRow } from '../models/others.js';
import { RepositoryRow } from '../models/repository.js';
import type { RepositoryFinder } from './find.js';
import type { HeaderService } from './header.js';
import { t } from '../texts/index.js';
import type { Units } from './units.js';

type Opening = {
  actor: Actor;
  owner: string;
  name: string;
  unit?: string | readonly string[];
  mode?: 'read' | 'write' | 'admin' | 'owner';
};

const atLeast = (have: AccessMode, need: AccessMode) => accessRank[have] >= accessRank[need];
const stronger = (one: AccessMode, other: AccessMode): AccessMode =>
  accessRank[one] > accessRank[other] ? one : other;
const weaker = (one: AccessMode, other: AccessMode): AccessMode => (accessRank[one] <= accessRank[other] ? one : other);

/** Who may do what with a repository: the one place that decides. */
export class AccessService implements RepositoryAccess {
  constructor(
    private readonly parts: {
      database: Database;
      accounts: Accounts;
      finder: RepositoryFinder;
      units: Units;
      /** What was given to an account, by `account/repository`. */
      modes: FreshCache<AccessMode>;
      /** Who is to have a repository that waits to be handed over. */
      transfers: FreshCache<Handover | undefined>;
    },
  ) {}

  async context(actor: Actor, repository: Repository): Promise<RepositoryContext> {
    const owner = await this.parts.accounts.byId(repository.ownerId);
    if (!owner) throw NotFound('repository');
    const { units } = this.parts;
    if (actor.kind === 'deploy-key') return keyContext(actor, repository, owner, units);
    return makeContext(repository, owner, await this.#mode(actor, repository, owner), units);
  }

  async contexts(actor: Actor, repositories: readonly Repository[]): Promise<Map<number, RepositoryContext>> {
    const { units } = this.parts;
    const owners = await this.parts.accounts.byIds(repositories.map((one) => one.ownerId));
    const known = repositories.flatMap((repository) => {
      const owner = owners.get(repository.ownerId);
      return owner ? [{ repository, owner, open: openMode(actor, repository, owner) }] : [];
    });
    if (actor.kind === 'deploy-key')
      return new Map(
        known.map(({ repository, owner }) => [repository.id, keyContext(actor, repository, owner, units)]),
      );
    const asked = known.flatMap(({ repository, open }) => (open.isFinal ? [] : [repository.id]));
    // Records show transfers too, so that those of all are asked for at once.
    const given = asked.length ? await this.#given(actor, asked, repositories) : new Map<number, AccessMode>();
    return new Map(
      known.map(({ repository, owner, open }) => {
        const mode = stronger(given.get(repository.id) ?? 'none', open.mode);
        return [repository.id, makeContext(repository, owner, mode, units)];
      }),
    );
  }

  /** Transfers that wait, by repository. */
  async transfers(repositoryIds: readonly number[]): Promise<Map<number, Handover>> {
    const found = await this.parts.transfers.loadMany(repositoryIds, async (missing) => {
      const rows = await this.parts.database.query(TransferRow).whereIn('repository_id', [...missing]);
      const byId = new Map(
        rows.map((row) => [row.repository_id, { doerId: row.doer_id, recipientId: row.recipient_id }]),
      );
      return new Map(missing.map((id) => [id, byId.get(id)]));
    });
    return new Map([...found].flatMap(([id, transfer]) => (transfer ? [[id, transfer] as const] : [])));
  }

  async open(opening: Opening): Promise<RepositoryContext> {
    const repository = await this.parts.finder.byPath(opening.owner, opening.name);
    if (!repository) throw NotFound('repository');
    const context = await this.context(opening.actor, repository);
    authorize(context, opening, this.parts.units);
    return context;
  }

  /** What is the account's own, such as its stars, is closed to a public-only token of a hidden account. */
  async checkOwn(actor: Actor): Promise<void> {
    if (actor.publicOnly) mustBeOpen(actor, await this.parts.accounts.byId(actor.id));
  }

  /** A renamed repository answers 301, a renamed owner 307 (GEN-06). */
  async ownerExists(owner: string): Promise<boolean> {
    return (await this.parts.accounts.byName(owner)) !== undefined;
  }

  async renamedTo(owner: string, name: string): Promise<string | undefined> {
    const account = await this.parts.accounts.byName(owner);
    const ownerName = account ? undefined : await this.parts.accounts.renamedTo(owner);
    const present = account ?? (ownerName ? await this.parts.accounts.byName(ownerName) : undefined);
    if (!present) return undefined;
    const row = await this.parts.database
      .query(RedirectRow)
      .findOne({ owner_id: present.id, lower_name: name.toLowerCase() });
    const moved = row ? await this.parts.finder.byId(row.repository_id) : undefined;
    if (moved) return `${moved.ownerName}/${moved.name}`;
    const there = account ? undefined : await this.parts.finder.byPath(present.name, name);
    return there ? `${there.ownerName}/${there.name}` : undefined;
  }

  /** The actor's mode before units are looked at. */
  async #mode(actor: Actor, repository: Repository, owner: Account): Promise<AccessMode> {
    const { mode, isFinal } = openMode(actor, repository, owner);
    if (isFinal) return mode;
    const given = await this.#given(actor, [repository.id], [repository]);
    return stronger(given.get(repository.id)!, mode);
  }

  /** What was given to the account in particular in the repositories of `ids`, all of which are among `others`. */
  async #given(
    actor: Actor,
    ids: readonly number[],
    others: readonly Repository[],
  ): Promise<ReadonlyMap<number, AccessMode>> {
    const keyOf = (id: number) => `${actor.id}/${id}`;
    const modes = await this.parts.modes.loadMany(ids.map(keyOf), async (missing) => {
      const wanted = missing.map((key) => Number(key.slice(key.indexOf('/') + 1)));
      const rows = await this.parts.database
        .query(CollaboratorRow)
        .where('user_id', actor.id)
        .whereIn('repository_id', wanted);
      const found = new Map(rows.map((row) => [row.repository_id, row.mode]));
      return new Map(wanted.map((id) => [keyOf(id), found.get(id) ?? 'none']));
    });
    const isGiven = ids.every((id) => modes.get(keyOf(id)) !== 'none');
    const transfers = isGiven ? undefined : await this.transfers(others.map((one) => one.id));
    return new Map(
      ids.map((id) => {
        const mode = modes.get(keyOf(id)) ?? 'none';
        // To whom it is offered may look before it answers.
        return [id, mode === 'none' && transfers?.get(id)?.recipientId === actor.id ? 'read' : mode];
      }),
    );
  }
}

/** A repository that waits to be handed over. */
export interface Handover {
  readonly doerId: number;
  readonly recipientId: number;
}

/** The mode without what was given to the actor in particular; final: that would not change it. */
function openMode(actor: Actor, repository: Repository, owner: Account): { mode: AccessMode; isFinal: boolean } {
  const final = (mode: AccessMode) => ({ mode, isFinal: true });
  const isPublic = !repository.isPrivate && owner.visibility === 'public';
  if (actor.publicOnly && !isPublic) return final('none');
  if (actor.kind !== 'user') return final(isPublic ? 'read' : 'none');
  if (actor.isAdmin || actor.id === owner.id) return final('owner');
  // What is open to visitors is open to restricted accounts; what is open to members is not.
  const isOpen = actor.isRestricted ? isPublic : !repository.isPrivate && owner.visibility !== 'private';
  return { mode: isOpen ? 'read' : 'none', isFinal: false };
}

function makeContext(repository: Repository, owner: Account, mode: AccessMode, units: Units): RepositoryContext {
  const modeOf = (key: string): AccessMode => {
    const unit = repository.units.find((candidate) => candidate.key === key);
    return unit?.enabled && !units.get(key)?.isElsewhere?.(unit.config) ? mode : 'none';
  };
  return {
    repository,
    owner,
    mode,
    modeOf,
    may: (needed, unit) => atLeast(unit ? modeOf(unit) : mode, needed),
  };
}

const keyOf = (actor: Actor) =>
  actor.extra?.repositories as { readonly repositoryId: number; readonly readOnly: boolean } | undefined;

/** A deploy key opens the code of its own repository and nothing else, public repositories of others included. */
function keyContext(actor: Actor, repository: Repository, owner: Account, units: Units): RepositoryContext {
  const key = keyOf(actor);
  const given: AccessMode = key?.repositoryId !== repository.id ? 'none' : key.readOnly ? 'read' : 'write';
  const context = makeContext(repository, owner, given, units);
  const modeOf = (unit: string): AccessMode => (unit === 'code' ? context.modeOf(unit) : 'none');
  // Without a unit the question is about the record of the repository: that much a key may read.
  const may = (needed: AccessMode, unit?: string) => atLeast(unit ? modeOf(unit) : weaker(given, 'read'), needed);
  return { ...context, modeOf, may };
}

/** Throws what the actor is to be told: 404 for what it may not see, 403 for what it may not do, 423 when archived. */
function authorize(context: RepositoryContext, { actor, unit, mode = 'read' }: Opening, known: Units): void {
  if (context.mode === 'none') throw NotFound('repository');
  const units = unit === undefined ? [] : typeof unit === 'string' ? [unit] : unit;
  if (units.length && !units.some((key) => context.may('read', key))) {
    // What is switched off is refused; some units are then not there at all.
    if (units.some((key) => known.get(key)?.isHidden)) throw NotFound('repository');
    throw Forbidden(t.later('error.unreadable', { units: units.join(', ') }));
  }
  const may = units.length ? units.some((key) => context.may(mode, key)) : context.may(mode);
  if (!may) {
    if (actor.kind === 'anonymous') throw Unauthorized();
    throw Forbidden(t.later('error.needs', { mode }));
  }
  if (mode === 'write' && context.repository.isArchived) throw Locked(t.later('error.archived'));
}

/** Resolves `{owner}` and `{repo}` of routes. */
export class RepositoryResolver implements ResourceResolver<RepositoryContext> {
  readonly key = repositoryResource.id;
  readonly beforeSignIn = true;

  constructor(
    private readonly access: AccessService,
    private readonly site: Site,
    private readonly header: HeaderService,
  ) {}

  async resolve({ actor, params, access, url, surface }: ResourceRequest): Promise<RepositoryContext | Reply> {
    const { owner = '', repo = '' } = params;
    if (Array.isArray(access.scope) && access.scope.includes('user')) await this.access.checkOwn(actor);
    try {
      const context = await this.access.open({ actor, owner, name: repo, unit: access.unit, mode: access.mode });
      if (surface === 'page') await this.header.gather(context, actor);
      return context;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      // For files that are read by their address, code that is switched off is not there.
      if (surface === 'protocol' && error.code === 'forbidden' && access.unit === 'code' && !access.mode)
        throw NotFound('repository');
      if (error.code !== 'not_found') throw error;
      if (surface === 'protocol' && actor.publicOnly) await this.#tellScope(actor, owner, repo);
      const moved = await this.access.renamedTo(owner, repo);
      if (!moved || moved.toLowerCase() === `${owner}/${repo}`.toLowerCase()) throw error;
      const [newOwner = '', newName = ''] = moved.split('/');
      // What the actor may not see is not told by a redirect either.
      await this.access.open({ actor, owner: newOwner, name: newName, unit: access.unit });
      return reply.redirect(
        this.site.path(movedPath(url, owner, repo, moved)),
        (await this.access.ownerExists(owner)) ? 301 : 307,
      );
    }
  }

  /** Who could see the repository with another token is told that it is the token. */
  async #tellScope(actor: Actor, owner: string, name: string): Promise<void> {
    const seen = await this.access.open({ actor: { ...actor, publicOnly: false }, owner, name }).catch(() => undefined);
    if (seen) throw Forbidden(t.later('error.publicToken'));
  }
}

/** The same address below the new `owner/name`. */
function movedPath(url: string, owner: string, name: string, moved: string): string {
  const [path = '', query] = url.split(/\?(.*)/s);
  const segments = path.split('/');
  const same = (segment: string | undefined, word: string) =>
    segment !== undefined && decode(segment).toLowerCase() === word.toLowerCase();
  for (let at = 1; at < segments.length - 1; at++) {
    if (same(segments[at], owner) && same(segments[at + 1], name)) {
      segments.splice(at, 2, ...moved.split('/').map(encodeURIComponent));
      break;
    }
  }
  return query === undefined ? segments.join('/') : `${segments.join('/')}?${query}`;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Rows that an actor may see, as a condition on `repository`. */
export function visibleTo(actor: Actor) {
  return (builder: import('objection').QueryBuilder<RepositoryRow>): void => {
    void builder.where('repository.is_ready', true);
    if (actor.kind === 'deploy-key') {
      void builder.where('repository.id', keyOf(actor)?.repositoryId ?? 0);
      return;
    }
    if (actor.publicOnly || actor.kind !== 'user') {
      void builder.where('repository.is_private', false).where('repository.owner_visibility', 'public');
      return;
    }
    if (actor.isAdmin) return;
    void builder.where((either) => {
      void either.where('repository.owner_id', actor.id);
      void either.orWhere((open) => {
        void open.where('repository.is_private', false);
        if (actor.isRestricted) void open.where('repository.owner_visibility', 'public');
        else void open.whereNot('repository.owner_visibility', 'private');
      });
      void either.orWhereIn(
        'repository.id',
        CollaboratorRow.query().select('repository_id').where('user_id', actor.id),
      );
    });
  };
}
