import type { VNode } from 'preact';
import {
  Forbidden,
  NotFound,
  contextWith,
  formRoute,
  formText,
  toId,
  type Access,
  type FormValues,
  type Route,
  type WebPage,
} from '@mortise/plugin-sdk';
import { markupIslands } from '@mortise/markup/api';
import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';
import { conversationIslands, issueResource, pathOf, unitOf, type IssueContext, type TimelineEntry } from '../api.js';

import { commentIn, writtenElsewhere } from '../routes/comments.js';

import { commentFiles, fileOwner } from '../services/attachment-kinds.js';
import { uploadedFiles, maxFiles } from '../services/attach-files.js';

import { conversationOf, type RefusedForm } from './conversation.js';

import { Heading } from './heading.js';

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

export const base = '/{owner}/{repo}/issues/{index}';
export const use = { actor: 'user', resource: issueResource } as const;
export const write = { ...use, mode: 'write' } as const;
export const administer = { ...use, mode: 'admin' } as const;
const longest = 1_000_000;
export const bodyOf = (values: FormValues): string => {
  const given = values.body;
  return (typeof given === 'string' ? given : '').replaceAll('\r\n', '\n').slice(0, longest);
};

export const toVersion = (values: FormValues) => Number(formText(values, 'content_version')) || 0;

export const removed = (values: FormValues) => [values.remove ?? []].flat().map(toId).filter(Boolean);

export const spare = (values: FormValues) => uploadedFiles(values).forEach((file) => file.destroy());

/** What these routes share. */
export function issueContext(deps: PageDeps) {
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
  const removeFiles = async (owner: ReturnType<typeof fileOwner>, ids: readonly number[]): Promise<void> => {
    for (const id of ids) {
      const file = await attachments.byId(owner, id);
      if (file) await attachments.remove([file.id]);
    }
  };
  return {
    pageOf,
    deps,
    issueServices,
    form,
    attachments,
    accounts,
    mayEdit,
    comments,
    issues,
    site,
    multipart,
    removeFiles,
    commentOf,
    shownComment,
    reactions,
    labels,
    dependencies,
    moderation,
    subscriptions,
    reader,
  };
}

export type IssueRouteContext = ReturnType<typeof issueContext>;
