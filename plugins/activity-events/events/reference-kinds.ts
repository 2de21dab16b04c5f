import { isZeroOid, type Commit, type GitReader } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { ActivityEvent, ActivityEventKind, ActivityModels, PushData } from '../api.js';
import { t } from '../texts/index.js';

export interface Deps {
  readonly models: ActivityModels;
  readonly repositories: Repositories;
  readonly gitReader: GitReader;
}

export const shortName = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '');
const isTag = (ref: string) => ref.startsWith('refs/tags/');
const encoded = (name: string) => name.split('/').map(encodeURIComponent).join('/');
const pageOf = (repositoryUrl: string, ref: string) =>
  `${repositoryUrl}/src/${isTag(ref) ? 'tag' : 'branch'}/${encoded(shortName(ref))}`;

const repositoryOf = ({ resource }: ActivityEvent<PushData>, { repositories }: Deps) =>
  repositories.byId(resource.repositoryId ?? 0);

// the kinds that read no commits keep their order with those that do
const common = { group: t.later('event.group'), filtered: true, readsGit: true } as const;

/** A branch or tag that came or went: what is said and sent of both alike. */
const referenceKind = (
  deps: Deps,
  kind: Pick<ActivityEventKind<PushData>, 'key' | 'label' | 'description' | 'order'> & {
    readonly lines: {
      readonly tag: 'line.createTag' | 'line.deleteTag';
      readonly branch: 'line.createBranch' | 'line.deleteBranch';
    };
    readonly tone: 'positive' | 'negative';
    /** Does its page exist? */
    readonly isThere: boolean;
    /** Of the body, beside what both have. */
    more(repository: Repository, data: PushData): Promise<Readonly<Record<string, unknown>>>;
  },
): ActivityEventKind<PushData> => {
  const { key, label, description, order, lines, tone, isThere, more } = kind;
  return {
    ...common,
    key,
    label,
    description,
    order,
    async describe(one) {
      const { actor, repository, repositoryUrl } = await deps.models.names(one);
      const { ref } = one.data;
      const title = t.later(isTag(ref) ? lines.tag : lines.branch, { actor, repository, name: shortName(ref) });
      return { title, url: isThere ? pageOf(repositoryUrl, ref) : repositoryUrl, tone };
    },
    async payload(one) {
      const repository = one.data.isFirst ? undefined : await repositoryOf(one, deps);
      if (!repository) return undefined;
      const { ref } = one.data;
      return {
        ref: shortName(ref),
        ref_type: isTag(ref) ? 'tag' : 'branch',
        ...(await more(repository, one.data)),
        repository: await deps.models.repository(repository),
        sender: await deps.models.user(one.actorId, repository.ownerId),
      };
    },
  };
};

export const createKind = (deps: Deps): ActivityEventKind<PushData> =>
  referenceKind(deps, {
    key: 'create',
    label: t.later('event.create'),
    description: t.later('event.createNote'),
    order: 20,
    lines: { tag: 'line.createTag', branch: 'line.createBranch' },
    tone: 'positive',
    isThere: true,
    more: async (repository, data) => ({ sha: await shownOid(repository, data, deps) }),
  });

export const deleteKind = (deps: Deps): ActivityEventKind<PushData> =>
  referenceKind(deps, {
    key: 'delete',
    label: t.later('event.delete'),
    description: t.later('event.deleteNote'),
    order: 30,
    lines: { tag: 'line.deleteTag', branch: 'line.deleteBranch' },
    tone: 'negative',
    isThere: false,
    more: async () => ({ pusher_type: 'user' }),
  });

