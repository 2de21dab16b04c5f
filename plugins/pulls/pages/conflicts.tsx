import type { VNode } from 'preact';
import {
  CopyBlock,
  Csrf,
  formRoute,
  formText,
  pageRoute,
  icon,
  reply,
  shellQuote,
  type Flash,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';
import { pullResource, type PullContext, type PullRequest } from '../api.js';
import { mustReadCode } from '../routes/route-options.js';
import {
  conflictSides,
  conflictText,
  isResolvable,
  maxConflictFiles,
  type ConflictChoice,
  type ConflictResolution,
} from '../services/conflict-resolution.js';
import { readConflicts, type ConflictText } from '../services/conflict-view.js';
import { unitOption } from '../services/pull-merger.js';
import { ConflictRegionView, type ResolveFields } from './conflict-region.js';
import { conversationPage, pullPage } from './frame.js';
import { headLocation, pathOf, type HeadLocation, type PageDeps, type PullRoute } from './page-context.js';
import { t } from '../texts/index.js';

interface ConflictFile {
  readonly path: string;
  /** Undefined: not text that could be shown. */
  readonly text?: ConflictText;
  readonly isResolvable: boolean;
}

/** Files that both sides changed, as a merge of the two commits would leave them. */
async function filesOf(
  git: GitRepository,
  tree: string,
  paths: readonly string[],
  commits: Pick<ConflictResolution, 'base' | 'head'>,
): Promise<ConflictFile[]> {
  const files: ConflictFile[] = [];
  for (const path of paths.slice(0, maxConflictFiles)) {
    const content = await conflictText(git, tree, path, commits);
    const text = content === undefined ? undefined : readConflicts(content);
    files.push({
      path,
      ...(text?.regions.length && { text }),
      isResolvable: content !== undefined && text?.more === 0 && isResolvable(content, commits),
    });
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

interface ResolveFormValues extends Pick<ConflictResolution, 'base' | 'head'> {
  /** What was sent before and refused. */
  readonly values: FormValues;
}

interface ConflictsProps {
  readonly files: readonly ConflictFile[];
  readonly more: number;
  readonly pull: PullRequest;
  readonly head: string;
  /** The command that sends what was resolved, where there is one. */
  readonly push: string | undefined;
  readonly own: string;
  /** Undefined where it cannot be resolved here. */
  readonly form: ResolveFormValues | undefined;
}

interface FilesProps extends Pick<ConflictsProps, 'files' | 'pull' | 'head'> {
  /** By the number of the file and of the place; undefined where nothing is chosen. */
  readonly fields: ((file: number, place: number) => ResolveFields) | undefined;
}

const Files = ({ files, pull, head, fields }: FilesProps): VNode => (
  <>
    {files.map(({ path, text, ...file }, at) => (
      <section class="Box mb-3 pull-conflict" aria-label={path}>
        <h4 class="Box-header f5 text-mono wb-break-all mb-0">
          {icon('file')} {path}
        </h4>
        {text ? (
          text.regions.map((region, place) => (
            <ConflictRegionView region={region} base={pull.baseBranch} head={head} fields={fields?.(at, place)} />
          ))
        ) : (
          <p class="Box-row mb-0">{t('conflicts.whole')}</p>
        )}
        {text?.more ? (
          <p class="Box-row mb-0 color-fg-muted">{t('conflicts.morePlaces', { count: text.more })}</p>
        ) : text && !file.isResolvable ? (
          <p class="Box-row mb-0 color-fg-muted">{t('conflicts.ambiguous')}</p>
        ) : null}
      </section>
    ))}
  </>
);

const ResolveForm = ({ files, pull, head, own, form }: ConflictsProps & { form: ResolveFormValues }): VNode => (
  <form method="post" action={`${own}/conflicts`} class="mb-4">
    <Csrf />
    <input type="hidden" name="base" value={form.base} />
    <input type="hidden" name="head" value={form.head} />
    {files.map(({ path }, at) => (
      <input type="hidden" name={`path-${at}`} value={path} />
    ))}
    <Files
      files={files}
      pull={pull}
      head={head}
      fields={(at, place) => ({
        name: `${at}-${place}`,
        choice: choiceOf(form.values, `${at}-${place}`),
      })}
    />
    <p class="mb-2">{t('conflicts.commitNote', { base: pull.baseBranch, head })}</p>
    <button class="btn btn-primary" type="submit">
      {icon('git-merge')} {t('conflicts.commit')}
    </button>
  </form>
);

const Conflicts = (props: ConflictsProps): VNode => {
  const { files, more, pull, head, own, form } = props;
  return (
    <div>
      <h3 class="f3 mb-1">{t('conflicts.title')}</h3>
      <p class="color-fg-muted">
        {t('conflicts.note', { base: pull.baseBranch })} <a href={own}>{t('conflicts.back')}</a>
      </p>
      {form ? (
        <ResolveForm {...props} form={form} />
      ) : (
        <Files files={files} pull={pull} head={head} fields={undefined} />
      )}
      {more ? <p>{t('conflicts.moreFiles', { count: more })}</p> : null}
      <Commands {...props} />
    </div>
  );
};

/** How they are resolved elsewhere. */
const Commands = ({ pull, head, push }: ConflictsProps): VNode => (
  <>
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
  </>
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

const maxPlaces = 50;
/** Each file may be written anew, and some signs take three characters in a form. */
const maxFormBytes = 8 * 1024 * 1024;

/** Undefined: nothing was chosen. */
function choiceOf(values: FormValues, name: string): ConflictChoice | undefined {
  const side = conflictSides.find((one) => one === formText(values, `choice-${name}`));
  const text = values[`text-${name}`];
  if (side === 'edit' && typeof text !== 'string') return undefined;
  return side && { side, ...(typeof text === 'string' && { text }) };
}

/** What the form says of each place; what is not chosen ends the list of its file. */
function resolutionOf(values: FormValues): ConflictResolution {
  const choices = new Map<string, ConflictChoice[]>();
  for (let at = 0; at < maxConflictFiles; at++) {
    const path = values[`path-${at}`];
    if (typeof path !== 'string') break;
    const chosen: ConflictChoice[] = [];
    for (let place = 0; place < maxPlaces; place++) {
      const choice = choiceOf(values, `${at}-${place}`);
      if (!choice) break;
      chosen.push(choice);
    }
    choices.set(path, chosen);
  }
  return { base: formText(values, 'base', 64), head: formText(values, 'head', 64), choices };
}

/** Undefined where nothing is in conflict any more. */
async function conflictsOf(deps: PageDeps, context: PullRoute, values: FormValues): Promise<VNode | undefined> {
  const { resource, actor } = context;
  const { pull, repository } = resource;
  const git = deps.git.open(pull.repositoryId);
  const base = pull.isOpen && pull.mergeState === 'conflicts' ? await git.branch(pull.baseBranch) : undefined;
  const tree = base ? await markedTree(deps, pull, base.oid) : '';
  if (!base || !tree) return undefined;
  const location = await headLocation(deps, resource, actor);
  const commits = { base: base.oid, head: pull.headOid };
  const files = await filesOf(git, tree, pull.conflicts, commits);
  const more = Math.max(0, pull.conflicts.length - maxConflictFiles);
  const mayResolve =
    more === 0 &&
    files.every((file) => file.isResolvable) &&
    actor.kind === 'user' &&
    !repository.isArchived &&
    unitOption(repository, 'allow_merge_update') !== false &&
    (await deps.pullServices.updater.mayPush(resource, actor));
  return (
    <Conflicts
      files={files}
      more={more}
      pull={pull}
      head={location.label || t('head.gone')}
      push={pushOf(deps, pull, location)}
      own={pathOf(deps, repository, pull.index)}
      form={mayResolve ? { ...commits, values: isOf(commits, values) ? values : {} } : undefined}
    />
  );
}

/** What was chosen for other commits may mean other places. */
const isOf = ({ base, head }: { base: string; head: string }, values: FormValues): boolean =>
  formText(values, 'base', 64) === base && formText(values, 'head', 64) === head;

async function conflictsPage(deps: PageDeps, context: PullRoute, values: FormValues, flash?: Flash) {
  mustReadCode(context.resource.context);
  const body = await conflictsOf(deps, context, values);
  if (body) return pullPage(deps, context, 'conversation', { body, ...(flash && { flash }) });
  return flash
    ? conversationPage(deps, context, flash)
    : reply.redirect(pathOf(deps, context.resource.repository, context.resource.pull.index));
}

const path = '/{owner}/{repo}/pulls/{index}/conflicts';

/** What both branches changed, and how it is resolved: here, or by git. */
export const conflictPages = (deps: PageDeps): Route[] => [
  pageRoute(path, { actor: 'anyone', resource: pullResource, expensive: true }, (context) =>
    conflictsPage(deps, context, {}),
  ),
  formRoute<PullContext>(
    path,
    { actor: 'user', resource: pullResource, expensive: true },
    async ({ resource, actor }, values) => {
      mustReadCode(resource.context);
      mustBeActive(resource.context);
      await refuseBlocked(deps.accounts, actor, resource.repository.ownerId);
      await deps.pullServices.updater.resolve(resource, resolutionOf(values), actor);
      return pathOf(deps, resource.repository, resource.pull.index);
    },
    (context, values, flash) => conflictsPage(deps, context, values, flash),
    { as: 'form', maxBytes: maxFormBytes },
  ),
];
