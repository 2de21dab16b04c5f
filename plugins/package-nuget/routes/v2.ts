import { reply, type Reply } from '@mortise/plugin-sdk';
import type { PackageRequest, PackageRoute } from '@mortise/packages/api';
import type { Entry, Feed } from '../services/feed.js';
import { entryDocument, feedDocument, metadataDocument, serviceDocument, type FeedEntry } from '../services/v2.js';
import { isPrerelease } from '../services/versions.js';

const maxPage = 100;
const atom = (text: string): Reply => reply.bytes(Buffer.from(text), 'application/atom+xml; charset=utf-8');
const xml = (text: string): Reply => reply.bytes(Buffer.from(text), 'application/xml; charset=utf-8');

/** `'Acme''s'` is `Acme's`. */
const quoted = (text = ''): string =>
  text
    .trim()
    .replace(/^'([^]*)'$/, '$1')
    .replace(/''/g, "'");
const numberOf = (text: string | undefined, otherwise: number, max: number): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), max) : otherwise;
const isTrue = (text: string | undefined): boolean => /^'?true'?$/i.test(text ?? '');

/** The id that a filter names, as clients write it: `(tolower(Id) eq 'acme')`, `Id eq 'Acme'`. */
const filteredId = (filter = ''): string | undefined =>
  /(?:^|[\s(])(?:tolower\(\s*Id\s*\)|Id)\s+eq\s+'((?:[^']|'')*)'/i.exec(filter)?.[1]?.replace(/''/g, "'");

function marked(entries: readonly Entry[]): FeedEntry[] {
  const newest = entries.at(-1);
  const latest = [...entries].reverse().find(({ version }) => !isPrerelease(version.version));
  return entries.map((entry) => ({ ...entry, isLatest: entry === latest, isAbsoluteLatest: entry === newest }));
}

interface Answered {
  readonly entries: readonly FeedEntry[];
  readonly total: number;
  readonly skip: number;
}

const page = ({ query }: PackageRequest) => ({
  skip: numberOf(query.$skip, 0, 1_000_000),
  take: numberOf(query.$top, maxPage, maxPage),
});

const feedOf = (path: string, { entries, total, skip }: Answered, { baseUrl, query }: PackageRequest): Reply => {
  const after = skip + entries.length;
  const rest = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  rest.set('$skip', String(after));
  const next =
    entries.length > 0 && after < total && query.$top === undefined ? `${baseUrl}${path}?${rest}` : undefined;
  return atom(feedDocument(baseUrl, entries, total, next));
};

/** What these routes share. */
function v2Context(feed: Feed) {
  /** All versions of one package; who asks by the id of one that is not there gets an empty list. */
  const byId = async (request: PackageRequest, id: string): Promise<Answered> => {
    const { skip, take } = page(request);
    const all = await feed
      .need(request.owner, id)
      .then((package_) => feed.allOf(package_))
      .catch((error: unknown) => {
        if ((error as { code?: string }).code === 'not_found') return [];
        throw error;
      });
    const { $filter = '' } = request.query;
    const listed = marked(all).filter(
      (one) =>
        (!/IsLatestVersion/.test($filter) || one.isLatest) &&
        (!/IsAbsoluteLatestVersion/.test($filter) || one.isAbsoluteLatest),
    );
    return { entries: listed.slice(skip, skip + take), total: listed.length, skip };
  };
  const search = async (request: PackageRequest): Promise<Answered> => {
    const { query, owner } = request;
    const prerelease = isTrue(query.includePrerelease) || /IsAbsoluteLatestVersion/.test(query.$filter ?? '');
    const { total, found } = await feed.search(owner, {
      ...page(request),
      text: quoted(query.searchTerm) || undefined,
      prerelease,
      semver2: true,
    });
    const { skip } = page(request);
    return {
      entries: found.map(({ entry }) => ({
        ...entry,
        isLatest: !isPrerelease(entry.version.version),
        isAbsoluteLatest: true,
      })),
      total,
      skip,
    };
  };
  const packages = (request: PackageRequest) => {
    const id = filteredId(request.query.$filter);
    return id === undefined ? search(request) : byId(request, id);
  };
  const lists: readonly (readonly [string, string, (request: PackageRequest) => Promise<Answered>])[] = [
    ['Packages', 'All packages', packages],
    ['Search', 'Search packages', search],
    ['FindPackagesById', 'Versions of a package', (request) => byId(request, quoted(request.query.id))],
  ];
  const counted = ['()', ''].flatMap((brackets) =>
    lists.flatMap(([name, summary, list]): PackageRoute[] => [
      {
        method: 'GET',
        path: `/${name}${brackets}/$count`,
        needs: 'read',
        id: `nugetCount${name}${brackets ? '' : 'Plain'}`,
        summary: `${summary}: how many`,
        handler: async (request) => reply.text(String((await list(request)).total)),
      },
      {
        method: 'GET',
        path: `/${name}${brackets}`,
        needs: 'read',
        id: `nugetGet${name}${brackets ? '' : 'Plain'}`,
        summary,
        handler: async (request) => feedOf(`/${name}${brackets}`, await list(request), request),
      },
    ]),
  );
  return { feed, counted };
}

type V2RouteContext = ReturnType<typeof v2Context>;

const nugetServiceDocument = (): PackageRoute => ({
  method: 'GET',
  path: '/',
  needs: 'open',
  id: 'nugetServiceDocument',
  summary: 'What the feed of version 2 has',
  handler: ({ baseUrl }) => xml(serviceDocument(baseUrl)),
});

const nugetMetadata = (): PackageRoute => ({
  method: 'GET',
  path: '/$metadata',
  needs: 'open',
  id: 'nugetMetadata',
  handler: () => xml(metadataDocument()),
});

const nugetGetEntry = ({ feed }: V2RouteContext): PackageRoute => ({
  method: 'GET',
  path: '/Packages(Id={id},Version={version})',
  needs: 'read',
  id: 'nugetGetEntry',
  summary: 'A version of a package, for the feed of version 2',
  handler: async ({ owner, params, baseUrl }) => {
    const entry = await feed.entry(owner, quoted(params.id), quoted(params.version));
    const [one] = marked([entry]);
    return atom(entryDocument(baseUrl, one!));
  },
});

/** The feed of version 2, which older clients read (reference: 10.5). */
export function v2Routes(feed: Feed): readonly PackageRoute[] {
  const context = v2Context(feed);
  const { counted } = context;
  return [nugetServiceDocument(), nugetMetadata(), nugetGetEntry(context), ...counted];
}
