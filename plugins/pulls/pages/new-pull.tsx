import type { VNode } from 'preact';
import {
  Forbidden,
  Joi,
  NotFound,
  Problem,
  pageRoute,
  formRoute,
  formText,
  icon,
  isChecked,
  reply,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Slot,
  type WebPage,
} from '@mortise/plugin-sdk';
import { userFieldIslands } from '@mortise/accounts/api';
import { bodyOf, subjectOf, type ComparePageContext, type Comparison } from '@mortise/history/api';
import { conversationIslands, pathOf as issuePathOf } from '@mortise/issues/api';
import { markupIslands } from '@mortise/markup/api';
import {
  mustBeActive,
  refuseBlocked,
  repositoryHome,
  repositoryPageContext,
  repositoryResource,
  type RepositoryContext,
} from '@mortise/repositories/api';
import type { NewPullPage } from '../contract/pages.js';
import type { BranchTip } from '../services/branch-finder.js';
import { unitOption } from '../services/pull-merger.js';
import type { PullTemplate } from '../services/repository-texts.js';
import { NewPull, type NewPullProps } from './new-pull-form.js';
import { pathOf, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

interface NewQuery {
  readonly base?: string;
  readonly head?: string;
}
type NewRoute = RouteContext<RepositoryContext>;
const maxListed = 50;

const encoded = (text: string) => text.split('/').map(encodeURIComponent).join('/');

/** Address of the form for a pull request between two branches. */
export const newPullHref = (repositoryPath: string, base: string, head: string): string =>
  `${repositoryPath}/pulls/new?${new URLSearchParams({ base, head }).toString()}`;

interface BranchComparison {
  readonly base: BranchTip;
  readonly head: BranchTip;
  /** `owner/name:branch` where the head lies elsewhere. */
  readonly label: string;
  readonly comparison: Comparison;
  readonly existing: number | undefined;
}

/** The two branches and what lies between them; refuses what cannot be proposed. */
async function compareBranches(deps: PageDeps, context: NewRoute, query: NewQuery): Promise<BranchComparison> {
  const { branchFinder, reader } = deps.pullServices;
  const { resource, actor } = context;
  const { repository } = resource;
  const base = await branchFinder.tip(repository, query.base || repository.defaultBranch);
  const head = await branchFinder.head(resource, query.head ?? '', actor);
  const isElsewhere = head.repository.id !== repository.id;
  const label = isElsewhere ? `${head.repository.ownerName}/${head.repository.name}:${head.branch}` : head.branch;
  const comparison = await deps.comparisons.compare(resource, actor, `${base.branch}...${label}`);
  const present = await reader.newestBetween({
    repositoryId: repository.id,
    baseBranch: base.branch,
    headRepositoryId: head.repository.id,
    headBranch: head.branch,
  });
  return { base, head, label, comparison, existing: present?.isOpen ? present.index : undefined };
}

/** A form that was refused. */
interface SentForm {
  readonly values: FormValues;
  readonly flash: Flash;
}

/** A template that cannot be read as a form leaves the text. */
const formOf = (deps: PageDeps, template: PullTemplate | undefined) =>
  template?.form && deps.issuePages.textForm(template.form.yaml, template.form.fileName);

/** The commits of the head, newest first, and the title that they give. */
async function readLog({ pullServices }: PageDeps, { base, head, comparison }: BranchComparison) {
  const range = { from: [head.oid], not: [base.oid] };
  const log = await comparison.git.log({ ...range, limit: maxListed });
  const [only] = log.commits.length === 1 ? log.commits : [];
  const title = async (): Promise<string> => {
    if (only) return subjectOf(only.message);
    if (pullServices.settings.DEFAULT_TITLE_SOURCE === 'auto' || log.total === 0) return titleOf(head.branch);
    const [first] = (await comparison.git.log({ ...range, offset: log.total - 1, limit: 1 })).commits;
    return first ? subjectOf(first.message) : titleOf(head.branch);
  };
  return { log, only, title };
}

/** The fields of other plugins. */
function extensionFields(
  { newFields }: PageDeps,
  { resource: { repository }, actor }: NewRoute,
  { base, head, comparison }: BranchComparison,
  values: FormValues | undefined,
): Promise<VNode[]> {
  const page: NewPullPage = {
    actor,
    repository,
    repositoryId: repository.id,
    baseBranch: base.branch,
    headRepositoryId: head.repository.id,
    headBranch: head.branch,
    async paths() {
      const changes = await comparison.git.changes(comparison.start, head.oid, { stats: false });
      return changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path]));
    },
  };
  return Promise.all(newFields.list().map((field) => field.render(page, values)));
}

