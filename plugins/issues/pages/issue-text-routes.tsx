import { Conflict, formText, Joi, NotFound, postRoute, reply, toId, type Route } from '@mortise/plugin-sdk';

import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';

import { checkParticipation } from '../services/participation.js';
import { mayChange } from '../routes/comments.js';

import { commentFileOwner, commentFiles, fileOwner, issueFiles } from '../services/attachment-kinds.js';
import { checkFiles, uploadedFiles, attachFiles } from '../services/attach-files.js';
import { toggleTask, type TaskToggle } from '../services/task-list.js';

import { type PageContext } from './page-context.js';
import { t } from '../texts/index.js';

import { base, bodyOf, removed, spare, toVersion, use, write, type IssueRouteContext } from './issue-page.js';

const addComment = ({
  form,
  attachments,
  accounts,
  mayEdit,
  issueServices,
  comments,
  issues,
  site,
  multipart,
}: IssueRouteContext) =>
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
  );

const changeTitle = ({ form, mayEdit, issues }: IssueRouteContext) =>
  form('title', use, async (context, values) => {
    await mayEdit(context);
    const { repository, issue } = context.resource;
    await issues.edit(repository, issue, { title: formText(values, 'title', 1000) }, context.actor);
  });

const changeText = ({ form, mayEdit, attachments, issues, site, removeFiles, multipart }: IssueRouteContext) =>
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
  );

const changeComment = ({
  form,
  commentOf,
  accounts,
  attachments,
  comments,
  site,
  removeFiles,
  multipart,
}: IssueRouteContext) =>
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
  );

const deleteComment = ({ form, commentOf, comments }: IssueRouteContext) =>
  form('comments/{id}/delete', use, async (context) => {
    const { resource, actor, params } = context;
    const comment = await commentOf(context, toId(params.id));
    mayChange({ ...resource, comment }, actor);
    mustBeActive(resource.context);
    await comments.delete(resource.issue, comment, actor);
  });

const hideComment = ({ form, shownComment, issueServices }: IssueRouteContext) =>
  form('comments/{id}/hide', write, async (context, values) => {
    const { resource, actor, params } = context;
    mustBeActive(resource.context);
    const comment = await shownComment(context, toId(params.id));
    await issueServices.hiddenComments.hide(resource.issue, comment, formText(values, 'reason', 20), actor);
    return `issuecomment-${comment.id}`;
  });

const showComment = ({ form, shownComment, issueServices }: IssueRouteContext) =>
  form('comments/{id}/show', write, async (context) => {
    const { resource, actor, params } = context;
    mustBeActive(resource.context);
    const comment = await shownComment(context, toId(params.id));
    await issueServices.hiddenComments.show(resource.issue, comment, actor);
    return `issuecomment-${comment.id}`;
  });

const changeReaction = ({ form, accounts, shownComment, reactions }: IssueRouteContext) =>
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
  });

// For the script that lets tasks be ticked: 409 where the text is another by now.
const toggleTaskRoute = ({
  issueServices,
  mayEdit,
  commentOf,
  accounts,
  comments,
  reader,
  issues,
}: IssueRouteContext) =>
  postRoute(
    `${base}/task`,
    use,
    async (context) => {
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
    {
      payload: Joi.object<TaskToggle & { readonly comment: number }>({
        comment: Joi.number().integer().min(0).required(),
        at: Joi.number().integer().min(0).required(),
        done: Joi.boolean().required(),
        mark: Joi.string().max(64).required(),
        total: Joi.number().integer().min(1).required(),
      }).unknown(),
    },
  );

/** Writing, changing and removing texts of issues and their comments, with files, reactions and ticked tasks. */
export const issueTextRoutes = (context: IssueRouteContext): Route[] => [
  addComment(context),
  changeTitle(context),
  changeText(context),
  changeComment(context),
  deleteComment(context),
  hideComment(context),
  showComment(context),
  changeReaction(context),
  toggleTaskRoute(context),
];
