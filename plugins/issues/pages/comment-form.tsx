import type { VNode } from 'preact';
import { Csrf } from '@mortise/plugin-sdk';
import { TextEditor } from './editor.js';
import { Avatar } from './page-context.js';
import { t } from '../texts/index.js';

export interface CommentFormProps {
  readonly action: string;
  readonly repository: string;
  readonly text: string;
  readonly maxBytes: number | undefined;
  readonly state: 'signedOut' | 'locked' | 'archived' | 'open';
  readonly signIn: string;
  readonly isClosed: boolean;
  readonly mayClose: boolean;
  readonly avatar: string | undefined;
}

/** The form for a new comment, or why there is none. */
export function CommentForm(props: CommentFormProps): VNode {
  const { state, action, isClosed } = props;
  if (state !== 'open')
    return (
      <p class="Box p-3 mt-3 color-fg-muted" id="comment-form">
        {state === 'signedOut'
          ? t.rich('form.signIn', { link: (text) => <a href={props.signIn}>{text}</a> })
          : state === 'locked'
            ? t('error.locked')
            : t('form.archived')}
      </p>
    );
  return (
    <section class="d-flex gap-3 mt-3" id="comment-form" aria-label={t('form.title')}>
      <div class="d-none d-md-block flex-shrink-0">{props.avatar ? <Avatar src={props.avatar} size={40} /> : null}</div>
      <form
        class="Box p-3 flex-auto min-width-0"
        method="post"
        action={`${action}/comments`}
        encType="multipart/form-data"
      >
        <Csrf />
        <TextEditor
          id="comment-body"
          name="body"
          label={t('form.title')}
          value={props.text}
          repository={props.repository}
          files={{ maxBytes: props.maxBytes }}
          hidden={false}
        />
        <div class="d-flex flex-wrap flex-justify-end gap-2">
          {props.mayClose ? (
            <button
              class="btn"
              type="submit"
              name="action"
              value={isClosed ? 'reopen' : 'close'}
              data-with-comment={isClosed ? t('form.reopenWithComment') : t('form.closeWithComment')}
            >
              {isClosed ? t('form.reopen') : t('form.close')}
            </button>
          ) : null}
          <button class="btn btn-primary" type="submit" name="action" value="comment">
            {t('form.comment')}
          </button>
        </div>
      </form>
    </section>
  );
}
