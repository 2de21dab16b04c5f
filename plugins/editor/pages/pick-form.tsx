import type { VNode } from 'preact';
import { Csrf, icon, type Text } from '@mortise/plugin-sdk';
import type { Commit } from '@mortise/git/api';
import { bodyOf, subjectOf } from '@mortise/history/api';
import type { EditTarget } from '../services/target.js';
import { t } from '../texts/index.js';
import { CommitBox, freshDraft, type CommitDraft } from './commit-box.js';
import { Refusal, type Frame, type PickAction } from './frame.js';

/** Longest summary that a form takes. */
const maxSummary = 500;

/** What git writes by itself into such commits: English, as all that is kept in histories. */
export function pickDraft(target: EditTarget, commit: Commit, action: PickAction): CommitDraft {
  const subject = subjectOf(commit.message);
  const draft = freshDraft(target);
  if (action === '_revert')
    return {
      ...draft,
      summary: `Revert "${subject.slice(0, maxSummary - 9)}"`,
      description: `This reverts commit ${commit.oid}.`,
    };
  const origin = `(cherry picked from commit ${commit.oid})`;
  return { ...draft, summary: subject, description: [bodyOf(commit.message), origin].filter(Boolean).join('\n\n') };
}

export interface PickFormProps {
  readonly frame: Frame;
  readonly target: EditTarget;
  readonly csrf: string;
  readonly action: PickAction;
  readonly picked: Commit;
  readonly commit: CommitDraft;
  readonly error?: Text;
}

/** Reverts a commit, or applies it to another branch. */
export function PickForm({ frame, target, csrf, action, picked, commit, error }: PickFormProps): VNode {
  const isRevert = action === '_revert';
  return (
    <>
      <h2 class="f3 mb-2">{isRevert ? t('pick.revertTitle') : t('pick.title')}</h2>
      <p class="wb-break-word">
        <a href={frame.commit(target, picked.oid)}>
          <span class="text-mono">{picked.oid.slice(0, 10)}</span> {subjectOf(picked.message)}
        </a>
      </p>
      {picked.parents.length > 1 ? <p class="note mb-3">{t('pick.merge')}</p> : null}
      <form method="get" class="d-flex flex-wrap flex-items-center gap-2 mb-3">
        <label for="pick-branch">{t('pick.branch')}</label>
        <input
          id="pick-branch"
          class="form-control input-sm"
          name="branch"
          value={target.branch}
          required
          maxLength={255}
          spellcheck={false}
        />
        <button class="btn btn-sm" type="submit">
          {icon('git-branch')} {t('pick.change')}
        </button>
      </form>
      <form method="post" action={frame.pick(target, action, picked.oid)}>
        <Csrf token={csrf} />
        <Refusal text={error} />
        <CommitBox target={target} draft={commit} placeholder={subjectOf(picked.message)} />
        <div class="d-flex flex-wrap gap-2 mb-4">
          <button class="btn btn-primary" type="submit">
            {icon('git-commit')} {isRevert ? t('pick.revert') : t('pick.pick')}
          </button>
          <a class="btn" href={frame.commit(target, picked.oid)}>
            {t('cancel')}
          </a>
        </div>
      </form>
    </>
  );
}
