import type { VNode } from 'preact';
import { Ago, Csrf, formatSize, icon, Menu, PostButton } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Attachment } from '@mortise/attachments/api';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { GroupedReaction } from '../services/conversation.js';
import { TextEditor } from './editor.js';
import { Avatar, PersonLink } from './shared.js';
import { taskMark } from '../services/tasks.js';
import { t } from '../texts/index.js';

/** A text of a conversation: of the issue, or a comment. */
export interface WrittenView {
  /** 0: of the issue itself. */
  readonly id: number;
  readonly author: Account | undefined;
  readonly body: string;
  readonly html: SafeHtml;
  readonly createdAt: number;
  readonly isEdited: boolean;
  readonly files: readonly Attachment[];
  readonly reactions: readonly GroupedReaction[];
  readonly mayChange: boolean;
  /** Only comments can be deleted by themselves. */
  readonly mayDelete: boolean;
  /** What is written in its place while it is edited; undefined: it is shown. */
  readonly draft?: { readonly text: string; readonly contentVersion: number; readonly theirs?: string };
}

export interface CardProps {
  readonly view: WrittenView;
  /** Below which the forms of the issue lead. */
  readonly action: string;
  /** Path of the page. */
  readonly page: string;
  readonly csrf: string;
  readonly path: (path: string) => string;
  readonly avatarUrl: (account: Account) => string;
  /** Of people who reacted. */
  readonly people: ReadonlyMap<number, Account>;
  readonly me: number;
  readonly mayReact: boolean;
  readonly allowed: readonly string[];
  readonly emojiOf: (content: string) => string;
  readonly repository: string;
  readonly maxBytes: number | undefined;
}

export const anchorOf = (id: number): string => (id ? `issuecomment-${id}` : 'issue-text');

export function CommentCard(props: CardProps): VNode {
  const { view, page, action, csrf, path } = props;
  const anchor = anchorOf(view.id);
  return (
    <article
      class="d-flex gap-3 mb-3 issue-comment"
      id={anchor}
      aria-label={t('comment.by', { name: view.author?.name ?? t('person.gone') })}
    >
      <div class="d-none d-md-block flex-shrink-0">
        {view.author ? <Avatar src={props.avatarUrl(view.author)} size={40} /> : null}
      </div>
      <div class="Box flex-auto min-width-0">
        <div class="Box-header issue-comment-head f6">
          <span class="flex-auto color-fg-muted">
            {t.rich('comment.written', {
              name: <PersonLink account={view.author} path={path} />,
              when: (
                <a class="Link--muted" href={`${page}#${anchor}`}>
                  <Ago time={view.createdAt} />
                </a>
              ),
            })}
            {view.isEdited ? (
              <>
                {' · '}
                <a class="Link--muted text-underline" href={`${action}/history?comment=${view.id}`}>
                  {t('comment.edited')}
                </a>
              </>
            ) : null}
          </span>
          {props.mayReact ? <ReactionMenu {...props} /> : null}
          {props.me ? (
            <Menu button={icon('kebab-horizontal')} label={t('comment.actions')} class="btn-octicon p-1">
              <a class="dropdown-item" href={`${page}?quote=${view.id}#comment-form`} data-quote={view.body}>
                {t('comment.quote')}
              </a>
              {view.mayChange ? (
                <a class="dropdown-item" href={`${page}?edit=${view.id}#${anchor}`}>
                  {t('comment.edit')}
                </a>
              ) : null}
              {view.mayDelete ? (
                <PostButton
                  action={`${action}/comments/${view.id}/delete`}
                  csrf={csrf}
                  class="dropdown-item color-fg-danger"
                  confirm={t('comment.deleteConfirm')}
                >
                  {t('comment.delete')}
                </PostButton>
              ) : null}
            </Menu>
          ) : null}
        </div>
        <div class="Box-body">{view.draft ? <EditForm {...props} draft={view.draft} /> : <Shown {...props} />}</div>
      </div>
    </article>
  );
}

function Shown(props: CardProps): VNode {
  const { view } = props;
  return (
    <>
      {view.body.trim() ? (
        <div
          class="issue-body"
          {...(view.mayChange &&
            /\[[ xX]\]/.test(view.body) && {
              'data-tasks': `${props.action}/task`,
              'data-mark': taskMark(view.body),
              'data-comment': view.id,
              'data-csrf': props.csrf,
            })}
        >
          <MarkupBody html={view.html} />
        </div>
      ) : (
        <p class="color-fg-muted mb-0">
          <em>{t('comment.nothing')}</em>
        </p>
      )}
      {view.files.length ? <Files {...props} /> : null}
      {view.reactions.length ? <Reactions {...props} /> : null}
    </>
  );
}

const Files = ({ view, path }: CardProps): VNode => (
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

function Reactions(props: CardProps): VNode {
  const { view, action, csrf, me, people, emojiOf, mayReact } = props;
  return (
    <div class="d-flex flex-wrap gap-1 mt-3">
      {view.reactions.map(({ content, userIds }) => {
        const names = userIds.slice(0, 10).map((id) => people.get(id)?.name ?? t('person.gone'));
        const label = t('reaction.by', { emoji: content, count: userIds.length, names: names.join(', ') });
        const words = (
          <>
            {emojiOf(content)} {userIds.length}
          </>
        );
        const mine = userIds.includes(me);
        return mayReact ? (
          <PostButton
            action={`${action}/reactions`}
            csrf={csrf}
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

const ReactionMenu = ({ view, action, csrf, allowed, emojiOf, me }: CardProps): VNode => (
  <Menu button={icon('smiley')} label={t('reaction.add')} class="btn-octicon p-1">
    <div class="d-flex flex-wrap p-1">
      {allowed.map((content) => {
        const mine = view.reactions.some((one) => one.content === content && one.userIds.includes(me));
        return (
          <PostButton
            action={`${action}/reactions`}
            csrf={csrf}
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

function EditForm({
  view,
  draft,
  action,
  page,
  csrf,
  repository,
  maxBytes,
}: CardProps & { draft: NonNullable<WrittenView['draft']> }): VNode {
  return (
    <form
      method="post"
      action={view.id ? `${action}/comments/${view.id}` : `${action}/content`}
      encType="multipart/form-data"
    >
      <Csrf token={csrf} />
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
