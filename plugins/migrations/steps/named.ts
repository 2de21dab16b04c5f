/** Labels and milestones, which issues name: by an id where the source has such, for names may repeat. */
import { cleanLine } from '../services/sanitize.js';
import type { WrittenItem } from '../services/progress-store.js';
import type { StepContext } from './step.js';

type NamedKind = 'label' | 'milestone';

/** Names have no line breaks: no id is taken for one. */
const idKey = (id: string): string => `\n${id}`;
/** Says that there are several of the name. */
const severalKey = (name: string): string => `\n\n${name}`;

/** What the source calls one; empty where it has no name. */
export function namedKey(id: unknown, name: string): string {
  const cleanId = cleanLine(id);
  return name && cleanId ? idKey(cleanId) : name;
}

interface WrittenName {
  readonly key: string;
  readonly name: string;
  readonly localId: number;
}

/** In the transaction that writes them: the first of a name is found by the name too. */
export async function recordNames(
  kind: NamedKind,
  written: readonly WrittenName[],
  { store, options }: Pick<StepContext, 'store' | 'options'>,
): Promise<WrittenItem[]> {
  const { id } = options.repository;
  const names = written.map(({ name }) => name);
  const known = await store.find(id, kind, [...names, ...names.map(severalKey)]);
  const keys = new Set(written.map(({ key }) => key));
  const seen = new Set<string>();
  const more = new Map<string, number>();
  for (const { name, localId } of written) {
    const isFirst = !known.has(name) && !seen.has(name);
    const key = isFirst ? name : severalKey(name);
    seen.add(name);
    if (!known.has(key) && !keys.has(key) && !more.has(key)) more.set(key, localId);
  }
  await store.record(
    id,
    [...more].map(([key, localId]) => ({ kind, key, localId })),
  );
  return written.filter(({ key }) => !known.has(key)).map(({ key, localId }) => ({ kind, key, localId }));
}

/** As an issue names one. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Finds what issues name; `isOneOfSeveral`: only the name says which, and there are others of it. */
export async function findNamed(
  kind: NamedKind,
  named: readonly Named[],
  { store, options }: Pick<StepContext, 'store' | 'options'>,
): Promise<(one: Named) => { readonly localId: number; readonly isOneOfSeveral: boolean } | undefined> {
  const keys = named.flatMap(({ id, name }) => [...(id ? [idKey(id)] : []), ...(name ? [name, severalKey(name)] : [])]);
  const found = await store.find(options.repository.id, kind, [...new Set(keys)]);
  return ({ id, name }) => {
    const byId = id ? found.get(idKey(id)) : undefined;
    if (byId !== undefined) return { localId: byId, isOneOfSeveral: false };
    const localId = name ? found.get(name) : undefined;
    return localId === undefined ? undefined : { localId, isOneOfSeveral: found.has(severalKey(name)) };
  };
}
