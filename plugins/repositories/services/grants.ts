import type { QueryBuilder } from 'objection';
import {
  holdsScope,
  type Actor,
  type QueryCache,
  type Model,
  type PointReader,
  type Site,
  type TokenCategory,
} from '@mortise/plugin-sdk';
import {
  accessRank,
  type AccessGrant,
  type AccessMode,
  type AccessRequirement,
  type AccessSource,
  type OwnedRepository,
  type Repository,
} from '../api.js';
import type { GrantedAccess, Grantee } from '../contract/access.js';
import { enabledUnit } from '../models/repository.js';

/** Categories of tokens that reach into private repositories; with the others alone, lists leave these out. */
const reaching: readonly TokenCategory[] = ['repository', 'issue', 'notification', 'package', 'admin'];

export const atLeast = (have: AccessMode, need: AccessMode) => accessRank[have] >= accessRank[need];
export const stronger = (one: AccessMode, other: AccessMode): AccessMode =>
  accessRank[one] > accessRank[other] ? one : other;

const none: AccessGrant = Object.freeze({ mode: 'none' });

/** What both give together: on each unit the stronger mode. */
function together(one: AccessGrant, other: AccessGrant): AccessGrant {
  const units: Record<string, AccessMode> = { ...one.units };
  for (const [key, mode] of Object.entries(other.units ?? {})) units[key] = stronger(units[key] ?? 'none', mode);
  return { mode: stronger(one.mode, other.mode), ...(Object.keys(units).length && { units }) };
}

/** All about an actor that sources may look at. */
const granteeKey = ({ kind, id, isRestricted, credentialId }: Grantee) =>
  kind === 'user' ? `${id}${isRestricted ? 'r' : ''}` : `${kind}:${credentialId ?? id}`;

const userGrantee = (id: number): Grantee => ({ kind: 'user', id, isRestricted: false });

/** What all sources together give, for records and as conditions of queries. */
export class Grants {
  readonly #byKind = new Map<string, readonly AccessSource[]>();

  constructor(
    private readonly sources: PointReader<AccessSource>,
    /** By `grantee/repository`. */
    private readonly known: QueryCache<AccessGrant>,
    private readonly requirements: PointReader<AccessRequirement>,
    private readonly site: Pick<Site, 'requiresSignIn'>,
  ) {}

