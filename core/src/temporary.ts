/* Stand-ins until the rooms are there. */
export function orStandIn<T>(make: () => T, standIn: object): T {
  try {
    return make();
  } catch (error) {
    if ((error as Error).message !== 'not built yet') throw error;
    return standIn as T;
  }
}
const memory = () => {
  const map = new Map<string, unknown>();
  return {
    get: (key: string) => map.get(key),
    set: (key: string, value: unknown) => void map.set(key, value),
    delete: (key: string) => void map.delete(key),
    clear: () => map.clear(),
    load: async (key: string, loader: () => Promise<unknown>) => {
      if (!map.has(key)) map.set(key, await loader());
      return map.get(key);
    },
  };
};
export const standInCache = {
  memory,
  fresh: () => ({ ...memory(), load: async (_key: string, loader: () => Promise<unknown>) => loader(), get: () => undefined }),
  shared: () => { const m = memory(); return { get: async (k: string) => m.get(k), set: async (k: string, v: unknown) => m.set(k, v), delete: async (k: string) => m.delete(k) }; },
  close: async () => {},
};
export const standInLocks = { hold: async (_name: string, work: () => Promise<unknown>) => work() };
export const standInOther = { check: async () => {}, fetch: async () => { throw new Error('no outbound yet'); }, area: () => new Proxy({}, { get: () => async () => { throw new Error('no storage yet'); } }) };
