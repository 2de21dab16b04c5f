import { isDeepStrictEqual } from 'node:util';
import { Invalid, isJsonObject, type Outbound } from '@mortise/plugin-sdk';
import type { ComparisonReport, KindComparison } from './comparison-report.js';

/** A server and a token of an administrator there. */
export interface ComparedSite {
  /** Root address: `https://git.example.com`. */
  readonly url: string;
  readonly token: string;
}

type Entry = Readonly<Record<string, unknown>>;

/** A list of the API, and the lists of each of its entries. */
interface ApiList {
  readonly kind: string;
  /** Below `/api/v1`, with what stands for the entry above. */
  path(entry: Entry): string;
  /** What an entry has in common on both servers. */
  readonly key: string;
  readonly below?: readonly ApiList[];
}

const ofRepository = (kind: string, path: string, key = 'id'): ApiList => ({
  kind,
  key,
  path: ({ full_name: name }) => `/repos/${String(name)}/${path}`,
});

const lists: readonly ApiList[] = [
  {
    kind: 'users',
    path: () => '/admin/users',
    key: 'id',
    below: [
      { kind: 'keys of users', path: ({ login }) => `/users/${String(login)}/keys`, key: 'id' },
      { kind: 'packages of users', path: ({ login }) => `/packages/${String(login)}`, key: 'id' },
    ],
  },
  {
    kind: 'organizations',
    path: () => '/orgs',
    key: 'id',
    below: [
      { kind: 'teams', path: ({ username }) => `/orgs/${String(username)}/teams`, key: 'id' },
      { kind: 'packages of organizations', path: ({ username }) => `/packages/${String(username)}`, key: 'id' },
    ],
  },
  {
    kind: 'repositories',
    path: () => '/repos/search',
    key: 'id',
    below: [
      ofRepository('branches', 'branches', 'name'),
      ofRepository('tags', 'tags', 'name'),
      ofRepository('labels', 'labels'),
      ofRepository('milestones', 'milestones?state=all'),
      ofRepository('issues', 'issues?state=all&type=issues'),
      ofRepository('pull requests', 'pulls?state=all'),
      ofRepository('comments', 'issues/comments'),
      ofRepository('releases', 'releases'),
      ofRepository('collaborators', 'collaborators'),
      ofRepository('deploy keys', 'keys'),
      ofRepository('webhooks', 'hooks'),
    ],
  },
];

const pageSize = 50;
/** Entries of one list that wait for their counterpart; more where the order differs. */
const maxWaiting = 5000;
/** What changes while nobody does anything, or is of the server and not of its data. */
const ignoredFields: ReadonlySet<string> = new Set([
  'avatar_url',
  'last_login',
  'size',
  'mirror_updated',
  'updated_at',
]);

/** Compares lists of both servers through their API, page by page. */
export class ApiComparison {
  constructor(private readonly outbound: Outbound) {}

  async compare(
    source: ComparedSite,
    target: ComparedSite,
    report: ComparisonReport,
    progress?: (line: string) => void,
  ): Promise<void> {
    for (const list of lists) {
      const comparisons = new Map<string, KindComparison>();
      for (const each of [list, ...(list.below ?? [])]) comparisons.set(each.kind, report.begin(`API: ${each.kind}`));
      for await (const entry of this.#compareList(source, target, list, {}, report, comparisons.get(list.kind)!))
        for (const below of list.below ?? []) {
          const entries = this.#compareList(source, target, below, entry, report, comparisons.get(below.kind)!);
          while (!(await entries.next()).done);
        }
      progress?.(`… ${comparisons.get(list.kind)!.compared} ${list.kind} through the API`);
    }
  }

  /** Gives the entries that both have. */
  async *#compareList(
    source: ComparedSite,
    target: ComparedSite,
    list: ApiList,
    above: Entry,
    report: ComparisonReport,
    comparison: KindComparison,
  ): AsyncGenerator<Entry> {
    const path = list.path(above);
    const waitingSource = new Map<string, Entry>();
    const waitingTarget = new Map<string, Entry>();
    const isComplete = { source: false, target: false };
    for (let page = 1; !isComplete.source || !isComplete.target; page++) {
      const [left, right] = await Promise.all([
        isComplete.source ? [] : this.#page(source, path, page),
        isComplete.target ? [] : this.#page(target, path, page),
      ]);
      if (typeof left === 'string') return report.explain(comparison, `the other server answers ${left}`);
      if (typeof right === 'string') return report.differ(comparison, `this site answers ${right}`, path);
      isComplete.source = left.length === 0;
      isComplete.target = right.length === 0;
      comparison.compared += left.length;
      for (const entry of left) waitingSource.set(String(entry[list.key]), entry);
      for (const entry of right) waitingTarget.set(String(entry[list.key]), entry);
      for (const [key, entry] of waitingSource) {
        const ours = waitingTarget.get(key);
        if (!ours) continue;
        waitingSource.delete(key);
        waitingTarget.delete(key);
        for (const field of differingFields(entry, ours, source.url, target.url))
          report.differ(comparison, `field ${field}`, `${path} ${key}`);
        yield entry;
      }
      if (waitingSource.size + waitingTarget.size > maxWaiting)
        return report.explain(comparison, 'both servers give it in too different an order to compare it');
    }
    for (const key of waitingSource.keys()) report.differ(comparison, 'missing here', `${path} ${key}`);
    for (const key of waitingTarget.keys()) report.differ(comparison, 'missing there', `${path} ${key}`);
  }

  /** The entries of a page; a text: why there are none. */
  async #page({ url, token }: ComparedSite, path: string, page: number): Promise<Entry[] | string> {
    const address = new URL(`${url.replace(/\/$/, '')}/api/v1${path}`);
    address.searchParams.set('page', String(page));
    address.searchParams.set('limit', String(pageSize));
    // the operator names both servers, which may be on this machine
    const answer = await this.outbound.fetch(address.href, {
      headers: { authorization: `token ${token}`, accept: 'application/json' },
      allowedHosts: '*',
    });
    if (answer.status === 401) throw Invalid(`${url} refuses the token.`);
    if (answer.status !== 200) return String(answer.status);
    const body: unknown = JSON.parse(answer.body.toString('utf8'));
    const entries = Array.isArray(body) ? body : isJsonObject(body) && Array.isArray(body.data) ? body.data : [];
    return entries.filter(isJsonObject);
  }
}

/** Names of fields of the other server that are not the same here. */
function differingFields(theirs: Entry, ours: Entry, source: string, target: string): string[] {
  return Object.keys(theirs).filter(
    (field) =>
      !ignoredFields.has(field) &&
      !isDeepStrictEqual(comparable(theirs[field], source), comparable(ours[field], target)),
  );
}

/** Without the address of the server, and without fields that are ignored; times to the second. */
function comparable(value: unknown, url: string): unknown {
  if (Array.isArray(value)) return value.map((each) => comparable(each, url));
  if (isJsonObject(value))
    return Object.fromEntries(
      Object.entries(value)
        .filter(([field]) => !ignoredFields.has(field))
        .map(([field, each]) => [field, comparable(each, url)]),
    );
  if (typeof value !== 'string') return value ?? null;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value)))
    return Math.floor(Date.parse(value) / 1000);
  return value.replaceAll(url.replace(/\/$/, ''), '');
}
