/** Lists, fetches and pushes references of other servers; see the contract. */
import { Conflict, NotFound, type Outbound, type Problem } from '@mortise/plugin-sdk';
import {
  isZeroOid,
  remoteFailureOf,
  zeroOid,
  type GitReader,
  type GitRemotes,
  type RefUpdate,
  type RefUpdates,
  type RemoteAddress,
  type RemoteFetched,
  type RemotePush,
  type RemotePushed,
  type RepositoryKind,
} from '../api.js';
import type { RemoteFetch, RemoteOptions, RemoteProtocol, RemoteRefs } from '../contract/remotes.js';
import type { GitRunner } from './git-runner.js';
import { parseRemoteAddress, type RemoteHosts } from './remote-address.js';
import { planFetch, takeObjects, type FetchPlan } from './remote-fetch.js';
import { pushChanges } from './remote-push.js';
import { RemoteSession, urlPlace } from './remote-session.js';
import { objectFormatOf, type FolderStore } from './store.js';
import { t } from '../texts/index.js';

interface RemotesDeps {
  readonly runner: GitRunner;
  readonly store: FolderStore;
  readonly reader: GitReader;
  readonly gate: RefUpdates;
  readonly outbound: Outbound;
  readonly hosts: RemoteHosts;
  readonly maxBytes: number;
  readonly skipTlsVerify: boolean;
}

const maxListBytes = 64 * 1024 * 1024;
/** References of both sides may move while we look. */
const maxAttempts = 3;
const isBranchOrTag = (ref: string): boolean => /^refs\/(?:heads|tags)\//.test(ref);

export class Remotes implements GitRemotes {
  constructor(private readonly deps: RemotesDeps) {}

  parse(address: string, protocols?: readonly RemoteProtocol[]): RemoteAddress {
    return parseRemoteAddress(address, protocols);
  }

  check({ host }: RemoteAddress): void {
    this.deps.hosts.allowedFor(host);
  }

  allowedHosts(host: string): string {
    return this.deps.hosts.allowedFor(host);
  }