/** The form between two branches, as it was sent or as the commits and the template of the repository propose it. */
async function formProps(
  deps: PageDeps,
  context: NewRoute,
  pair: BranchComparison,
  compare: string,
  values: FormValues | undefined,
): Promise<NewPullProps> {
  const { site, views, pullServices } = deps;
  const { resource, actor } = context;
  const { repository } = resource;
  const { base, head, label, comparison } = pair;
  const { log, only, title } = await readLog(deps, pair);
  const more = await extensionFields(deps, context, pair, values);
  const template = await pullServices.texts.pullTemplate(repository);
  const form = formOf(deps, template);
  const fullName = `${repository.ownerName}/${repository.name}`;
  const view = {
    git: comparison.git,
    context: resource,
    repository,
    actor,
    revision: { kind: 'commit', name: head.oid, commit: head.oid } as const,
    path: '',
    repositoryPath: repositoryHome(site, head.repository),
  };
  const maintainers = values
    ? isChecked(values, 'maintainers')
    : unitOption(repository, 'default_allow_maintainer_edit') !== false;
  return {
    repositoryPath: repositoryHome(site, repository),
    base: base.branch,
    label,
    compare,
    fields: form && (await form.render({ repository: fullName, viewer: context as RouteContext }, values)),
    metadata: await deps.issuePages.metadataFields(context, 'pulls', values),
    title: values ? formText(values, 'title', 255) : template?.title || form?.title || (await title()),
    body: values ? formText(values, 'body', 1_000_000) : proposed(only && bodyOf(only.message), template?.text),
    isDraft: values ? isChecked(values, 'draft') : false,
    hasDrafts: pullServices.drafts.first !== undefined,
    maintainers: head.repository.id === repository.id ? undefined : maintainers,
    repository: fullName,
    editor: deps.issuePages,
    more,
    commits: log.commits.length ? await views.list(view, log.commits) : null,
    count: log.total,
  };
}

async function showForm(
  deps: PageDeps,
  context: NewRoute,
  query: NewQuery,
  sent?: SentForm,
): Promise<WebPage | ReturnType<typeof reply.redirect>> {
  const { resource } = context;
  const { repository } = resource;
  if (!resource.may('read', 'code')) throw NotFound('repository');
  const branches = `${query.base || repository.defaultBranch}...${query.head ?? ''}`;
  const compare = `${repositoryHome(deps.site, repository)}/compare/${encoded(branches)}`;
  let pair: BranchComparison;
  try {
    pair = await compareBranches(deps, context, query);
  } catch (error) {
    if (!Problem.is(error)) throw error;
    // the comparison says what is wrong with the branches
    return reply.redirect(compare, 302);
  }
  if (pair.existing && !sent) return reply.redirect(pathOf(deps, repository, pair.existing), 302);
  return deps.pages.page(repositoryPageContext(context), 'pulls', {
    title: t.later('new.title'),
    islands: [...new Set([...markupIslands, ...conversationIslands, ...userFieldIslands, 'pulls-style'])],
    ...(sent && { flash: sent.flash, status: 422 }),
    body: <NewPull {...await formProps(deps, context, pair, compare, sent?.values)} />,
  });
}

