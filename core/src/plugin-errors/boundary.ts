import { Problem } from '@mortise/plugin-sdk';
import { isTransientError } from '../database/transient-error.js';
import { isStorageFailure, isStorageUnavailable } from '../storage/failures.js';

/** The plugin that an error was attributed to first. Errors travel; whoever was called when one was thrown made it. */
const pluginByError = new WeakMap<Error, string>();

/** A refusal is an answer, and an engine that is away or a full disk is nobody's mistake. */
export const isUnexpectedError = (error: unknown): boolean =>
  !Problem.is(error) &&
  (error as { isBoom?: unknown } | null)?.isBoom !== true &&
  (error as { name?: unknown } | null)?.name !== 'AbortError' &&
  !isStorageFailure(error) &&
  !isTransientError(error) &&
  !isStorageUnavailable(error);

/** Notes whose fault an error is; false where it was noted before. */
export function attributeError(error: unknown, plugin: string): boolean {
  if (!(error instanceof Error)) return true;
  if (pluginByError.has(error)) return false;
  pluginByError.set(error, plugin);
  return true;
}

export const attributedPlugin = (error: unknown): string | undefined =>
  error instanceof Error ? pluginByError.get(error) : undefined;

type AnyFunction = (...values: unknown[]) => unknown;
type Members = Record<PropertyKey, unknown>;

interface Boundary {
  /** What a method gives in place of what it could not; `in` it, not `undefined`, decides whether there is something. */
  readonly fallbacks: Readonly<Record<string, unknown>>;
  failed(error: unknown): void;
  /** Of what `render` gave, rendered later. */
  guardNode?(node: unknown): unknown;
}

const isClass = (value: AnyFunction): boolean => /^class\b/.test(Function.prototype.toString.call(value));

/**
 * The same object with a boundary around each of its methods: what one throws, at once or later, is told to the boundary,
 * and then it gives its fallback or, where there is none, throws on.
 */
export function guarded<T>(value: T, boundary: Boundary): T {
  if (typeof value !== 'object' || value === null || !hasMethods(value)) return value;
  const methods = new Map<PropertyKey, { readonly original: AnyFunction; readonly guard: AnyFunction }>();
  return new Proxy(value as Members, {
    get(target, name) {
      const member = Reflect.get(target, name, target);
      if (typeof member !== 'function' || name === 'constructor') return member;
      const known = methods.get(name);
      if (known?.original === member) return known.guard;
      const fixed = Reflect.getOwnPropertyDescriptor(target, name);
      if (fixed && !fixed.configurable && !fixed.writable) return member;
      if (isClass(member as AnyFunction)) return member;
      const guard = guardOf(target, String(name), member as AnyFunction, boundary);
      methods.set(name, { original: member as AnyFunction, guard });
      return guard;
    },
  }) as T;
}

function guardOf(target: Members, name: string, original: AnyFunction, boundary: Boundary): AnyFunction {
  const end = (error: unknown): unknown => {
    boundary.failed(error);
    if (!isUnexpectedError(error) || !Object.hasOwn(boundary.fallbacks, name)) throw error;
    return boundary.fallbacks[name];
  };
  const shown = (result: unknown) => (name === 'render' && boundary.guardNode ? boundary.guardNode(result) : result);
  return (...values) => {
    try {
      const result = original.apply(target, values);
      return result instanceof Promise ? result.then(shown).catch(end) : shown(result);
    } catch (error) {
      return end(error);
    }
  };
}

function hasMethods(value: object): boolean {
  for (let at: object | null = value; at && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
    if (Array.isArray(at) || at instanceof Map || at instanceof URL) return false;
    for (const name of Object.getOwnPropertyNames(at)) {
      const { value: member, get } = Object.getOwnPropertyDescriptor(at, name)!;
      if (name !== 'constructor' && (typeof member === 'function' || get)) return true;
    }
  }
  return false;
}
