import type { ListedRepository } from '../contract/source.js';
import { isAtServerOf } from './options.js';

export interface OwnerList {
  /** To be imported: all at the server that the importer named. */
  readonly repositories: readonly ListedRepository[];
  /** Other servers that the source names: what lies there is left out. */
  readonly elsewhere: readonly string[];
  /** The name that the source has for itself, where it is another than the importer gave; empty: it has none. */
  readonly alias: string;
}

/**
 * What a source lists, at the server that the importer named, for which the credentials were given. A service behind a
 * proxy may know itself by another scheme or name: where it lists all its repositories at one such place, they are taken
 * from the server that was named. Some there and others elsewhere are what they say, and those elsewhere are left out.
 */
export function atNamedServer(listed: readonly ListedRepository[], address: string): OwnerList {
  const repositories = listed.filter((one) => isAtServerOf(one.address, address));
  const remote = listed.filter((one) => !repositories.includes(one));
  const elsewhere = [...new Set(remote.map(serverOf))];
  const [alias = ''] = elsewhere;
  if (repositories.length || elsewhere.length !== 1 || !/^https?:\/\//.test(alias))
    return {
      repositories: repositories,
      elsewhere: elsewhere.map((one) => one.replace(/^https?:\/\//, '')),
      alias: '',
    };
  const readdressed = remote.flatMap((one) => moveTo(one, address) ?? []);
  return readdressed.length === remote.length
    ? { repositories: readdressed, elsewhere: [], alias }
    : { repositories: [], elsewhere: [alias.replace(/^https?:\/\//, '')], alias: '' };
}

const serverOf = ({ address }: ListedRepository): string =>
  URL.canParse(address) && new URL(address).host ? new URL(address).origin : address.slice(0, 100);

/** Undefined where its address does not end with its name: then it says nothing of where it lies. */
function moveTo(one: ListedRepository, address: string): ListedRepository | undefined {
  const { pathname } = new URL(one.address);
  const path = `/${one.fullName.split('/').map(encodeURIComponent).join('/')}`;
  const isNamed = pathname
    .toLowerCase()
    .replace(/\.git$/, '')
    .endsWith(path.toLowerCase());
  if (!isNamed || !one.fullName.includes('/')) return undefined;
  const named = new URL(address);
  const owner = path.slice(0, path.lastIndexOf('/'));
  const below = named.pathname.replace(/\/+$/, '');
  const base = below.toLowerCase().endsWith(owner.toLowerCase()) ? below.slice(0, -owner.length) : '';
  return { ...one, address: `${named.origin}${base}${path}.git` };
}
