import type { VNode } from 'preact';
import { formatSize, icon, Menu, PostButton } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Attachment } from '@mortise/attachments/api';
import type { CommentMarks, IssuePageContext } from '../api.js';
import type { CommentAuthor } from '../contract/pages.js';
import { readAuthorRoles } from '../services/author-roles.js';
import { readMarks, type GroupedReaction } from '../services/conversation.js';
import { AuthorBadges, badgeAuthors, badgesOf } from './author-badges.js';
import { Folded, HidingControl, type HiddenView } from './hidden-comments.js';
import { emojiOf, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** A text with what users think of it and with its files. */
export interface MarkedText {
  /** 0: of the issue itself. */
  readonly id: number;
  readonly files: readonly Attachment[];
  readonly reactions: readonly GroupedReaction[];
}

export interface MarksProps {
  readonly view: MarkedText;
  /** Below which the forms of the issue lead. */
  readonly action: string;
  readonly path: (path: string) => string;
  /** Of users who reacted. */
  readonly users: ReadonlyMap<number, Account>;
  readonly me: number;
  readonly mayReact: boolean;
  readonly allowed: readonly string[];
  readonly emojiOf: (content: string) => string;
}

/** Below a text: its files, and what users think of it. */
export const MarksBelow = (props: MarksProps): VNode => (
  <>
    {props.view.files.length ? <Files {...props} /> : null}
    {props.view.reactions.length ? <Reactions {...props} /> : null}
  </>
);

const Files = ({ view, path }: MarksProps): VNode => (
  <ul class="list-style-none mt-3 f6" aria-label={t('comment.files')}>
    {view.files.map((file) => (
      <li class="wb-break-word">
        {icon('paperclip')}{' '}
        <a
          href={file.externalUrl || path(`/attachments/${file.uuid}`)}
          rel={file.externalUrl ? 'nofollow noopener' : undefined}
        >
          {file.name}
        </a>{' '}
        {file.externalUrl ? null : <span class="color-fg-muted">{formatSize(file.size)}</span>}
      </li>
    ))}
  </ul>
);

function Reactions(props: MarksProps): VNode {
  const { view, action, me, users, emojiOf, mayReact } = props;
  return (
    <div class="d-flex flex-wrap gap-1 mt-3">
      {view.reactions.map(({ content, userIds, originalAuthors }) => {
        const names = userIds.slice(0, 10).map((id) => users.get(id)?.name ?? t('person.gone'));
        const count = userIds.length + originalAuthors.length;
        const all = [...names, ...originalAuthors].slice(0, 10);
        const label = t('reaction.by', { emoji: content, count, names: all.join(', ') });
        const words = (
          <>
            {emojiOf(content)} {count}
          </>
        );
        const mine = userIds.includes(me);
        return mayReact ? (
          <PostButton
            action={`${action}/reactions`}
            fields={{ comment: view.id, content, remove: mine ? 1 : 0 }}
            label={label}
            class={`btn btn-sm issue-reaction${mine ? ' issue-reaction-mine' : ''}`}
          >
            {words}
          </PostButton>
        ) : (
          <span class="btn btn-sm issue-reaction" title={label}>
            {words}
          </span>
        );
      })}
    </div>
  );
}

export const ReactionMenu = ({ view, action, allowed, emojiOf, me }: MarksProps): VNode => (
  <Menu button={icon('smiley')} label={t('reaction.add')} class="btn-octicon p-1">
    <div class="d-flex flex-wrap p-1">
      {allowed.map((content) => {
        const mine = view.reactions.some((one) => one.content === content && one.userIds.includes(me));
        return (
          <PostButton
            action={`${action}/reactions`}
            fields={{ comment: view.id, content, remove: mine ? 1 : 0 }}
            label={mine ? t('reaction.remove', { emoji: content }) : t('reaction.with', { emoji: content })}
            class={`btn btn-sm btn-invisible${mine ? ' issue-reaction-mine' : ''}`}
          >
            {emojiOf(content)}
          </PostButton>
        );
      })}
    </div>
  </Menu>
);

/** Beside the author of a comment that another plugin shows. */
const MarksMenu = (props: MarksProps & { hidden: HiddenView | undefined; mayHide: boolean }): VNode => (
  <>
    {props.mayReact ? <ReactionMenu {...props} /> : null}
    {props.mayHide ? (
      <Menu button={icon('kebab-horizontal')} label={t('comment.actions')} class="btn-octicon p-1">
        <HidingControl id={props.view.id} hidden={props.hidden} action={props.action} />
      </Menu>
    ) : null}
  </>
);

/** Of comments that another plugin keeps and shows; one batch of queries however many. */
export async function marksOf(
  { issueServices, accounts, site, emojify }: PageDeps,
  { context, actor, repositoryPath }: IssuePageContext,
  comments: readonly CommentAuthor[],
): Promise<ReadonlyMap<number, CommentMarks>> {
  if (comments.length === 0) return new Map();
  const { issue, repository } = context;
  const ids = comments.map(({ id }) => id);
  const { reactions, hidden, files } = await readMarks(issueServices, issue, ids);
  const reacting = ids.flatMap((id) => (reactions.get(id) ?? []).flatMap((one) => one.userIds.slice(0, 10)));
  const hiders = [...hidden.values()].map(({ hiderId }) => hiderId);
  const authors = comments.map(({ authorId }) => authorId);
  const users = await accounts.byIds([...new Set([...authors, ...reacting, ...hiders])]);
  const roles = await readAuthorRoles(issueServices, repository, issue, badgeAuthors(comments, users));
  const isActive = actor.kind === 'user' && !repository.isArchived;
  const props = {
    action: `${repositoryPath}/issues/${issue.index}`,
    path: site.path,
    users,
    me: actor.kind === 'user' ? actor.id : 0,
    mayReact: isActive && (!issue.isLocked || context.may('write')),
    mayHide: isActive && context.may('write'),
    allowed: issueServices.reactions.allowed,
    emojiOf: (content: string) => emojiOf(emojify, content),
  };
  return new Map(
    comments.map((comment): [number, CommentMarks] => {
      const { id } = comment;
      const view = { id, files: files.get(id) ?? [], reactions: reactions.get(id) ?? [] };
      const hiding = hidden.get(id);
      const folded = hiding && { reason: hiding.reason, hider: users.get(hiding.hiderId)?.name };
      return [
        id,
        {
          below: view.files.length + view.reactions.length ? <MarksBelow {...props} view={view} /> : null,
          menu: props.mayReact || props.mayHide ? <MarksMenu {...props} view={view} hidden={folded} /> : null,
          badges: <AuthorBadges badges={badgesOf(roles, issue, comment)} />,
          fold: (text) => <Folded hidden={folded}>{text}</Folded>,
        },
      ];
    }),
  );
}
