import {
  BadRequest,
  cachedForVisitors,
  formText,
  Joi,
  pageRoute,
  postRoute,
  reply,
  toId,
  type Route,
} from '@mortise/plugin-sdk';

import { refuseBlocked } from '@mortise/repositories/api';
import { issueResource } from '../api.js';
import { fields } from '../fields/values.js';

import { entriesAfter } from '../services/conversation.js';

import { changeDependency } from './dependency-form.js';

import { historyPage } from './history.js';
import { repositoryPathOf, type PageContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

import { administer, base, issueContext, issuePage, use, write, type IssueRouteContext } from './issue-page.js';
import { issueTextRoutes } from './issue-text-routes.js';

const issueRoute = ({ pageOf, deps }: IssueRouteContext) =>
  cachedForVisitors(
    pageRoute(base, { actor: 'anyone', resource: issueResource, expensive: true }, async (context) => {
      if (context.resource.issue.isPull) return reply.redirect(pageOf(context as PageContext), 302);
      return issuePage(deps, context as PageContext);
    }),
  );

// pages whose connection stands ask for what came before (also of pull requests)
const newEntries = ({ issueServices }: IssueRouteContext) =>
  pageRoute(
    `${base}/news`,
    { actor: 'anyone', resource: issueResource, expensive: true },
    async ({ resource: { issue }, query }) =>
      reply
        .json({ entries: await entriesAfter(issueServices, issue, query.after) })
        .header('cache-control', 'no-store'),
    { query: Joi.object<{ readonly after: number }>({ after: Joi.number().integer().min(0).default(0) }) },
  );

const historyRoute = ({ deps }: IssueRouteContext) =>
  pageRoute(`${base}/history`, { actor: 'anyone', resource: issueResource, expensive: true }, (context) =>
    historyPage(deps, context as PageContext),
  );

const changeLabels = ({ form, labels, issues }: IssueRouteContext) =>
  form('labels', write, async ({ resource, actor }, values) => {
    const ids = [values.ids ?? []].flat().map(toId).filter(Boolean);
    const wanted = await labels.usableIn(resource.repository, { ids });
    await issues.edit(resource.repository, resource.issue, { labelIds: wanted.map(({ id }) => id) }, actor);
  });

const changeMilestone = ({ form, issues }: IssueRouteContext) =>
  form('milestone', write, async ({ resource, actor }, values) => {
    const milestoneId = toId(formText(values, 'milestone'));
    await issues.edit(resource.repository, resource.issue, { milestoneId }, actor);
  });

const changeAssignees = ({ form, issueServices, issues }: IssueRouteContext) =>
  form('assignees', write, async ({ resource, actor }, values) => {
    const { issue, repository } = resource;
    if (formText(values, 'self') === '1') {
      const [me] = await issueServices.assignees.accountsOf({ repository, isPull: issue.isPull, actor }, [actor.name]);
      await issues.changeAssignees(issue, (present) => [...present, me!.id], actor);
      return;
    }
    const assignees = [values.names ?? []].flat().map((name) => name.slice(0, 255));
    await issues.edit(repository, issue, { assignees: assignees.slice(0, 100) }, actor);
  });

const changeFields = ({ form, issues }: IssueRouteContext) =>
  fields.flatMap(({ name, form: control }) =>
    control
      ? form(control.key, write, async ({ resource, actor }, values) => {
          await issues.edit(resource.repository, resource.issue, { [name]: control.read(values) }, actor);
        })
      : [],
  );

const changeDependencies = ({ form, dependencies }: IssueRouteContext) =>
  form('dependencies', write, ({ resource, actor }, values) => changeDependency(dependencies, resource, actor, values));

const changeLock = ({ form, moderation }: IssueRouteContext) =>
  form('lock', administer, async ({ resource, actor }, values) => {
    const isLocked = formText(values, 'locked') === '1';
    await moderation.setLocked(resource.issue, isLocked, actor, formText(values, 'reason', 200));
  });

const changePin = ({ form, moderation }: IssueRouteContext) =>
  form('pin', administer, async ({ resource, actor }, values) => {
    const isPinned = formText(values, 'pinned') === '1';
    await (isPinned ? moderation.pin(resource.issue, actor) : moderation.unpin(resource.issue, actor));
  });

const changeSubscription = ({ form, accounts, subscriptions }: IssueRouteContext) =>
  form('subscription', use, async ({ resource, actor }, values) => {
    const isSubscribed = formText(values, 'subscribed') === '1';
    if (isSubscribed) await refuseBlocked(accounts, actor, resource.repository.ownerId);
    await subscriptions.set(resource.issue, actor.id, isSubscribed);
  });

const deleteIssue = ({ issues, site }: IssueRouteContext) =>
  postRoute(`${base}/delete`, administer, async ({ resource, actor }) => {
    if (resource.issue.isPull) throw BadRequest(t.later('moderation.noPull'));
    await issues.delete(resource.issue, actor);
    return reply.redirect(`${repositoryPathOf(site, resource.repository)}/issues`);
  });

/** The page of an issue and all that is done there, also for pull requests. */
export function issueRoutes(deps: PageDeps): Route[] {
  const context = issueContext(deps);
  return [
    ...issueTextRoutes(context),
    issueRoute(context),
    newEntries(context),
    historyRoute(context),
    changeLabels(context),
    changeMilestone(context),
    changeAssignees(context),
    ...changeFields(context),
    changeDependencies(context),
    changeLock(context),
    changePin(context),
    changeSubscription(context),
    deleteIssue(context),
  ];
}
