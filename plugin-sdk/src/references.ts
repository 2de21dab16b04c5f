/**
 * References are tiny values that name a service, an event, a job, a resource or an extension point and carry its
 * type. They are compared by `id`, so two installed copies of a contract still meet.
 */

declare const carried: unique symbol;

/** Why a reference should not be used any more. Plugins that use it are named in a warning at the start. */
interface Deprecation {
  /** Version of the plugin, or of the SDK, that deprecated it: `1.4.0`. */
  readonly since: string;
  /** What to use instead, as the end of a sentence: `stars.starsAndWatches`. */
  readonly use: string;
}

interface RefOptions {
  readonly deprecated?: Deprecation;
}

export interface ServiceRef<T> {
  readonly kind: 'service';
  readonly id: string;
  readonly deprecated?: Deprecation;
  readonly [carried]?: T;
}

/** Names a service: `defineService<Stars>('stars.stars')`. The plugin that provides it claims the id. */
export function defineService<T>(id: string, { deprecated }: RefOptions = {}): ServiceRef<T> {
  return Object.freeze({ kind: 'service' as const, id, ...(deprecated && { deprecated }) });
}

export interface EventRef<P> {
  readonly kind: 'event';
  readonly id: string;
  readonly deprecated?: Deprecation;
  readonly [carried]?: P;
}

/** Names an event in the past tense: `defineEvent<{ repositoryId: number }>('repositories.deleted')`. Payloads are JSON. */
export function defineEvent<P>(id: string, { deprecated }: RefOptions = {}): EventRef<P> {
  return Object.freeze({ kind: 'event' as const, id, ...(deprecated && { deprecated }) });
}

export interface JobRef<P> {
  readonly kind: 'job';
  readonly id: string;
  readonly deprecated?: Deprecation;
  readonly [carried]?: P;
}

/** Names a kind of background work: `defineJob<{ deliveryId: number }>('webhooks.deliver')`. Payloads are JSON. */
export function defineJob<P>(id: string, { deprecated }: RefOptions = {}): JobRef<P> {
  return Object.freeze({ kind: 'job' as const, id, ...(deprecated && { deprecated }) });
}

type PointShape = 'one' | 'many' | 'keyed';

/** By the name of a method: what it gives in place of an answer when it throws. Methods without one throw on. */
type Fallback<C> = {
  readonly [M in keyof C as NonNullable<C[M]> extends (...values: never[]) => unknown ? M : never]?: NonNullable<
    C[M]
  > extends (...values: never[]) => infer R
    ? Awaited<R>
    : never;
};

interface PointOptions<C> extends RefOptions {
  /**
   * For what a page or an answer can do without. A `render` that throws gives nothing and a `visible` is false
   * everywhere; whatever a decision hangs on must have no fallback.
   */
  readonly fallback?: Fallback<C>;
}

export interface PointRef<C, S extends PointShape = PointShape> {
  readonly kind: 'point';
  readonly shape: S;
  readonly id: string;
  readonly fallback?: Readonly<Record<string, unknown>>;
  readonly deprecated?: Deprecation;
  readonly [carried]?: C;
}

export interface Keyed {
  /** Unique among the contributions to the point; a second contribution with the same key stops the start. */
  readonly key: string;
}

/** Extension points: exactly one contribution, many, or many told apart by `key`. */
export const definePoint = {
  one: <C>(id: string, options?: PointOptions<C>): PointRef<C, 'one'> => pointOf('one', id, options),
  many: <C>(id: string, options?: PointOptions<C>): PointRef<C, 'many'> => pointOf('many', id, options),
  keyed: <C extends Keyed>(id: string, options?: PointOptions<C>): PointRef<C, 'keyed'> =>
    pointOf('keyed', id, options),
};

const pointOf = <C, S extends PointShape>(
  shape: S,
  id: string,
  { deprecated, fallback }: PointOptions<C> = {},
): PointRef<C, S> =>
  Object.freeze({
    kind: 'point' as const,
    shape,
    id,
    ...(deprecated && { deprecated }),
    ...(fallback && { fallback: fallback as Readonly<Record<string, unknown>> }),
  });

/** What other plugins put into a point. Complete from the moment any `onStart` runs. */
export interface PointReader<C> {
  /** All contributions, ordered by their `order` (default 100), then by plugin order. */
  list(): readonly C[];
  /** The contribution with that key (keyed points), or undefined. */
  get(key: string): C | undefined;
  /** The name of the plugin that contributed the value. */
  ownerOf(contribution: C): string | undefined;
}

/** A record of service references, as a plugin asks for them. */
export type Dependencies = Readonly<Record<string, ServiceRef<unknown>>>;

/** The same record, filled. */
export type Resolved<D extends Dependencies> = {
  readonly [K in keyof D]: D[K] extends ServiceRef<infer T> ? T : never;
};

export type AnyRef = ServiceRef<unknown> | EventRef<unknown> | JobRef<unknown> | PointRef<unknown>;
