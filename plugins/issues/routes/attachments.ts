import type { Readable } from 'node:stream';
import { Forbidden, Invalid, Joi, NotFound, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import {
  attachmentSchema,
  fileName,
  receiveUpload,
  uploadPayload,
  uploadQuery,
  type AttachmentOwner,
} from '@mortise/attachments/api';
import { mustBeActive } from '@mortise/repositories/api';
import type { IssueContext } from '../api.js';
import { commentFileOwner, fileOwner } from '../services/attachment-kinds.js';
import type { IssueServices } from '../services/services.js';
import { commentIn, type CommentContext } from './comments.js';
import { isAuthor, issuePath, issuesPath, number, readIssue, readRepository, tags, useIssue } from './route-options.js';
import { t } from '../texts/index.js';

const list = Joi.array().items(attachmentSchema).label('AttachmentList');
const renameBody = Joi.object<{ readonly name?: string | null }>({ name: Joi.string().allow('', null).max(255) }).label(
  'EditAttachmentOptions',
);
const byFile = Joi.object<{ readonly attachment_id: number }>({ attachment_id: number });
const byComment = Joi.object<{ readonly id: number }>({ id: number });
const byBoth = Joi.object<{ readonly id: number; readonly attachment_id: number }>({
  id: number,
  attachment_id: number,
});

const mayAttach = (found: IssueContext, actor: Actor) => {
  if (!isAuthor(actor, found.issue.posterId, found.may) && !found.may('write'))
    throw Forbidden(t.later('error.needs', { mode: 'write' }));
  mustBeActive(found.context);
};

// Who may write may change what others wrote, but adds no files to it.
const mayAttachTo = (found: CommentContext, actor: Actor) => {
  if (!isAuthor(actor, found.comment.actorId, found.may) && !found.may('admin'))
    throw Forbidden(t.later('error.needs', { mode: 'admin' }));
  mustBeActive(found.context);
};

const ofIssue = `${issuePath}/assets` as const;

const ofComment = `${issuesPath}/comments/{id}/assets` as const;

const use = { ...readRepository, actor: 'user' } as const;

/** What these routes share. */
function attachmentContext(services: IssueServices) {
  const { attachments } = services.deps;
  const fileOf = async (owner: AttachmentOwner, id: number) => {
    const file = await attachments.byId(owner, id);
    if (!file) throw NotFound('file');
    return file;
  };
  const all = async (owner: AttachmentOwner) =>
    ((await attachments.list(owner.kind, [owner.ownerId])).get(owner.ownerId) ?? []).map((file) =>
      attachments.toApi(file),
    );
  const rename = async (owner: AttachmentOwner, id: number, name: string | null | undefined) => {
    const file = await fileOf(owner, id);
    return reply.created(attachments.toApi(name ? await attachments.rename(file, fileName(name, Invalid)) : file));
  };
  const remove = async (owner: AttachmentOwner, id: number) => {
    await attachments.remove([(await fileOf(owner, id)).id]);
    return reply.none();
  };
  return { all, attachments, fileOf, rename, remove, services };
}

type AttachmentRouteContext = ReturnType<typeof attachmentContext>;

const issueListIssueAttachments = ({ all }: AttachmentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: ofIssue,
    id: 'issueListIssueAttachments',
    tags,
    summary: 'Files of an issue',
    access: readIssue,
    responses: { 200: list, 404: null },
    handler: ({ resource }) => all(fileOwner(resource.issue)),
  });

const issueCreateIssueAttachment = ({ attachments }: AttachmentRouteContext) =>
  defineRoute({
    method: 'POST',
    path: ofIssue,
    id: 'issueCreateIssueAttachment',
    tags,
    summary: 'Add a file to an issue, as the form field "attachment" or as the body itself with "name"',
    access: useIssue,
    request: { query: uploadQuery },
    payload: uploadPayload,
    responses: { 201: attachmentSchema, 400: null, 404: null, 413: null, 423: null },
    async handler({ actor, resource, query, payload, headers }) {
      mayAttach(resource, actor);
      const upload = { query, payload: payload as Readable, headers, actorId: actor.id };
      return reply.created(attachments.toApi(await receiveUpload(attachments, fileOwner(resource.issue), upload)));
    },
  });

const issueGetIssueAttachment = ({ attachments, fileOf }: AttachmentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${ofIssue}/{attachment_id}`,
    id: 'issueGetIssueAttachment',
    tags,
    summary: 'One file of an issue',
    access: readIssue,
    request: { params: byFile },
    responses: { 200: attachmentSchema, 404: null },
    handler: async ({ resource, params }) =>
      attachments.toApi(await fileOf(fileOwner(resource.issue), params.attachment_id)),
  });

const issueEditIssueAttachment = ({ rename }: AttachmentRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${ofIssue}/{attachment_id}`,
    id: 'issueEditIssueAttachment',
    tags,
    summary: 'Rename a file of an issue',
    access: useIssue,
    request: { params: byFile, payload: renameBody },
    responses: { 201: attachmentSchema, 404: null, 423: null },
    handler({ actor, resource, params, payload }) {
      mayAttach(resource, actor);
      return rename(fileOwner(resource.issue), params.attachment_id, payload.name);
    },
  });

