import type { VNode } from 'preact';
import { Csrf, icon, PostButton } from '@mortise/plugin-sdk';
import type { IssuePages } from '@mortise/issues/api';
import type { Review } from '../contract/reviews.js';
import { t } from '../texts/index.js';

export interface FormContext {
  /** Path of the pull request's page. */
  readonly own: string;
  readonly repository: string;
  readonly Editor: IssuePages['Editor'];
  /** What forms lead back to, below the pull request. */
  readonly back: string;
}

interface FinishProps extends FormContext {
  /** The head that was looked at. */
  readonly commit: string;
  /** What is kept for later, with its number of comments. */
  readonly pending: { readonly review: Review; readonly count: number } | undefined;
  /** One's own can neither be approved nor rejected, nor one that is closed. */
  readonly mayJudge: boolean;
  readonly isOwn: boolean;
}

const verdicts = ['comment', 'approved', 'rejected'] as const;

/** Sends a review: an opinion, words, and the comments that are kept for it. */
export function FinishForm(props: FinishProps): VNode {
  const { own, repository, Editor, commit, pending, mayJudge, isOwn } = props;
  return (
    <>
      <form method="post" action={`${own}/reviews`}>
        <Csrf />
        <input type="hidden" name="commit" value={commit} />
        <Editor
          id="review-body"
          name="body"
          label={t('finish.body')}
          value={pending?.review.body ?? ''}
          lines={5}
          repository={repository}
          hidden={false}
        />
        <fieldset class="border-0 p-0 mb-2">
          <legend class="sr-only">{t('finish.verdict')}</legend>
          {verdicts.map((verdict) => (
            <label class="d-block text-normal review-verdict">
              <input
                type="radio"
                name="state"
                value={verdict}
                checked={verdict === 'comment'}
                disabled={verdict !== 'comment' && !mayJudge}
              />{' '}
              <strong>{t(`finish.${verdict}`)}</strong>
              <span class="d-block f6 color-fg-muted">{t(`finish.${verdict}.note`)}</span>
            </label>
          ))}
          {mayJudge ? null : <p class="note">{isOwn ? t('finish.own') : t('finish.closed')}</p>}
        </fieldset>
        <button class="btn btn-sm btn-primary" type="submit">
          {pending ? t('finish.submitWith', { count: pending.count }) : t('finish.submit')}
        </button>
      </form>
      {pending ? (
        <div class="mt-2">
          <PostButton
            action={`${own}/reviews/${pending.review.id}/discard`}
            class="btn-link f6 color-fg-danger"
            formClass="confirm-start"
            confirm={t('finish.discardConfirm', { count: pending.count })}
          >
            {t('finish.discard')}
          </PostButton>
        </div>
      ) : null}
    </>
  );
}

/** The button above the files, with the form behind it. */
export const Finish = (props: FinishProps): VNode => (
  <details class="dropdown details-reset d-inline-block review-finish" id="review-finish">
    <summary class="btn btn-sm btn-primary">
      {props.pending ? t('finish.title', { count: props.pending.count }) : t('finish.begin')}{' '}
      <span class="dropdown-caret" />
    </summary>
    <div class="dropdown-menu dropdown-menu-sw p-3 review-finish-body">
      <FinishForm {...props} />
    </div>
  </details>
);

interface LineFormProps extends FormContext {
  readonly commit: string;
  readonly hasPending: boolean;
  /** Path of the file, where the lines are typed; absent: a script fills everything in. */
  readonly path?: string;
  /** Sides that can be commented on. */
  readonly sides: readonly ('new' | 'old')[];
}

/** Writes a comment on lines of a file. */
export function LineForm(props: LineFormProps): VNode {
  const { own, repository, Editor, commit, hasPending, path, back, sides } = props;
  const id = path === undefined ? 'line-comment' : 'file-comment';
  const number = (name: string, label: string, required: boolean) => (
    <label class="text-normal f6">
      {label}{' '}
      <input class="form-control input-sm review-number" type="number" name={name} min={1} required={required} />
    </label>
  );
  return (
    <form method="post" action={`${own}/reviews/comments`} class="review-form">
      <Csrf />
      <input type="hidden" name="commit" value={commit} />
      <input type="hidden" name="back" value={back} />
      <input type="hidden" name="path" value={path ?? ''} />
      <div class="d-flex flex-wrap flex-items-center gap-2 mb-2">
        {path === undefined ? (
          <>
            <input type="hidden" name="side" value="" />
            <strong class="f6" data-review-lines />
            <input type="hidden" name="line" value="" />
            {number('start_line', t('form.since'), false)}
          </>
        ) : (
          <>
            <select class="form-select select-sm" name="side" aria-label={t('form.side')}>
              {sides.map((side) => (
                <option value={side}>{t(`form.side.${side}`)}</option>
              ))}
            </select>
            {number('line', t('form.line'), true)}
            {number('start_line', t('form.since'), false)}
          </>
        )}
        {path === undefined ? (
          <button class="btn btn-sm" type="button" data-review-suggest>
            {icon('file-diff')} {t('form.suggest')}
          </button>
        ) : null}
      </div>
      <Editor id={id} name="body" label={t('form.body')} lines={4} required repository={repository} />
      <div class="d-flex flex-wrap gap-2">
        {hasPending ? null : (
          <button class="btn btn-sm" type="submit" name="action" value="single">
            {t('form.single')}
          </button>
        )}
        <button class="btn btn-sm btn-primary" type="submit" name="action" value="review">
          {hasPending ? t('form.add') : t('form.start')}
        </button>
        {path === undefined ? (
          <button class="btn btn-sm" type="button" data-review-cancel>
            {t('form.cancel')}
          </button>
        ) : (
          <a class="btn btn-sm" href={`${own}/${back}`}>
            {t('form.cancel')}
          </a>
        )}
      </div>
    </form>
  );
}
