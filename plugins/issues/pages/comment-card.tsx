import type { VNode } from 'preact';
import {
  Ago,
  CopyButton,
  Csrf,
  csrfToken,
  formatAgo,
  icon,
  FragmentCache,
  Menu,
  PostButton,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import { AuthorBadges, type AuthorBadge } from './author-badges.js';
import { MarksBelow, ReactionMenu, type MarkedText, type MarksProps } from './comment-marks.js';
import { TextEditor } from './editor.js';
import { Folded, HidingControl, type HiddenView } from './hidden-comments.js';
import { Avatar, UserLink } from './page-context.js';
import { taskListHash } from '../services/task-list.js';
import { t } from '../texts/index.js';

/** A text of a conversation: of the issue, or a comment. */
export interface WrittenView extends MarkedText {
  readonly author: Account | undefined;
  /** Who wrote it where it was imported from; empty: the author did. */
  readonly originalAuthor: string;
  readonly body: string;
  readonly html: SafeHtml;
  readonly createdAt: number;
  readonly isEdited: boolean;
  readonly badges: readonly AuthorBadge[];
  readonly hidden: HiddenView | undefined;
  readonly mayHide: boolean;
  readonly mayChange: boolean;
  /** Only comments can be deleted by themselves. */
  readonly mayDelete: boolean;
  /** What is written in its place while it is edited; undefined: it is shown. */
  readonly draft?: { readonly text: string; readonly contentVersion: number; readonly theirs?: string };
}

export interface CardProps extends MarksProps {
  readonly view: WrittenView;
  /** Path of the page. */
  readonly page: string;
  /** The page's whole address. */
  readonly address: string;
  readonly avatarUrl: (account: Account) => string;
  readonly repository: string;
  readonly maxBytes: number | undefined;
}

const anchorOf = (id: number): string => (id ? `issuecomment-${id}` : 'issue-text');

export function CommentCard(props: CardProps): VNode {
  if (props.me) return <Card {...props} />;
  return (
    <FragmentCache name="issues.comment" cacheKey={commentForVisitors(props)}>
      {() => <Card {...props} />}
    </FragmentCache>
  );
}

/** All that a card shows to somebody who is not signed in, and who therefore gets no form: see `Card`. */
function commentForVisitors({ view, page, path, avatarUrl, users, repository }: CardProps): string {
  const { id, author, originalAuthor, body, html, createdAt, isEdited, badges, hidden, files, reactions } = view;
  const facts = JSON.stringify([
    path('/'),
    page,
    repository,
    id,
    author && [author.name, author.fullName, avatarUrl(author)],
    originalAuthor,
    body.trim() === '',
    createdAt,
    formatAgo(createdAt),
    isEdited,
    badges,
    hidden,
    files.map(({ uuid, name, size, externalUrl }) => [uuid, name, size, externalUrl]),
    reactions.map(({ content, userIds, originalAuthors }) => [
      content,
      userIds.length,
      userIds.slice(0, 10).map((user) => users.get(user)?.name),
      originalAuthors,
    ]),
  ]);
  return facts + html;
}

function Card(props: CardProps): VNode {
  const { view, page, path } = props;
  const anchor = anchorOf(view.id);
  return (
    <article
      class="d-flex gap-3 mb-3 issue-comment"
      id={anchor}
      aria-label={t('comment.by', { name: view.originalAuthor || (view.author?.name ?? t('person.gone')) })}
    >
      <div class="d-none d-md-block flex-shrink-0">
        {view.author && !view.originalAuthor ? <Avatar src={props.avatarUrl(view.author)} size={40} /> : null}
      </div>
      <div class="Box flex-auto min-width-0">
        <div class="Box-header issue-comment-head f6">
          <span class="flex-auto color-fg-muted">
            {t.rich('comment.written', {
              name: <UserLink account={view.author} originalAuthor={view.originalAuthor} path={path} />,
              when: (
                <a class="Link--muted" href={`${page}#${anchor}`}>
                  <Ago time={view.createdAt} />
                </a>
              ),
            })}
            {view.isEdited ? (
              <>
                {' · '}
                <a class="Link--muted text-underline" href={`${props.action}/history?comment=${view.id}`}>
                  {t('comment.edited')}
                </a>
              </>
            ) : null}
            <AuthorBadges badges={view.badges} />
          </span>
          {props.mayReact ? <ReactionMenu {...props} /> : null}
          {props.me ? <CardMenu {...props} anchor={anchor} /> : null}
        </div>
        <div class="Box-body">
          {view.draft ? (
            <EditForm {...props} draft={view.draft} />
          ) : (
            <Folded hidden={view.hidden}>
              <RenderedComment {...props} />
            </Folded>
          )}
        </div>
      </div>
    </article>
  );
}

/** What can be done with a text. */
const CardMenu = ({ view, page, address, action, anchor }: CardProps & { anchor: string }): VNode => (
  <Menu button={icon('kebab-horizontal')} label={t('comment.actions')} class="btn-octicon p-1">
    <CopyButton menu text={`${address}#${anchor}`} label={t('comment.copyLink')} />
    <a class="dropdown-item" href={`${page}?quote=${view.id}#comment-form`} data-quote={view.body}>
      {t('comment.quote')}
    </a>
    {view.mayChange ? (
      <a class="dropdown-item" href={`${page}?edit=${view.id}#${anchor}`}>
        {t('comment.edit')}
      </a>
    ) : null}
    {view.mayHide ? <HidingControl id={view.id} hidden={view.hidden} action={action} /> : null}
    {view.mayDelete ? (
      <PostButton
        action={`${action}/comments/${view.id}/delete`}
        class="dropdown-item color-fg-danger"
        confirm={t('comment.deleteConfirm')}
      >
        {t('comment.delete')}
      </PostButton>
    ) : null}
  </Menu>
);

function RenderedComment(props: CardProps): VNode {
  const { view } = props;
  return (
    <>
      {view.body.trim() ? (
        <div
          class="issue-body"
          {...(view.mayChange &&
            /\[[ xX]\]/.test(view.body) && {
              'data-tasks': `${props.action}/task`,
              'data-mark': taskListHash(view.body),
              'data-comment': view.id,
              'data-csrf': csrfToken(),
            })}
        >
          <MarkupBody html={view.html} outline />
        </div>
      ) : (
        <p class="color-fg-muted mb-0">
          <em>{t('comment.nothing')}</em>
        </p>
      )}
      <MarksBelow {...props} />
    </>
  );
}

function EditForm({
  view,
  draft,
  action,
  page,
  repository,
  maxBytes,
}: CardProps & { draft: NonNullable<WrittenView['draft']> }): VNode {
  return (
    <form
      method="post"
      action={view.id ? `${action}/comments/${view.id}` : `${action}/content`}
      encType="multipart/form-data"
    >
      <Csrf />
      <input type="hidden" name="content_version" value={draft.contentVersion} />
      {draft.theirs === undefined ? null : (
        <details class="mb-3" open>
          <summary>{t('edit.theirs')}</summary>
          <pre class="Box p-2 mt-1 overflow-auto" tabIndex={0}>
            {draft.theirs}
          </pre>
        </details>
      )}
      <TextEditor
        id={`edit-${view.id}`}
        name="body"
        label={t('edit.label')}
        value={draft.text}
        lines={10}
        repository={repository}
        files={{ maxBytes }}
      />
      {view.files.length ? (
        <fieldset class="border-0 p-0 mb-2 f6">
          <legend>{t('edit.removeFiles')}</legend>
          {view.files.map(({ id, name }) => (
            <label class="d-block text-normal">
              <input type="checkbox" name="remove" value={id} /> {name}
            </label>
          ))}
        </fieldset>
      ) : null}
      <div class="d-flex gap-2">
        <button class="btn btn-primary" type="submit">
          {t('edit.save')}
        </button>
        <a class="btn" href={`${page}#${anchorOf(view.id)}`}>
          {t('edit.cancel')}
        </a>
      </div>
    </form>
  );
}
