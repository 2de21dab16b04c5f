import {
  Forbidden,
  Invalid,
  NotFound,
  contextWith,
  defineRoute,
  formRoute,
  formText,
  isChecked,
  webPage,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import { mustBeActive, refuseBlocked, repositoryResource } from '@mortise/repositories/api';
import { mergeStyles, pullResource, type MergeOptions, type PullContext } from '../api.js';
import { mustWrite } from '../routes/shared.js';
import { recentBox } from './recent-box.js';
import { conversationPage } from './frame.js';
import { boxOf } from './merge-box.js';
import { pageContextOf, pathOf, type PageDeps, type PullRoute } from './shared.js';
import { t } from '../texts/index.js';

const base = '/{owner}/{repo}/pulls/{index}';
const use = { actor: 'user', resource: pullResource } as const;

function optionsOf(values: FormValues): MergeOptions {
  const style = mergeStyles.find((one) => one === formText(values, 'style'));
  if (!style) throw Invalid(t.later('error.style', { style: formText(values, 'style', 40) }));
  const title = formText(values, 'title', 1000);
  const message = formText(values, 'message', 65_536).replaceAll('\r\n', '\n');
  const head = formText(values, 'head', 64);
  const commit = formText(values, 'commit', 64).toLowerCase();
  return {
    style,
    ...(title && { title }),
    ...(message && { message }),
    ...(head && style !== 'manually-merged' && { headOid: head }),
    ...(commit && { mergeCommit: commit }),
    ...(formText(values, 'force') === '1' && { force: true }),
    ...(style !== 'manually-merged' && { deleteBranch: isChecked(values, 'delete') }),
  };
}

/** The list, the conversation, and what is done with a pull request there. */
export function pullPageRoutes(deps: PageDeps): Route[] {
  const { pullServices, accounts, issues, restorer } = deps;
  const { reader, shared, updater, editor, drafts, cleaner, autoMerger } = pullServices;

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

  return [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/pulls',
      surface: 'page',
      access: { actor: 'anyone', resource: repositoryResource, unit: 'pulls', expensive: true },
      async handler(context) {
        const { resource, actor, csrf } = context;
        const above = await recentBox(deps).render({ context: resource, actor, csrf });
        return deps.issuePages.list(context, { isPull: true, above });
      },
    }),
    defineRoute({
      method: 'GET',
      path: base,
      surface: 'page',
      access: { actor: 'anyone', resource: pullResource, expensive: true },
      handler: (context) => conversationPage(deps, context),
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/merge-box`,
      surface: 'page',
      access: { actor: 'anyone', resource: pullResource, expensive: true },
      handler: async (context) =>
        webPage({
          title: t.later('box.title'),
          fragment: true,
          body: await boxOf(deps, pageContextOf(deps, context)),
        }),
    }),
    form('merge', async (context, values) => {
      await mayAct(context);
      const options = optionsOf(values);
      if (formText(values, 'when') === 'ready') await autoMerger.schedule(context.resource, options, context.actor);
      else await shared.merge(context.resource, options, context.actor);
    }),
    form('merge/cancel', async ({ resource, actor }) => {
      mustBeActive(resource.context);
      await autoMerger.cancel(resource, actor);
    }),
    form('update', async (context, values) => {
      await mayAct(context);
      await updater.update(
        context.resource,
        formText(values, 'style') === 'rebase' ? 'rebase' : 'merge',
        context.actor,
      );
    }),
    form('base', async (context, values) => {
      await mayEdit(context);
      const { issue, pull } = context.resource;
      await editor.retarget(issue, pull, formText(values, 'base', 255), context.actor);
    }),
    form('draft', async (context, values) => {
      await mayEdit(context);
      const { repository, issue } = context.resource;
      const ready = drafts.ready(issue.title);
      const isDraft = formText(values, 'draft') === '1';
      if (isDraft && !drafts.first) throw Invalid(t.later('error.noDrafts'));
      await issues.edit(repository, issue, { title: isDraft ? `${drafts.first} ${ready}` : ready }, context.actor);
    }),
    form('maintainers', async (context, values) => {
      const { resource, actor } = context;
      await mayEdit(context);
      if (!(await updater.ownsHead(resource, actor))) throw Forbidden(t.later('error.maintainerEdit'));
      await editor.allowMaintainerEdit(resource.pull, formText(values, 'allowed') === '1');
    }),
    form('branch/delete', async (context) => {
      await mayAct(context);
      const { pull } = context.resource;
      if (pull.isOpen || !(await cleaner.delete(pull, context.actor))) throw Forbidden(t.later('error.branchStays'));
    }),
    form('branch/restore', async (context) => {
      await mayAct(context);
      const { pull } = context.resource;
      if (pull.isOpen) throw NotFound('branch');
      await restorer.restore(pull, context.actor);
    }),
  ];
}
