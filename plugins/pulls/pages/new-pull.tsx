import type { VNode } from 'preact';
import {
  CheckField,
  Csrf,
  Forbidden,
  Joi,
  NotFound,
  Problem,
  TextField,
  defineRoute,
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
import { conversationIslands, pathOf as issuePathOf, type IssuePages } from '@mortise/issues/api';
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
import { branchHref, pathOf, type PageDeps } from './page-context.js';
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

interface FormProps {
  readonly repositoryPath: string;
  readonly csrf: string;
  readonly base: string;
  readonly label: string;
  readonly compare: string;
  readonly title: string;
  readonly body: string;
  /** Fields in place of the text. */
  readonly fields: VNode | undefined;
  readonly isDraft: boolean;
  readonly hasDrafts: boolean;
  /** Undefined: the head lies in the same repository. */
  readonly maintainers: boolean | undefined;
  /** Labels, milestone and assignees; null: the actor may not sort it. */
  readonly metadata: VNode | null;
  readonly repository: string;
  readonly editor: Pick<IssuePages, 'Editor' | 'EditorTexts'>;
  readonly more: readonly VNode[];
  readonly commits: VNode | null;
  readonly count: number;
}

const NewPull = ({ editor: { Editor, EditorTexts }, ...props }: FormProps): VNode => (
  <div>
    <h2 class="f2 text-normal mb-2">{t('new.title')}</h2>
    <p class="mb-3 wb-break-word">
      {t.rich('new.between', {
        base: (
          <a class="text-mono pull-ref" href={branchHref(props.repositoryPath, props.base)}>
            {props.base}
          </a>
        ),
        head: <code class="pull-ref wb-break-all">{props.label}</code>,
      })}{' '}
      <a href={props.compare}>{t('new.compare')}</a>
    </p>
    <form class="issue-layout mb-4" method="post" action={`${props.repositoryPath}/pulls/new`}>
      <div class="min-width-0">
        <Csrf token={props.csrf} />
        <input type="hidden" name="base" value={props.base} />
        <input type="hidden" name="head" value={props.label} />
        <TextField name="title" label={t('new.titleField')} required maxLength={255} value={props.title} />
        {props.fields ? (
          <>
            <input type="hidden" name="form" value="1" />
            {props.fields}
          </>
        ) : (
          <>
            <Editor
              id="pull-body"
              name="body"
              label={t('new.body')}
              value={props.body}
              lines={10}
              repository={props.repository}
              hidden={false}
            />
            <p class="note mb-3">{t('new.bodyNote')}</p>
          </>
        )}
        {props.more}
        {props.hasDrafts ? (
          <CheckField
            name="draft"
            value="on"
            label={t('new.draft')}
            note={t('new.draftNote')}
            checked={props.isDraft}
          />
        ) : null}
        {props.maintainers === undefined ? null : (
          <CheckField
            name="maintainers"
            value="on"
            label={t('new.maintainers')}
            note={t('new.maintainersNote')}
            checked={props.maintainers}
          />
        )}
        <button class="btn btn-primary" type="submit">
          {icon('git-pull-request')} {t('new.submit')}
        </button>
      </div>
      {props.metadata ?? <div />}
    </form>
    <EditorTexts />
    <h3 class="f4 mb-2">{t('new.commits', { count: props.count })}</h3>
    {props.commits}
  </div>
);

/** What these routes share. */
function newPullContext(deps: PageDeps) {
  const { pullServices, pages, site, git, views, accounts, members, newFields } = deps;
  const { drafts, branchFinder, creator, settings } = pullServices;
  /** One that cannot be read leaves the text. */
  const formOf = (template: PullTemplate | undefined) =>
    template?.form && deps.issuePages.textForm(template.form.yaml, template.form.fileName);
  const show = async (
    context: NewRoute,
    query: NewQuery,
    sent?: { readonly values: FormValues; readonly flash: Flash },
  ): Promise<WebPage | ReturnType<typeof reply.redirect>> => {
    const { resource, actor, csrf } = context;
    const { repository } = resource;
    if (!resource.may('read', 'code')) throw NotFound('repository');
    const repositoryPath = repositoryHome(site, repository);
    const compare = `${repositoryPath}/compare/${encoded(`${query.base || repository.defaultBranch}...${query.head ?? ''}`)}`;
    let pair: BranchComparison;
    try {
      pair = await compareBranches(deps, context, query);
    } catch (error) {
      if (!Problem.is(error)) throw error;
      // the comparison says what is wrong with the branches
      return reply.redirect(compare, 302);
    }
    const { base, head, label, comparison, existing } = pair;
    if (existing && !sent) return reply.redirect(pathOf(deps, repository, existing), 302);
    const log = await comparison.git.log({ from: [head.oid], not: [base.oid], limit: maxListed });
    const [only] = log.commits.length === 1 ? log.commits : [];
    const usualTitle = async (): Promise<string> => {
      if (only) return subjectOf(only.message);
      if (settings.DEFAULT_TITLE_SOURCE === 'auto' || log.total === 0) return titleOf(head.branch);
      const oldest = { from: [head.oid], not: [base.oid], offset: log.total - 1, limit: 1 };
      const [first] = (await comparison.git.log(oldest)).commits;
      return first ? subjectOf(first.message) : titleOf(head.branch);
    };
    const view = {
      git: comparison.git,
      context: resource,
      repository,
      actor,
      revision: { kind: 'commit', name: head.oid, commit: head.oid } as const,
      path: '',
      repositoryPath: repositoryHome(site, head.repository),
    };
    const values = sent?.values;
    const of: NewPullPage = {
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
    const more = await Promise.all(newFields.list().map((field) => field.render(of, values)));
    const template = await pullServices.texts.pullTemplate(repository);
    const form = formOf(template);
    const fullName = `${repository.ownerName}/${repository.name}`;
    const fields = form && (await form.render({ repository: fullName, viewer: context as RouteContext }, values));
    const metadata = await deps.issuePages.metadataFields(context, 'pulls', values);
    const isElsewhere = head.repository.id !== repository.id;
    const maintainers = values
      ? isChecked(values, 'maintainers')
      : unitOption(repository, 'default_allow_maintainer_edit') !== false;
    return pages.page(repositoryPageContext(context), 'pulls', {
      title: t.later('new.title'),
      islands: [...new Set([...markupIslands, ...conversationIslands, ...userFieldIslands, 'pulls-style'])],
      ...(sent && { flash: sent.flash, status: 422 }),
      body: (
        <NewPull
          repositoryPath={repositoryPath}
          csrf={csrf}
          base={base.branch}
          label={label}
          compare={compare}
          title={values ? formText(values, 'title', 255) : template?.title || form?.title || (await usualTitle())}
          body={values ? formText(values, 'body', 1_000_000) : proposed(only && bodyOf(only.message), template?.text)}
          fields={fields}
          isDraft={values ? isChecked(values, 'draft') : false}
          hasDrafts={drafts.first !== undefined}
          maintainers={isElsewhere ? maintainers : undefined}
          metadata={metadata}
          repository={fullName}
          editor={deps.issuePages}
          more={more}
          commits={log.commits.length ? await views.list(view, log.commits) : null}
          count={log.total}
        />
      ),
    });
  };
  const create = async (context: NewRoute, values: FormValues): Promise<string> => {
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
    if (
      !(await git
        .open(head.repository.id)
        .count(head.oid, [base.oid])
        .catch(() => 1))
    )
      throw Forbidden(t.later('error.noNewCommits'));
    const form =
      formText(values, 'form') === '1' ? formOf(await pullServices.texts.pullTemplate(repository)) : undefined;
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
  };
  return { show, create };
}

type NewPullRouteContext = ReturnType<typeof newPullContext>;

const newPullPage = ({ show }: NewPullRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/{owner}/{repo}/pulls/new',
    surface: 'page',
    access: { actor: 'user', resource: repositoryResource, unit: 'pulls' },
    request: {
      query: Joi.object<NewQuery>({
        base: Joi.string().allow('').max(500),
        head: Joi.string().allow('').max(500),
      }).unknown(),
    },
    handler: (context) => show(context, context.query),
  });

const createPull = ({ create, show }: NewPullRouteContext) =>
  formRoute(
    '/{owner}/{repo}/pulls/new',
    { actor: 'user', resource: repositoryResource, unit: 'pulls' },
    create,
    (context, values, flash) =>
      show(context, { base: formText(values, 'base', 500), head: formText(values, 'head', 500) }, { values, flash }),
  );

/** The form for a new pull request, and the button that leads to it from a comparison. */
export function newPullRoutes(deps: PageDeps): Route[] {
  const context = newPullContext(deps);
  return [newPullPage(context), createPull(context)];
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
