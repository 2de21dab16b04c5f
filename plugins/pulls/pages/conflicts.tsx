import { isUtf8 } from 'node:buffer';
import type { VNode } from 'preact';
import { CopyBlock, pageRoute, icon, Problem, reply, shellQuote, type Route } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import { pullResource, type PullRequest } from '../api.js';
import { mustReadCode } from '../routes/route-options.js';
import { readConflicts, type ConflictRegion, type ConflictText } from '../services/conflict-view.js';
import { pullPage } from './frame.js';
import { headLocation, pathOf, type HeadLocation, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const maxFiles = 20;
const maxBytes = 128 * 1024;

interface ConflictFile {
  readonly path: string;
  /** Undefined: not text that could be shown. */
  readonly text?: ConflictText;
}

/** Files that both sides changed, as a merge would leave them. */
async function filesOf(git: GitRepository, tree: string, paths: readonly string[]): Promise<ConflictFile[]> {
  const files: ConflictFile[] = [];
  for (const path of paths.slice(0, maxFiles)) {
    const entry = await git.entry(tree, path);
    const content =
      entry?.type === 'blob'
        ? await git.blob(entry.oid, maxBytes).catch((error: unknown) => {
            if (Problem.is(error)) return undefined;
            throw error;
          })
        : undefined;
    // what is not UTF-8 would be written back as something else
    const text =
      content && !content.includes(0) && isUtf8(content) ? readConflicts(content.toString('utf8')) : undefined;
    files.push({ path, ...(text?.regions.length && { text }) });
  }
  return files;
}

/** The tree that a merge would leave to be resolved, empty where there is none; kept, for each look costs a process. */
async function markedTree(deps: PageDeps, pull: PullRequest, base: string): Promise<string> {
  return deps.versionTrees.load(['conflicts', pull.repositoryId, base, pull.headOid].join(' '), async () => {
    const merged = await deps.writer.mergeTree(pull.repositoryId, base, pull.headOid);
    return merged.marked ?? '';
  });
}

interface SidesProps {
  readonly region: ConflictRegion;
  readonly base: string;
  readonly head: string;
}

const Side = ({ name, lines, tone }: { name: string; lines: readonly string[]; tone: string }): VNode => (
  <div class={`pull-conflict-side ${tone}`}>
    <span class="f6 text-bold">{name}</span>
    <pre>{lines.length ? lines.join('\n') : <em class="color-fg-muted">{t('conflicts.nothing')}</em>}</pre>
  </div>
);

const Sides = ({ region, base, head }: SidesProps): VNode => (
  <div class="Box-row" role="group" aria-label={t('conflicts.line', { line: region.line })}>
    <p class="f6 color-fg-muted mb-1">{t('conflicts.line', { line: region.line })}</p>
    {region.before.length ? <pre class="color-fg-muted">{region.before.join('\n')}</pre> : null}
    <Side name={base} lines={region.base} tone="pull-conflict-base" />
    <Side name={head} lines={region.head} tone="pull-conflict-head" />
    {region.after.length ? <pre class="color-fg-muted">{region.after.join('\n')}</pre> : null}
  </div>
);

interface ConflictsProps {
  readonly files: readonly ConflictFile[];
  readonly more: number;
  readonly pull: PullRequest;
  readonly head: string;
  /** The command that sends what was resolved, where there is one. */
  readonly push: string | undefined;
  readonly own: string;
}

const Conflicts = ({ files, more, pull, head, push, own }: ConflictsProps): VNode => (
  <div>
    <h3 class="f3 mb-1">{t('conflicts.title')}</h3>
    <p class="color-fg-muted">
      {t('conflicts.note', { base: pull.baseBranch })} <a href={own}>{t('conflicts.back')}</a>
    </p>
    {files.map(({ path, text }) => (
      <section class="Box mb-3 pull-conflict" aria-label={path}>
        <h4 class="Box-header f5 text-mono wb-break-all mb-0">
          {icon('file')} {path}
        </h4>
        {text ? (
          text.regions.map((region) => <Sides region={region} base={pull.baseBranch} head={head} />)
        ) : (
          <p class="Box-row mb-0">{t('conflicts.whole')}</p>
        )}
        {text?.more ? (
          <p class="Box-row mb-0 color-fg-muted">{t('conflicts.morePlaces', { count: text.more })}</p>
        ) : null}
      </section>
    ))}
    {more ? <p>{t('conflicts.moreFiles', { count: more })}</p> : null}
    <h4 class="f4 mb-1">{t('conflicts.resolve')}</h4>
    <p class="mb-1">{t('conflicts.how', { base: pull.baseBranch, head })}</p>
    <CopyBlock
      text={[
        `git fetch origin ${shellQuote(pull.baseBranch)} refs/pull/${pull.index}/head:pull-${pull.index}`,
        `git switch pull-${pull.index}`,
        `git merge ${shellQuote(`origin/${pull.baseBranch}`)}`,
      ].join('\n')}
      label={t('commands.copy')}
    />
    {push ? (
      <>
        <p class="mb-1">{t('conflicts.then', { head })}</p>
        <CopyBlock text={`git add --all\ngit commit\n${push}`} label={t('commands.copy')} />
      </>
    ) : (
      <p>{t('conflicts.noPush')}</p>
    )}
  </div>
);

/** Undefined where the repository of the head is gone or hidden: `origin` is that of the base, which is no place for it. */
export function pushOf(
  { repositories }: { readonly repositories: Pick<PageDeps['repositories'], 'cloneUrl'> },
  pull: Pick<PullRequest, 'flow' | 'repositoryId' | 'baseBranch' | 'headBranch'>,
  { repository }: Pick<HeadLocation, 'repository'>,
): string | undefined {
  const push = (...words: string[]) => ['git push', ...words.map(shellQuote)].join(' ');
  if (pull.flow === 'agit') return push('origin', `HEAD:refs/for/${pull.baseBranch}`, '-o', `topic=${pull.headBranch}`);
  if (!repository) return undefined;
  const remote = repository.id === pull.repositoryId ? 'origin' : repositories.cloneUrl(repository);
  return push(remote, `HEAD:${pull.headBranch}`);
}

/** What both branches changed, and how it is resolved. */
export const conflictPages = (deps: PageDeps): Route[] => [
  pageRoute(
    '/{owner}/{repo}/pulls/{index}/conflicts',
    { actor: 'anyone', resource: pullResource, expensive: true },
    async (context) => {
      const { pull, repository } = context.resource;
      mustReadCode(context.resource.context);
      const own = pathOf(deps, repository, pull.index);
      const git = deps.git.open(pull.repositoryId);
      const base = pull.isOpen && pull.mergeState === 'conflicts' ? await git.branch(pull.baseBranch) : undefined;
      const tree = base ? await markedTree(deps, pull, base.oid) : '';
      if (!tree) return reply.redirect(own);
      const location = await headLocation(deps, context.resource, context.actor);
      return pullPage(deps, context, 'conversation', {
        body: (
          <Conflicts
            files={await filesOf(git, tree, pull.conflicts)}
            more={Math.max(0, pull.conflicts.length - maxFiles)}
            pull={pull}
            head={location.label || t('head.gone')}
            push={pushOf(deps, pull, location)}
            own={own}
          />
        ),
      });
    },
  ),
];