  /** Sources stay as they are once all plugins have registered. */
  #sourcesFor({ kind }: Grantee): readonly AccessSource[] {
    let sources = this.#byKind.get(kind);
    if (!sources) {
      sources = this.sources.list().filter(({ actors = ['user'] }) => actors.includes(kind));
      this.#byKind.set(kind, sources);
    }
    return sources;
  }

  /** Has the actor nothing but what was given to it, in public repositories too? */
  isConfined(actor: Actor): boolean {
    return this.#sourcesFor(actor).some((source) => source.confines);
  }

  /** Where visitors see nothing, restricted accounts see what was given to them alone. */
  seesPublic({ kind, isRestricted, isAdmin }: Actor): boolean {
    return kind !== 'user' || !isRestricted || isAdmin || !this.site.requiresSignIn;
  }

  /** Lists show it what is open to all and no more: as its credential says, or for want of a scope that reaches further. */
  isPublicOnly(actor: Actor): boolean {
    return actor.publicOnly || (actor.kind === 'user' && !reaching.some((scope) => holdsScope(actor, scope, 'read')));
  }

  /** What the actor lacks before any repository is open to it. */
  async lacking(actor: Actor): Promise<AccessRequirement | undefined> {
    if (actor.kind !== 'user') return undefined;
    for (const requirement of this.requirements.list()) if (!(await requirement.isMet(actor))) return requirement;
    return undefined;
  }

  /** By the id of the repository. */
  async of(grantee: Grantee, repositories: readonly OwnedRepository[]): Promise<(id: number) => AccessGrant> {
    const sources = this.#sourcesFor(grantee);
    if (sources.length === 0 || repositories.length === 0) return () => none;
    const prefix = granteeKey(grantee);
    // Sources may look at whose it is and who sees it: that is no query of theirs, so it stands in the key.
    const keyOf = ({ repository: { id, ownerId, isPrivate, ownerVisibility } }: OwnedRepository) =>
      `${prefix}/${id}/${ownerId}/${isPrivate ? 'hidden' : ownerVisibility}`;
    const byKey = new Map(repositories.map((one) => [keyOf(one), one]));
    const keys = new Map([...byKey].map(([key, { repository }]) => [repository.id, key]));
    const loaded = await this.known.loadMany([...byKey.keys()], async (missing) => {
      const given = new Map<string, AccessGrant>(missing.map((key) => [key, none]));
      for (const source of sources) {
        const isOpen = (key: string) => !atLeast(given.get(key)!.mode, source.max ?? 'owner');
        const asked = missing.filter(isOpen).map((key) => byKey.get(key)!);
        if (asked.length === 0) continue;
        for (const [id, grant] of await source.grants(grantee, asked)) {
          const key = keys.get(id);
          if (key !== undefined) given.set(key, together(given.get(key) ?? none, grant));
        }
      }
      return given;
    });
    return (id) => loaded.get(keys.get(id) ?? '') ?? none;
  }

  /** What users have in one repository, by their ids. */
  async among(users: readonly Actor[], owned: OwnedRepository): Promise<Map<number, AccessGrant>> {
    const given = new Map<number, AccessGrant>();
    if (users.length === 0) return given;
    for (const source of this.#sourcesFor({ kind: 'user', id: 0, isRestricted: false })) {
      const found = source.grantsAmong
        ? await source.grantsAmong(users, owned)
        : await this.#oneByOne(source, users, owned);
      for (const [id, grant] of found) given.set(id, together(given.get(id) ?? none, grant));
    }
    return given;
  }

  async #oneByOne(source: AccessSource, users: readonly Actor[], owned: OwnedRepository) {
    const grantByUser = new Map<number, AccessGrant>();
    for (const one of users) {
      const grant = (await source.grants(one, [owned])).get(owned.repository.id);
      if (grant) grantByUser.set(one.id, grant);
    }
    return grantByUser;
  }

  /** Everybody to whom something is given in the repository, by id. */
  async granted(repository: Repository): Promise<Map<number, AccessGrant>> {
    const lists: (readonly GrantedAccess[])[] = await Promise.all(
      this.sources.list().map((source) => source.granted?.(repository) ?? []),
    );
    const all = new Map<number, AccessGrant>();
    for (const { userId, grant } of lists.flat()) all.set(userId, together(all.get(userId) ?? none, grant));
    return all;
  }

  /** Rows that an actor may see, or in which it may read one of the units, as a condition on `repository`. */
  visibleTo(actor: Actor, units?: readonly string[]) {
    return (builder: QueryBuilder<Model>): void => {
      if (units) void builder.where((either) => units.forEach((unit) => void either.orWhere(hasUnit(unit))));
      if (actor.kind === 'user')
        for (const requirement of this.requirements.list()) requirement.whereMet(actor, builder);
      const isPublicOnly = this.isPublicOnly(actor);
      if (isPublicOnly || actor.kind === 'anonymous') void builder.where(openToAll);
      if (actor.kind === 'anonymous' || (isPublicOnly && this.seesPublic(actor))) return;
      void builder.where('repository.is_ready', true);
      if (actor.kind === 'user' && actor.isAdmin) return;
      void builder.where((either) => {
        if (!this.isConfined(actor)) void either.where(openTo(actor, this.seesPublic(actor)));
        this.#orWhereGranted(actor, either, units);
        // Nothing gives anything: nothing is seen.
        void either.orWhereIn('repository.id', []);
      });
    };
  }

  /** Repositories of others that an account works on. */
  workedOnBy(userId: number) {
    return (builder: QueryBuilder<Model>): void => {
      const grantee = userGrantee(userId);
      void builder.whereNot('repository.owner_id', userId).where((either) => {
        void either.whereIn('repository.id', []);
        for (const source of this.#sourcesFor(grantee))
          if (source.orWhereWorkedOn) source.orWhereWorkedOn(userId, either);
          else source.orWhereGranted(grantee, either);
      });
    };
  }

  /** Repositories that an account owns, or in which something is given to it. */
  accessibleTo(userId: number) {
    return (builder: QueryBuilder<Model>): void => {
      void builder.where('repository.owner_id', userId);
      this.#orWhereGranted(userGrantee(userId), builder);
    };
  }

  #orWhereGranted(grantee: Grantee, either: QueryBuilder<Model>, units?: readonly string[]): void {
    for (const source of this.#sourcesFor(grantee)) source.orWhereGranted(grantee, either, units);
  }
}

/** Rows in which a unit is switched on. */
const hasUnit = (unit: string) => (builder: QueryBuilder<Model>) =>
  void builder.where('repository.units', 'like', `%${enabledUnit(unit)}%`);

/** Rows that everybody may see. */
export function openToAll(builder: QueryBuilder<Model>): void {
  void builder
    .where('repository.is_ready', true)
    .where('repository.is_private', false)
    .where('repository.owner_visibility', 'public');
}

/** Rows that the actor owns, or that are open to actors like it. */
function openTo(actor: Actor, seesPublic: boolean) {
  return (builder: QueryBuilder<Model>): void => {
    if (actor.kind === 'user') void builder.where('repository.owner_id', actor.id);
    if (!seesPublic) return;
    void builder.orWhere((open) => {
      void open.where('repository.is_private', false);
      // What is open to visitors is open to restricted accounts; what is open to members is not.
      if (actor.kind !== 'user' || actor.isRestricted) void open.where('repository.owner_visibility', 'public');
      else void open.whereNot('repository.owner_visibility', 'private');
    });
  };
}
