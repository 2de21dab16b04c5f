import type { VNode } from 'preact';
import { Csrf, icon, type Slot } from '@mortise/plugin-sdk';
import { MergeBoxRow, type PullPageContext } from '@mortise/pulls/api';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

/** The form that the check boxes at the suggestions of a page belong to. */
export const suggestionsForm = 'apply-suggestions';

interface FormProps {
  /** Path of the pull request's page. */
  readonly own: string;
  /** What the form leads back to, below the pull request. */
  readonly back: string;
}

/** Commits the suggestions that are ticked on the page. */
export const SuggestionsForm = ({ own, back }: FormProps): VNode => (
  <form method="post" action={`${own}/suggestions`} id={suggestionsForm} class="d-flex flex-wrap gap-2">
    <Csrf />
    <input type="hidden" name="back" value={back} />
    <input
      class="form-control input-sm flex-auto min-width-0"
      name="message"
      maxLength={1000}
      placeholder={t('suggestions.message')}
      aria-label={t('suggestions.message')}
    />
    <button class="btn btn-sm" type="submit">
      {icon('git-commit')} {t('suggestions.apply')}
    </button>
  </form>
);

/** At least two: one alone has a button of its own. */
export const isWorthForm = (count: number): boolean => count > 1;

/** In the box at the end of the conversation, for who may push to the head. */
export const suggestionsRow = ({ reviewServices }: PageDeps): Slot<PullPageContext> => ({
  key: 'reviews.suggestions',
  order: 25,
  async render({ context, actor, repositoryPath }) {
    if (!context.pull.isOpen || actor.kind !== 'user' || !context.context.may('read', 'code')) return null;
    const count = await reviewServices.suggestions.countApplicable(context, actor);
    if (!isWorthForm(count)) return null;
    return <SuggestionsRow own={`${repositoryPath}/pulls/${context.issue.index}`} count={count} />;
  },
});

const SuggestionsRow = ({ count, ...form }: Omit<FormProps, 'back'> & { count: number }): VNode => (
  <MergeBoxRow icon="git-commit" tone="muted">
    <strong>{t('suggestions.count', { count })}</strong>
    <p class="color-fg-muted mb-2">{t('suggestions.note')}</p>
    <SuggestionsForm {...form} back="" />
  </MergeBoxRow>
);