const issueDeleteIssueAttachment = ({ remove }: AttachmentRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${ofIssue}/{attachment_id}`,
    id: 'issueDeleteIssueAttachment',
    tags,
    summary: 'Delete a file of an issue',
    access: useIssue,
    request: { params: byFile },
    responses: { 204: null, 404: null, 423: null },
    handler({ actor, resource, params }) {
      mayAttach(resource, actor);
      return remove(fileOwner(resource.issue), params.attachment_id);
    },
  });

const issueListIssueCommentAttachments = ({ all, services }: AttachmentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: ofComment,
    id: 'issueListIssueCommentAttachments',
    tags,
    summary: 'Files of a comment',
    access: readRepository,
    request: { params: byComment },
    responses: { 200: list, 404: null },
    handler: async ({ actor, resource, params }) =>
      all(commentFileOwner((await commentIn(services, resource, params.id, actor)).comment)),
  });

const issueCreateIssueCommentAttachment = ({ services, attachments }: AttachmentRouteContext) =>
  defineRoute({
    method: 'POST',
    path: ofComment,
    id: 'issueCreateIssueCommentAttachment',
    tags,
    summary: 'Add a file to a comment, as the form field "attachment" or as the body itself with "name"',
    access: use,
    request: { params: byComment, query: uploadQuery },
    payload: uploadPayload,
    responses: { 201: attachmentSchema, 400: null, 404: null, 413: null, 423: null },
    async handler({ actor, resource, params, query, payload, headers }) {
      const inIssue = await commentIn(services, resource, params.id, actor);
      mayAttachTo(inIssue, actor);
      const upload = { query, payload: payload as Readable, headers, actorId: actor.id };
      return reply.created(
        attachments.toApi(await receiveUpload(attachments, commentFileOwner(inIssue.comment), upload)),
      );
    },
  });

const issueGetIssueCommentAttachment = ({ services, attachments, fileOf }: AttachmentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${ofComment}/{attachment_id}`,
    id: 'issueGetIssueCommentAttachment',
    tags,
    summary: 'One file of a comment',
    access: readRepository,
    request: { params: byBoth },
    responses: { 200: attachmentSchema, 404: null },
    async handler({ actor, resource, params }) {
      const { comment } = await commentIn(services, resource, params.id, actor);
      return attachments.toApi(await fileOf(commentFileOwner(comment), params.attachment_id));
    },
  });

const issueEditIssueCommentAttachment = ({ services, rename }: AttachmentRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${ofComment}/{attachment_id}`,
    id: 'issueEditIssueCommentAttachment',
    tags,
    summary: 'Rename a file of a comment',
    access: use,
    request: { params: byBoth, payload: renameBody },
    responses: { 201: attachmentSchema, 404: null, 423: null },
    async handler({ actor, resource, params, payload }) {
      const inIssue = await commentIn(services, resource, params.id, actor);
      mayAttachTo(inIssue, actor);
      return rename(commentFileOwner(inIssue.comment), params.attachment_id, payload.name);
    },
  });

const issueDeleteIssueCommentAttachment = ({ services, remove }: AttachmentRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${ofComment}/{attachment_id}`,
    id: 'issueDeleteIssueCommentAttachment',
    tags,
    summary: 'Delete a file of a comment',
    access: use,
    request: { params: byBoth },
    responses: { 204: null, 404: null, 423: null },
    async handler({ actor, resource, params }) {
      const inIssue = await commentIn(services, resource, params.id, actor);
      mayAttachTo(inIssue, actor);
      return remove(commentFileOwner(inIssue.comment), params.attachment_id);
    },
  });

/** ISS-11: files of issues and comments, for whoever wrote them and those who may write. */
export function attachmentRoutes(services: IssueServices): Route[] {
  const context = attachmentContext(services);
  return [
    issueListIssueAttachments(context),
    issueCreateIssueAttachment(context),
    issueGetIssueAttachment(context),
    issueEditIssueAttachment(context),
    issueDeleteIssueAttachment(context),
    issueListIssueCommentAttachments(context),
    issueCreateIssueCommentAttachment(context),
    issueGetIssueCommentAttachment(context),
    issueEditIssueCommentAttachment(context),
    issueDeleteIssueCommentAttachment(context),
  ];
}