  list(address: RemoteAddress, options: RemoteOptions = {}): Promise<RemoteRefs> {
    const { timeoutMs = this.deps.runner.limits.readMs, maxBytes = maxListBytes } = options;
    return RemoteSession.run(this.#session, address, options, { timeoutMs, maxBytes }, (session) => session.list());
  }

  fetch(repositoryId: number, address: RemoteAddress, options: RemoteFetch): Promise<RemoteFetched> {
    return this.session(address, options, async (session) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#fetchOnce(session, repositoryId, options, attempt === maxAttempts);
        } catch (error) {
          if (!isMoved(error) || attempt === maxAttempts) throw error;
        }
      }
    });
  }

  push(repositoryId: number, address: RemoteAddress, options: RemotePush = {}): Promise<RemotePushed> {
    const { accepts = isBranchOrTag, prunes = () => false, leavesOut, kind = 'code' } = options;
    return this.session(address, options, async (session) => {
      const theirs = await this.#refsThere(session, kind);
      // one that was deleted meanwhile has no references, which is no reason to delete those of the other side
      if (!(await this.deps.store.exists(repositoryId, kind))) throw NotFound('repository');
      const ours = (await this.#refsOf(repositoryId, kind)).filter(({ ref }) => accepts(ref));
      const changes: RefUpdate[] = [];
      for (const change of changesBetween(theirs, ours, prunes)) if (!(await leavesOut?.(change))) changes.push(change);
      const folder = this.deps.store.path(repositoryId, kind);
      if (changes.length) await options.beforePush?.(changes);
      // without changes it shows whether a push would be taken: anybody may list what is public
      const same = ours.slice(0, 1).map(({ ref, oid }) => ({ ref, old: oid, new: oid }));
      const isTrial = changes.length === 0;
      const answers = await pushChanges(session, folder, isTrial ? same : changes, { isTrial });
      const updates = changes.length ? answers.updates : [];
      return { ...answers, updates, ...(await session.knownHosts()) };
    });
  }

  get #session() {
    const { runner, outbound, hosts, skipTlsVerify, store } = this.deps;
    return { runner, outbound, hosts, skipTlsVerify, temporary: store.temporary };
  }

  /** Work that moves objects, in a session of its own. */
  session<T>(address: RemoteAddress, options: RemoteOptions, work: (session: RemoteSession) => Promise<T>): Promise<T> {
    const { timeoutMs = this.deps.runner.limits.cloneMs, maxBytes = this.deps.maxBytes } = options;
    return RemoteSession.run(this.#session, address, options, { timeoutMs, maxBytes }, work);
  }

  async #fetchOnce(
    session: RemoteSession,
    repositoryId: number,
    options: RemoteFetch,
    isLast: boolean,
  ): Promise<RemoteFetched> {
    const { kind = 'code', pusher, facts, within } = options;
    const remote = await session.list();
    const ours = await this.#refsOf(repositoryId, kind);
    const plan = planFetch(remote.refs, ours, { target: options.target, prunes: options.prunes });
    const updates = await this.#bringObjects(session, repositoryId, kind, plan);
    // with references that did not move then, these were never together
    const listed = new Map(plan.updates.map((update) => [update.ref, update.new]));
    if (!isLast && updates.some((update) => update.new !== listed.get(update.ref)))
      throw Conflict(t.later('error.remote.moved'));
    const result = { ...remote, updates, leftOut: plan.leftOut };
    if (!updates.length) return result;
    await options.beforeMove?.(updates);
    // deleted meanwhile: nothing comes back
    if (!(await this.deps.store.exists(repositoryId, kind))) throw NotFound('repository');
    await this.#chooseHead(repositoryId, kind, remote.head, updates);
    await this.deps.gate.apply({
      repositoryId,
      kind,
      updates,
      pusher,
      source: 'mirror',
      skipChecks: true,
      hasCheckedObjects: true,
      mustExist: true,
      ...(facts && { facts }),
      ...(within && { within: () => within(updates) }),
    });
    return result;
  }

  /** The updates as what has come allows them: a reference may have moved since it was listed. */
  async #bringObjects(session: RemoteSession, id: number, kind: RepositoryKind, plan: FetchPlan): Promise<RefUpdate[]> {
    const gone = plan.updates.filter((update) => isZeroOid(update.new));
    const wanted = plan.updates.filter((update) => !isZeroOid(update.new));
    if (!wanted.length) return gone;
    const { store, runner } = this.deps;
    const target = store.path(id, kind);
    const folder = await store.borrowing(target, await objectFormatOf(target));
    try {
      const specs = fetchSpecs(plan, wanted);
      await session.git(
        folder,
        ['fetch', '--progress', '--no-tags', '--no-write-fetch-head', '--stdin', '--end-of-options', urlPlace],
        {
          input: specs,
        },
      );
      const output = await runner.text(['for-each-ref', '--format=%(objectname) %(refname)', 'refs/fetched/'], {
        cwd: folder,
      });
      const come = new Map(
        output.split('\n').map((line) => line.split(' refs/fetched/').reverse() as [string, string]),
      );
      await store.writing(id, kind, () => takeObjects(folder, target));
      return [...gone, ...wanted.map((update, index) => ({ ...update, new: come.get(String(index)) ?? update.new }))];
    } finally {
      await store.discard(folder);
    }
  }

  /** A repository that is not there yet may be made by the push, where the other server does so. */
  async #refsThere(session: RemoteSession, kind: RepositoryKind): Promise<RemoteRefs['refs']> {
    try {
      return (await session.list()).refs;
    } catch (error) {
      if (kind === 'code' && remoteFailureOf(error) === 'notFound') return [];
      throw error;
    }
  }

  async #refsOf(id: number, kind: RepositoryKind) {
    return (await this.deps.store.exists(id, kind)) ? this.deps.reader.open(id, kind).refs() : [];
  }

  /** A repository without branches takes over which of them is the default one. */
  async #chooseHead(id: number, kind: RepositoryKind, head: string | undefined, updates: readonly RefUpdate[]) {
    const comes = updates.some(({ ref, new: next }) => ref === `refs/heads/${head}` && !isZeroOid(next));
    if (head && comes && (await this.deps.reader.open(id, kind).isEmpty()))
      await this.deps.store.setHead(id, head, kind);
  }
}

const isMoved = (error: unknown): boolean =>
  (error as Problem).code === 'conflict' ||
  /couldn't find remote ref|not our ref|unadvertised object/.test((error as Error).message);

/** Each name makes several lines of a request, and servers take requests of some megabytes only. */
const maxNamed = 1000;

/** Lines for `git fetch --stdin`: by names, so that those that move meanwhile come too, or, of very many, by object ids. */
function fetchSpecs({ sources }: FetchPlan, wanted: readonly RefUpdate[]): string {
  const named = (update: RefUpdate, index: number) => `+${sources.get(update.ref)}:refs/fetched/${index}\n`;
  if (wanted.length <= maxNamed) return wanted.map(named).join('');
  const oids = new Set(wanted.map((update) => update.new));
  return [...oids].map((oid, index) => `+${oid}:refs/fetched-by-id/${index}\n`).join('');
}

type Listed = readonly { readonly ref: string; readonly oid: string }[];

/** What has to happen to the first so that it has what the second has. */
function changesBetween(theirs: Listed, ours: Listed, prunes: (ref: string) => boolean): RefUpdate[] {
  const there = new Map(theirs.map(({ ref, oid }) => [ref, oid]));
  const here = new Set(ours.map(({ ref }) => ref));
  return [
    ...ours
      .filter(({ ref, oid }) => there.get(ref) !== oid)
      .map(({ ref, oid }) => ({ ref, old: there.get(ref) ?? zeroOid, new: oid })),
    ...theirs
      .filter(({ ref }) => !here.has(ref) && prunes(ref))
      .map(({ ref, oid }) => ({ ref, old: oid, new: zeroOid })),
  ];
}