/** Opens the pull request of the form, and gives the address of its page. */
async function createFromForm(deps: PageDeps, context: NewRoute, values: FormValues): Promise<string> {
  const { pullServices, site, git, accounts, members, newFields } = deps;
  const { drafts, branchFinder, creator, texts } = pullServices;
  const { resource, actor } = context;
  const { repository } = resource;
  mustBeActive(resource);
  await refuseBlocked(accounts, actor, repository.ownerId);
  if (!resource.may('read', 'code')) throw NotFound('repository');
  const base = await branchFinder.tip(repository, formText(values, 'base', 500));
  const head = await branchFinder.head(resource, formText(values, 'head', 500), actor);
  const isMember = async () => (await members.collaborators(repository.id)).some(({ userId }) => userId === actor.id);
  await branchFinder.checkMaker(resource, head.repository, isMember, actor);
  const title = formText(values, 'title', 1000);
  const isDraft = isChecked(values, 'draft') && !drafts.isDraft(title);
  const commitCount = git
    .open(head.repository.id)
    .count(head.oid, [base.oid])
    .catch(() => 1);
  if (!(await commitCount)) throw Forbidden(t.later('error.noNewCommits'));
  const form = formText(values, 'form') === '1' ? formOf(deps, await texts.pullTemplate(repository)) : undefined;
  const inputs = newFields.list().map((field) => [field.key, field.input(values)] as const);
  const { issue } = await creator.create(
    repository,
    {
      title: isDraft && drafts.first ? `${drafts.first} ${title}` : title,
      body: form ? form.body(values) : formText(values, 'body', 1_000_000).replaceAll('\r\n', '\n'),
      baseBranch: base.branch,
      head: { ...head, flow: 'branch' },
      ...(resource.may('write', 'pulls') && deps.issuePages.metadataInput(values)),
      allowMaintainerEdit: head.repository.id !== repository.id && isChecked(values, 'maintainers'),
      extensions: Object.fromEntries(inputs),
    },
    actor,
  );
  return `${repositoryHome(site, repository)}/${issuePathOf(issue)}`;
}

const newPullPage = (deps: PageDeps) =>
  pageRoute(
    '/{owner}/{repo}/pulls/new',
    { actor: 'user', resource: repositoryResource, unit: 'pulls' },
    (context) => showForm(deps, context, context.query),
    {
      query: Joi.object<NewQuery>({
        base: Joi.string().allow('').max(500),
        head: Joi.string().allow('').max(500),
      }).unknown(),
    },
  );

const createPull = (deps: PageDeps) =>
  formRoute(
    '/{owner}/{repo}/pulls/new',
    { actor: 'user', resource: repositoryResource, unit: 'pulls' },
    (context, values) => createFromForm(deps, context, values),
    (context, values, flash) => {
      const query = { base: formText(values, 'base', 500), head: formText(values, 'head', 500) };
      return showForm(deps, context, query, { values, flash });
    },
  );

/** The form for a new pull request, and the button that leads to it from a comparison. */
export function newPullRoutes(deps: PageDeps): Route[] {
  return [newPullPage(deps), createPull(deps)];
}

/** What the commit says, then what the repository asks for. */
const proposed = (...texts: readonly (string | undefined)[]): string =>
  texts
    .map((text) => text?.trim())
    .filter(Boolean)
    .join('\n\n');

/** A name for what a branch is about: `fix/the-wheel` is "Fix/the wheel". */
const titleOf = (branch: string): string => {
  const text = branch.replaceAll(/[-_]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** On the page of a comparison: to the open pull request between the branches, or to the form for one. */
export const compareSlot = (deps: PageDeps): Slot<ComparePageContext> => ({
  key: 'pulls.new',
  order: 10,
  async render({ context, actor, base, head, commitCount }) {
    const { repository } = context;
    if (!context.may('read', 'pulls')) return null;
    const branches = await Promise.all([
      deps.git.open(repository.id).branch(base.name),
      deps.git.open(head.repositoryId).branch(head.name),
    ]);
    if (branches.some((one) => !one)) return null;
    const repositoryPath = repositoryHome(deps.site, repository);
    const present = await deps.pullServices.reader.newestBetween({
      repositoryId: repository.id,
      baseBranch: base.name,
      headRepositoryId: head.repositoryId,
      headBranch: head.name,
    });
    if (present?.isOpen)
      return <ExistingLink href={`${repositoryPath}/pulls/${present.index}`} index={present.index} />;
    if (actor.kind !== 'user' || repository.isArchived || commitCount === 0) return null;
    const there = head.repositoryId === repository.id ? undefined : await deps.repositories.byId(head.repositoryId);
    const label = there ? `${there.ownerName}/${there.name}:${head.name}` : head.name;
    return <NewLink href={newPullHref(repositoryPath, base.name, label)} />;
  },
});

const ExistingLink = ({ href, index }: { href: string; index: number }): VNode => (
  <a class="btn btn-sm" href={href}>
    {icon('git-pull-request')} {t('compare.visit', { index: String(index) })}
  </a>
);

const NewLink = ({ href }: { href: string }): VNode => (
  <a class="btn btn-sm btn-primary" href={href}>
    {icon('git-pull-request')} {t('compare.new')}
  </a>
);
