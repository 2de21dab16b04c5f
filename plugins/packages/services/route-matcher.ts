import type { PackageRoute } from '../api.js';

/** A route's path as a pattern over the undecoded segments of an address. */
interface Compiled {
  readonly route: PackageRoute;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

const quote = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

function compile(route: PackageRoute): Compiled {
  const names: string[] = [];
  let source = '';
  for (const segment of route.path.split('/').filter(Boolean)) {
    const whole = /^\{(\w+)([+*])\}(.*)$/.exec(segment);
    if (whole) {
      names.push(whole[1]!);
      source += whole[2] === '+' ? '/([^/]+?(?:/[^/]+?)*)' : '((?:/[^/]+)*)';
      source += quote(encodeSegment(whole[3]!));
      continue;
    }
    source += '/';
    for (const piece of segment.split(/(\{\w+\})/)) {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (name) names.push(name);
      source += name ? '([^/]+?)' : quote(encodeSegment(piece));
    }
  }
  return { route, names, pattern: new RegExp(`^${source || '/?'}$`) };
}

/** Plain text of a pattern as it stands in an address: only `%`, `/` and the like are encoded. */
const encodeSegment = (text: string) => text.replace(/[%?#]/g, encodeURIComponent);

interface Match {
  readonly route: PackageRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the route of a registry. Segments are decoded after matching, so that `%2f` stays inside one. */
export class RouteMatcher {
  private readonly compiled: readonly Compiled[];

  constructor(routes: readonly PackageRoute[]) {
    this.compiled = routes.map(compile);
  }

  /** `path`: what follows the format in the address, with a leading slash. Undefined: nothing there. */
  find(method: string, path: string): Match | { readonly allowed: readonly string[] } | undefined {
    const allowed = new Set<string>();
    for (const { route, pattern, names } of this.compiled) {
      const match = pattern.exec(path);
      if (!match) continue;
      if (route.method !== '*' && route.method !== method && !(method === 'HEAD' && route.method === 'GET')) {
        allowed.add(route.method);
        if (route.method === 'GET') allowed.add('HEAD');
        continue;
      }
      const params: Record<string, string> = {};
      for (const [at, name] of names.entries()) {
        const value = decode((match[at + 1] ?? '').replace(/^\//, ''));
        if (value === undefined) return undefined;
        params[name] = value;
      }
      return { route, params };
    }
    return allowed.size > 0 ? { allowed: [...allowed] } : undefined;
  }
}

function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}