export const pushKind = (deps: Deps): ActivityEventKind<PushData> => ({
  ...common,
  key: 'push',
  label: t.later('event.push'),
  description: t.later('event.pushNote'),
  order: 10,
  async describe(one) {
    const { actor, repository, repositoryUrl } = await deps.models.names(one);
    const { ref } = one.data;
    const values = { actor, repository, name: shortName(ref) };
    if (isTag(ref)) return { title: t.later('line.pushTag', values), url: pageOf(repositoryUrl, ref), tone: 'neutral' };
    const found = await repositoryOf(one, deps);
    const brought = found ? await pushed(found, one.data, 1, deps) : { commits: [], total: 0 };
    const isNew = found && isZeroOid(one.data.old) && !isZeroOid(one.data.new);
    const names = isNew && `${repositoryUrl}/compare/${encoded(found.defaultBranch)}...${encoded(shortName(ref))}`;
    const url = names || (found ? compareUrl(repositoryUrl, found, one.data, brought) : repositoryUrl);
    return { title: t.later('line.push', { ...values, count: brought.total }), url, tone: 'neutral' };
  },
  async payload(one, { maxItems }) {
    const repository = one.data.isFirst ? undefined : await repositoryOf(one, deps);
    if (!repository) return undefined;
    const { models, gitReader, repositories } = deps;
    const { data } = one;
    const brought = await pushed(repository, data, maxItems, deps);
    const { commits, total } = brought;
    const listed = await models.commits(repository, commits);
    // A trial is of no push: which files there were is left open.
    if (data.isSample) for (const one of listed) Object.assign(one, { added: null, removed: null, modified: null });
    const pusher = await models.user(one.actorId, repository.ownerId);
    const after = await shownOid(repository, data, deps);
    let head = listed[0] ?? null;
    if (!head && !isZeroOid(data.new)) {
      const git = gitReader.open(repository.id);
      const peeled = await git.peel(data.new);
      if (peeled?.type === 'commit')
        head = (await models.commits(repository, [await git.commit(peeled.oid)]))[0] ?? null;
    }
    return {
      ref: data.ref,
      before: data.old,
      after,
      compare_url: compareUrl(repositories.htmlUrl(repository), repository, { ...data, new: after }, brought),
      commits: listed,
      total_commits: total,
      head_commit: isZeroOid(data.new) ? null : head,
      repository: await models.repository(repository),
      pusher,
      sender: pusher,
    };
  },
  /** The newest commit of a branch, as if it had been pushed just now (HOK-21). */
  async sample({ repository, ref, actorId }) {
    const resolved = await deps.gitReader.open(repository.id).resolve(ref || repository.defaultBranch);
    if (!resolved) return undefined;
    const full = resolved.ref ?? `refs/heads/${repository.defaultBranch}`;
    return {
      id: `sample:${repository.id}:${Date.now()}`,
      kind: 'push',
      action: 'pushed',
      resource: { id: 0, title: shortName(full), ref: full, repositoryId: repository.id, unit: 'code' },
      actorId,
      at: Date.now(),
      data: { ref: full, old: resolved.commit, new: resolved.commit, source: 'internal', isSample: true },
    };
  },
});

/** Of an annotated tag that the service made, receivers are told the commit; of one that was pushed, its own id. */
async function shownOid(
  { id }: Repository,
  { ref, new: current, source }: PushData,
  { gitReader }: Deps,
): Promise<string> {
  if (!isTag(ref) || isZeroOid(current) || (source !== 'api' && source !== 'web')) return current;
  return (await gitReader.open(id).peel(current))?.oid ?? current;
}

/** Commits that the push brought: for a new branch those that the default branch has not. */
async function pushed(
  repository: Repository,
  { ref, old, new: current, isSample }: PushData,
  limit: number,
  { gitReader }: Deps,
): Promise<{ commits: Commit[]; total: number }> {
  const git = gitReader.open(repository.id);
  if (isSample) return { commits: [await git.commit(current)], total: 1 };
  if (isZeroOid(current) || isTag(ref)) return { commits: [], total: 0 };
  let not: string | undefined = isZeroOid(old) ? undefined : old;
  if (!not && ref !== `refs/heads/${repository.defaultBranch}`) not = (await git.branch(repository.defaultBranch))?.oid;
  // A commit that was thrown away by a forced push may be gone already.
  if (not && !(await git.info(not))) not = undefined;
  if (!(await git.info(current))) return { commits: [], total: 0 };
  return git.log({ from: [current], not: not ? [not] : [], limit });
}

/** What the push brought: of a new branch from where its own commits begin, else from the default branch. */
function compareUrl(
  repositoryUrl: string,
  { defaultBranch }: Repository,
  { ref, old, new: current }: PushData,
  { commits, total }: { readonly commits: readonly Commit[]; readonly total: number },
): string {
  if (isZeroOid(current)) return repositoryUrl;
  const first = commits.length === total ? commits.at(-1)?.parents[0] : undefined;
  const base = isZeroOid(old) && !isTag(ref) ? (first ?? encoded(defaultBranch)) : old;
  return `${repositoryUrl}/compare/${base}...${current}`;
}
