import {
  Forbidden,
  Invalid,
  NotFound,
  cachedForVisitors,
  contextWith,
  pageRoute,
  formRoute,
  formText,
  isChecked,
  webPage,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import { mustBeActive, refuseBlocked, repositoryResource } from '@mortise/repositories/api';
import { mergeStyles, pullResource, type MergeOptions, type PullContext } from '../api.js';
import { findMergeQueue } from '../services/mergeability.js';
import { mustWrite } from '../routes/route-options.js';
import { recentBox } from './recent-box.js';
import { conversationPage } from './frame.js';
import { createMergeBox } from './merge-box.js';
import { pageContextOf, pathOf, type PageDeps, type PullRoute } from './page-context.js';
import { t } from '../texts/index.js';

const base = '/{owner}/{repo}/pulls/{index}';
const use = { actor: 'user', resource: pullResource } as const;

function optionsOf(values: FormValues): MergeOptions {
  const style = mergeStyles.find((one) => one === formText(values, 'style'));
  if (!style) throw Invalid(t.later('error.style', { style: formText(values, 'style', 40) }));
  // the form has the message of each method
  const title = formText(values, `title-${style}`, 1000) || formText(values, 'title', 1000);
  const message = (formText(values, `message-${style}`, 65_536) || formText(values, 'message', 65_536)).replaceAll(
    '\r\n',
    '\n',
  );
  const head = formText(values, 'head', 64);
  const commit = formText(values, 'commit', 64).toLowerCase();
  return {
    style,
    ...(title && { title }),
    ...(message && { message }),
    ...(head && style !== 'manually-merged' && { headOid: head }),
    ...(commit && { mergeCommit: commit }),
    ...(formText(values, 'when') === 'force' && { force: true }),
    ...(style !== 'manually-merged' && { deleteBranch: isChecked(values, 'delete') }),
  };
}

/** What these routes share. */
function pullPageContext(deps: PageDeps) {
  const { pullServices, accounts, issues, restorer } = deps;
  const { reader, contract, updater, editor, drafts, cleaner, autoMerger } = pullServices;
  const mayAct = async ({ resource: { repository, context }, actor }: PullRoute) => {
    mustBeActive(context);
    await refuseBlocked(accounts, actor, repository.ownerId);
  };
  const mayEdit = async (context: PullRoute) => {
    const { resource, actor } = context;
    if (resource.issue.posterId !== actor.id) mustWrite(resource);
    await mayAct(context);
  };
  const ownPath = ({ resource: { repository, pull } }: PullRoute) => pathOf(deps, repository, pull.index);
  /** As it is by now. */
  const renewed = async (resource: PullContext): Promise<PullContext> => ({
    ...resource,
    issue: (await issues.byId(resource.issue.id)) ?? resource.issue,
    pull: (await reader.byIssueId(resource.issue.id)) ?? resource.pull,
  });
  /** A form on the page: what is refused is said there. */
  const form = (path: string, run: (context: PullRoute, values: FormValues) => Promise<unknown>): Route =>
    formRoute<PullContext>(
      `${base}/${path}`,
      use,
      async (context, values) => {
        await run(context, values);
        return ownPath(context);
      },
      async (context, _values, flash) =>
        conversationPage(
          deps,
          contextWith(context, {
            query: {},
            page: { ...context.page, page: 1 },
            resource: await renewed(context.resource),
          }),
          flash,
        ),
    );
  return { deps, form, mayAct, autoMerger, contract, updater, mayEdit, editor, drafts, issues, cleaner, restorer };
}

type PullPageRouteContext = ReturnType<typeof pullPageContext>;

const pullList = ({ deps }: PullPageRouteContext) =>
  pageRoute(
    '/{owner}/{repo}/pulls',
    { actor: 'anyone', resource: repositoryResource, unit: 'pulls', expensive: true },
    async (context) => {
      const { resource, actor } = context;
      const above = await recentBox(deps).render({ context: resource, actor });
      return deps.issuePages.list(context, { isPull: true, above });
    },
  );

const pullPage = ({ deps }: PullPageRouteContext) =>
  cachedForVisitors(
    pageRoute(base, { actor: 'anyone', resource: pullResource, expensive: true }, (context) =>
      conversationPage(deps, context),
    ),
  );

const mergeBoxPage = ({ deps }: PullPageRouteContext) =>
  pageRoute(`${base}/merge-box`, { actor: 'anyone', resource: pullResource, expensive: true }, async (context) =>
    webPage({
      title: t.later('box.title'),
      fragment: true,
      body: await createMergeBox(deps, pageContextOf(deps, context)),
    }),
  );

const mergePull = ({ deps, form, mayAct, autoMerger, contract }: PullPageRouteContext) =>
  form('merge', async (context, values) => {
    await mayAct(context);
    const { resource, actor } = context;
    const options = optionsOf(values);
    const when = formText(values, 'when');
    if (when === 'ready') await autoMerger.schedule(resource, options, actor);
    else if (when === 'queue') {
      const queue = findMergeQueue(deps.requirements);
      if (!queue) throw NotFound('merge queue');
      await queue.add(resource, options, actor);
    } else await contract.merge(resource, options, actor);
  });

const cancelAutoMerge = ({ form, autoMerger }: PullPageRouteContext) =>
  form('merge/cancel', async ({ resource, actor }) => {
    mustBeActive(resource.context);
    await autoMerger.cancel(resource, actor);
  });

const updateBranch = ({ form, mayAct, updater }: PullPageRouteContext) =>
  form('update', async (context, values) => {
    await mayAct(context);
    await updater.update(context.resource, formText(values, 'style') === 'rebase' ? 'rebase' : 'merge', context.actor);
  });

const changeBase = ({ form, mayEdit, editor }: PullPageRouteContext) =>
  form('base', async (context, values) => {
    await mayEdit(context);
    const { issue, pull } = context.resource;
    await editor.retarget(issue, pull, formText(values, 'base', 255), context.actor);
  });

const changeDraft = ({ form, mayEdit, drafts, issues }: PullPageRouteContext) =>
  form('draft', async (context, values) => {
    await mayEdit(context);
    const { repository, issue } = context.resource;
    const ready = drafts.ready(issue.title);
    const isDraft = formText(values, 'draft') === '1';
    if (isDraft && !drafts.first) throw Invalid(t.later('error.noDrafts'));
    await issues.edit(repository, issue, { title: isDraft ? `${drafts.first} ${ready}` : ready }, context.actor);
  });

const allowMaintainerEdits = ({ form, mayEdit, updater, editor }: PullPageRouteContext) =>
  form('maintainers', async (context, values) => {
    const { resource, actor } = context;
    await mayEdit(context);
    if (!(await updater.ownsHead(resource, actor))) throw Forbidden(t.later('error.maintainerEdit'));
    await editor.allowMaintainerEdit(resource.pull, formText(values, 'allowed') === '1');
  });

const deleteBranch = ({ form, mayAct, cleaner }: PullPageRouteContext) =>
  form('branch/delete', async (context) => {
    await mayAct(context);
    const { pull } = context.resource;
    if (pull.isOpen || !(await cleaner.delete(pull, context.actor))) throw Forbidden(t.later('error.branchStays'));
  });

const restoreBranch = ({ form, mayAct, restorer }: PullPageRouteContext) =>
  form('branch/restore', async (context) => {
    await mayAct(context);
    const { pull } = context.resource;
    if (pull.isOpen) throw NotFound('branch');
    await restorer.restore(pull, context.actor);
  });

/** The list, the conversation, and what is done with a pull request there. */
export function pullPageRoutes(deps: PageDeps): Route[] {
  const context = pullPageContext(deps);
  return [
    pullList(context),
    pullPage(context),
    mergeBoxPage(context),
    mergePull(context),
    cancelAutoMerge(context),
    updateBranch(context),
    changeBase(context),
    changeDraft(context),
    allowMaintainerEdits(context),
    deleteBranch(context),
    restoreBranch(context),
  ];
}
