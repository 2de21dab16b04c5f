import type { VNode } from 'preact';
import {
  BadRequest,
  Conflict,
  Forbidden,
  Invalid,
  Joi,
  NotFound,
  contextWith,
  defineRoute,
  endOfDay,
  formRoute,
  formText,
  reply,
  toId,
  type Access,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import { markupIslands } from '@mortise/markup/api';
import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';
import { conversationIslands, issueResource, pathOf, unitOf, type IssueContext, type TimelineEntry } from '../api.js';
import { checkParticipation } from '../services/participation.js';
import { commentIn, mayChange, writtenElsewhere } from '../routes/comments.js';
import { entriesAfter } from '../services/conversation.js';
import { commentFileOwner, commentFiles, fileOwner, issueFiles } from '../services/attachment-kinds.js';
import { checkFiles, uploadedFiles, maxFiles, attachFiles } from '../services/attach-files.js';
import { toggleTask, type TaskToggle } from '../services/task-list.js';
import { conversationOf, type RefusedForm } from './conversation.js';
import { changeDependency } from './dependency-form.js';
import { Heading } from './heading.js';
import { historyPage } from './history.js';
import { repositoryPathOf, issuePageContext, type PageContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

export async function headingOf(
  deps: PageDeps,
  context: PageContext,
  more: { readonly state?: VNode; readonly about?: VNode } = {},
): Promise<VNode> {
  const { actor, resource } = context;
  if (actor.kind === 'user')
    for (const visits of deps.issueServices.points.visits.list()) await visits.markSeen(resource.issue, actor);
  const poster = await deps.accounts.byId(resource.issue.posterId);
  return <Heading deps={deps} context={context} poster={poster} {...more} />;
}

/** The page of an issue; of a pull request where one of its forms was refused. */
export async function issuePage(deps: PageDeps, context: PageContext, refused?: RefusedForm): Promise<WebPage> {
  const { issue } = context.resource;
  const heading = await headingOf(deps, context);
  const conversation = await conversationOf(deps, context, refused);
  return deps.pages.page(issuePageContext(context), unitOf(issue), {
    title: `${deps.emojify(issue.title)} · #${issue.index}`,
    islands: [...markupIslands, ...conversationIslands],
    ...(refused && { flash: refused.flash, status: 422 }),
    body: (
      <div>
        {heading}
        {conversation}
      </div>
    ),
  });
}

const base = '/{owner}/{repo}/issues/{index}';
const use = { actor: 'user', resource: issueResource } as const;
const write = { ...use, mode: 'write' } as const;
const administer = { ...use, mode: 'admin' } as const;
const longest = 1_000_000;
const bodyOf = (values: FormValues): string => {
  const given = values.body;
  return (typeof given === 'string' ? given : '').replaceAll('\r\n', '\n').slice(0, longest);
};

/** The page of an issue and all that is done there, also for pull requests. */
export function issueRoutes(deps: PageDeps): Route[] {
  const { issueServices, site, accounts } = deps;
  const { issues, comments, entries, reactions, labels, dependencies, moderation, subscriptions, reader } =
    issueServices;
  const { attachments } = issueServices.deps;
  const limits = attachments.limits(commentFiles);
  const multipart = {
    as: 'multipart',
    maxFiles: 2 * maxFiles,
    maxBytes: limits.maxBytes === undefined ? 0 : limits.maxBytes * maxFiles + (6 << 20),
  } as const;
  const pageOf = ({ resource: { issue, repository } }: PageContext, anchor = '') =>
    `${repositoryPathOf(site, repository)}/${pathOf(issue)}${anchor && `#${anchor}`}`;

  /** A form below the issue: what is refused is shown on its page. */
  const form = (
    path: string,
    access: Access<IssueContext>,
    run: (context: PageContext, values: FormValues) => Promise<string | void>,
    payload?: Parameters<typeof formRoute>[4],
    edited?: (context: PageContext) => number,
  ): Route =>
    formRoute<IssueContext>(
      `${base}/${path}`,
      access,
      async (context, values) => pageOf(context as PageContext, (await run(context as PageContext, values)) || ''),
      async (context, values, flash) => {
        const found = context as PageContext;
        const issue = (await reader.byId(found.resource.issue.id)) ?? found.resource.issue;
        const text = edited?.(found);
        const isOld = text === 0 && toVersion(values) !== issue.contentVersion;
        return issuePage(
          deps,
          contextWith(found, { query: {}, page: { ...found.page, page: 1 }, resource: { ...found.resource, issue } }),
          {
            flash,
            values,
            ...(text !== undefined && { edited: text }),
            ...(isOld && { theirs: issue.body, contentVersion: issue.contentVersion }),
          },
        );
      },
      payload,
    );
  const toVersion = (values: FormValues) => Number(formText(values, 'content_version')) || 0;
  const commentOf = async (context: PageContext, id: number): Promise<TimelineEntry> => {
    const comment = await entries.byId(id);
    if (comment?.issueId !== context.resource.issue.id || !comments.isComment(comment)) throw NotFound('comment');
    return comment;
  };
  /** Also one that another plugin keeps, such as one on a line. */
  const shownComment = async (context: PageContext, id: number): Promise<TimelineEntry> => {
    const { issue, comment } = await commentIn(issueServices, context.resource.context, id, context.actor);
    const isText = comments.isComment(comment) || writtenElsewhere(issueServices, comment) !== undefined;
    if (issue.id !== context.resource.issue.id || !isText) throw NotFound('comment');
    return comment;
  };
  const mayEdit = async ({ resource, actor }: PageContext, { isBareClose = false } = {}) => {
    if (!resource.may('write') && resource.issue.posterId !== actor.id)
      throw Forbidden(t.later('error.needs', { mode: 'write' }));
    mustBeActive(resource.context);
    if (!resource.may('write') && !isBareClose) await refuseBlocked(accounts, actor, resource.repository.ownerId);
  };
  const removed = (values: FormValues) => [values.remove ?? []].flat().map(toId).filter(Boolean);
  const spare = (values: FormValues) => uploadedFiles(values).forEach((file) => file.destroy());

  return [
    defineRoute({
      method: 'GET',
      path: base,
      surface: 'page',
      access: { actor: 'anyone', resource: issueResource, expensive: true },
      async handler(context) {
        if (context.resource.issue.isPull) return reply.redirect(pageOf(context as PageContext), 302);
        return issuePage(deps, context as PageContext);
      },
    }),
    // pages whose connection stands ask for what came before (also of pull requests)
    defineRoute({
      method: 'GET',
      path: `${base}/news`,
      surface: 'page',
      access: { actor: 'anyone', resource: issueResource, expensive: true },
      request: { query: Joi.object<{ readonly after: number }>({ after: Joi.number().integer().min(0).default(0) }) },
      handler: async ({ resource: { issue }, query }) =>
        reply
          .json({ entries: await entriesAfter(issueServices, issue, query.after) })
          .header('cache-control', 'no-store'),
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/history`,
      surface: 'page',
      access: { actor: 'anyone', resource: issueResource, expensive: true },
      handler: (context) => historyPage(deps, context as PageContext),
    }),
    form(
      'comments',
      use,
      async (context, values) => {
        const { resource, actor } = context;
        const files = uploadedFiles(values);
        try {
          mustBeActive(resource.context);
          checkFiles(attachments, commentFiles, files);
          const action = formText(values, 'action');
          const isMove = action === 'close' || action === 'reopen';
          const body =
            bodyOf(values) ||
            files.map((file) => `[${file.fileName}](attachment:${encodeURIComponent(file.fileName)})`).join('\n');
          // one's own issue may be closed without a word also where one may write nothing
          const isBareClose = action === 'close' && !body.trim();
          if (!isBareClose) await checkParticipation(accounts, resource, actor);
          if (isMove) await mayEdit(context, { isBareClose });
          const { issue, repository } = resource;
          // both or neither: who may not close it finds what they wrote in the form
          const comment = await issueServices.deps.database.write(async () => {
            const written = body.trim() || !isMove ? await comments.create(repository, issue, body, actor) : undefined;
            if (isMove) await issues.edit(repository, issue, { isClosed: action === 'close' }, actor);
            return written;
          });
          if (!comment) return '';
          const linked = await attachFiles(attachments, commentFileOwner(comment), files, body, actor.id, site.path);
          if (linked !== body) await comments.link(comment, linked);
          return `issuecomment-${comment.id}`;
        } finally {
          spare(values);
        }
      },
      multipart,
    ),
    form('title', use, async (context, values) => {
      await mayEdit(context);
      const { repository, issue } = context.resource;
      await issues.edit(repository, issue, { title: formText(values, 'title', 1000) }, context.actor);
    }),
    form(
      'content',
      use,
      async (context, values) => {
        const { resource, actor } = context;
        const files = uploadedFiles(values);
        try {
          await mayEdit(context);
          checkFiles(attachments, issueFiles, files);
          const body = bodyOf(values);
          const contentVersion = toVersion(values);
          const edited = await issues.edit(resource.repository, resource.issue, { body, contentVersion }, actor);
          const linked = await attachFiles(attachments, fileOwner(edited), files, body, actor.id, site.path);
          if (linked !== body) await issues.link(edited, linked);
          await removeFiles(fileOwner(edited), removed(values));
          return 'issue-text';
        } finally {
          spare(values);
        }
      },
      multipart,
      () => 0,
    ),
    form(
      'comments/{id}',
      use,
      async (context, values) => {
        const { resource, actor, params } = context;
        const files = uploadedFiles(values);
        try {
          const comment = await commentOf(context, toId(params.id));
          mayChange({ ...resource, comment }, actor);
          mustBeActive(resource.context);
          if (!resource.may('write')) await refuseBlocked(accounts, actor, resource.repository.ownerId);
          checkFiles(attachments, commentFiles, files);
          const body = bodyOf(values);
          const edited = await comments.edit(resource.repository, resource.issue, comment, body, actor);
          const linked = await attachFiles(attachments, commentFileOwner(edited), files, body, actor.id, site.path);
          if (linked !== body) await comments.link(edited, linked);
          await removeFiles(commentFileOwner(edited), removed(values));
          return `issuecomment-${edited.id}`;
        } finally {
          spare(values);
        }
      },
      multipart,
      ({ params }) => toId(params.id),
    ),
    form('comments/{id}/delete', use, async (context) => {
      const { resource, actor, params } = context;
      const comment = await commentOf(context, toId(params.id));
      mayChange({ ...resource, comment }, actor);
      mustBeActive(resource.context);
      await comments.delete(resource.issue, comment, actor);
    }),
    form('reactions', use, async (context, values) => {
      const { resource, actor } = context;
      mustBeActive(resource.context);
      await checkParticipation(accounts, resource, actor);
      const id = toId(formText(values, 'comment'));
      const comment = id ? await shownComment(context, id) : undefined;
      const content = formText(values, 'content', 40);
      if (formText(values, 'remove') === '1') await reactions.remove(resource.issue, comment, actor.id, content);
      else await reactions.add(resource.issue, comment, actor.id, content);
      return id ? `issuecomment-${id}` : 'issue-text';
    }),
    form('labels', write, async ({ resource, actor }, values) => {
      const ids = [values.ids ?? []].flat().map(toId).filter(Boolean);
      const wanted = await labels.usableIn(resource.repository, { ids });
      await issues.edit(resource.repository, resource.issue, { labelIds: wanted.map(({ id }) => id) }, actor);
    }),
    form('milestone', write, async ({ resource, actor }, values) => {
      const milestoneId = toId(formText(values, 'milestone'));
      await issues.edit(resource.repository, resource.issue, { milestoneId }, actor);
    }),
    form('assignees', write, async ({ resource, actor }, values) => {
      const { issue, repository } = resource;
      if (formText(values, 'self') === '1') {
        const [me] = await issueServices.assignees.accountsOf({ repository, isPull: issue.isPull, actor }, [
          actor.name,
        ]);
        await issues.changeAssignees(issue, (present) => [...present, me!.id], actor);
        return;
      }
      const assignees = [values.names ?? []].flat().map((name) => name.slice(0, 255));
      await issues.edit(repository, issue, { assignees: assignees.slice(0, 100) }, actor);
    }),
    form('due', write, async ({ resource, actor }, values) => {
      const given = formText(values, 'due', 20);
      const time = given ? Date.parse(`${given}T00:00:00Z`) : 0;
      if (Number.isNaN(time)) throw Invalid(t.later('due.wrong'), { inputs: { due: t.later('due.wrong') } });
      await issues.edit(resource.repository, resource.issue, { dueAt: time && endOfDay(time) }, actor);
    }),
    form('dependencies', write, ({ resource, actor }, values) =>
      changeDependency(dependencies, resource, actor, values),
    ),
    form('lock', administer, async ({ resource, actor }, values) => {
      const isLocked = formText(values, 'locked') === '1';
      await moderation.setLocked(resource.issue, isLocked, actor, formText(values, 'reason', 200));
    }),
    form('pin', administer, async ({ resource, actor }, values) => {
      const isPinned = formText(values, 'pinned') === '1';
      await (isPinned ? moderation.pin(resource.issue, actor) : moderation.unpin(resource.issue, actor));
    }),
    form('subscription', use, async ({ resource, actor }, values) => {
      const isSubscribed = formText(values, 'subscribed') === '1';
      if (isSubscribed) await refuseBlocked(accounts, actor, resource.repository.ownerId);
      await subscriptions.set(resource.issue, actor.id, isSubscribed);
    }),
    defineRoute({
      method: 'POST',
      path: `${base}/delete`,
      surface: 'page',
      payload: { as: 'form' },
      access: administer,
      async handler({ resource, actor }) {
        if (resource.issue.isPull) throw BadRequest(t.later('moderation.noPull'));
        await issues.delete(resource.issue, actor);
        return reply.redirect(`${repositoryPathOf(site, resource.repository)}/issues`);
      },
    }),
    // For the script that lets tasks be ticked: 409 where the text is another by now.
    defineRoute({
      method: 'POST',
      path: `${base}/task`,
      surface: 'page',
      payload: { as: 'form' },
      access: use,
      request: {
        payload: Joi.object<TaskToggle & { readonly comment: number }>({
          comment: Joi.number().integer().min(0).required(),
          at: Joi.number().integer().min(0).required(),
          done: Joi.boolean().required(),
          mark: Joi.string().max(64).required(),
          total: Joi.number().integer().min(1).required(),
        }).unknown(),
      },
      async handler(context) {
        const { resource, actor, payload } = context;
        const found = context as unknown as PageContext;
        const { repository } = resource;
        const changed = (text: string) => {
          const next = toggleTask(text, payload);
          if (next === undefined) throw Conflict(t.later('error.editedMeanwhile'));
          return next;
        };
        const { database, repositories } = issueServices.deps;
        if (!payload.comment) await mayEdit(found);
        // two people may tick at once: each finds what the other has left
        await database.write(async () => {
          await repositories.hold(repository.id);
          if (payload.comment) {
            const comment = await commentOf(found, payload.comment);
            mayChange({ ...resource, comment }, actor);
            mustBeActive(resource.context);
            if (!resource.may('write')) await refuseBlocked(accounts, actor, repository.ownerId);
            await comments.edit(repository, resource.issue, comment, changed(comment.body), actor);
            return;
          }
          const issue = await reader.byId(resource.issue.id);
          if (!issue) throw NotFound('issue');
          const { contentVersion } = issue;
          await issues.edit(repository, issue, { body: changed(issue.body), contentVersion }, actor);
        });
        return reply.none();
      },
    }),
  ];

  async function removeFiles(owner: ReturnType<typeof fileOwner>, ids: readonly number[]): Promise<void> {
    for (const id of ids) {
      const file = await attachments.byId(owner, id);
      if (file) await attachments.remove([file.id]);
    }
  }
}
