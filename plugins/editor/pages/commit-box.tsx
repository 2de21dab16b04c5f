import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { EditTarget } from '../services/target.js';
import { t } from '../texts/index.js';

/** The lower half of each form: what the commit says, and where it goes. */
export interface CommitDraft {
  readonly summary: string;
  readonly description: string;
  /** Name of the branch to make; empty: commit to the branch that is shown. */
  readonly newBranch: string;
  readonly toNewBranch: boolean;
  readonly signoff: boolean;
}

/** Messages of commits for which nobody wrote one: English, as all that is kept in histories. */
export const defaultMessages = {
  patch: 'Apply patch',
  upload: 'Upload files',
  delete: (path: string) => `Delete ${path}`,
} as const;

export const freshDraft = (target: EditTarget): CommitDraft => ({
  summary: '',
  description: '',
  newBranch: target.proposal,
  toNewBranch: !target.mayPush && target.mayBranch,
  signoff: false,
});

interface Props {
  readonly target: EditTarget;
  readonly draft: CommitDraft;
  /** What the commit is called when nobody says. */
  readonly placeholder: string;
}

export function CommitBox({ target, draft, placeholder }: Props): VNode {
  return (
    <fieldset class="Box p-3 mb-3">
      <legend class="sr-only">{t('commit.title')}</legend>
      <h2 class="f4 mb-2">{t('commit.title')}</h2>
      <input
        class="form-control input-block mb-2"
        name="summary"
        aria-label={t('commit.summary')}
        maxLength={500}
        value={draft.summary}
        placeholder={placeholder}
      />
      <textarea
        class="form-control input-block mb-2"
        name="description"
        aria-label={t('commit.description')}
        rows={3}
        maxLength={65_536}
        placeholder={t('commit.descriptionHint')}
      >
        {`\n${draft.description}`}
      </textarea>
      <div class="form-checkbox mt-2 mb-0">
        <label class="text-normal">
          <input type="checkbox" name="signoff" value="on" checked={draft.signoff} />{' '}
          {t.rich('commit.signoff', { code: (children) => <code>{children}</code> })}
        </label>
      </div>
      <TargetChoice target={target} draft={draft} />
    </fieldset>
  );
}

/** The branch that is shown, or a new one that begins there. */
function TargetChoice({ target, draft }: Pick<Props, 'target' | 'draft'>): VNode {
  const branch = (
    <span class="branch-name">
      {icon('git-branch')} {target.branch}
    </span>
  );
  return (
    <div class="form-checkbox mt-2 mb-0" role="radiogroup" aria-label={t('commit.where')}>
      <label class="d-block text-normal mb-1">
        <input type="radio" name="target" value="direct" checked={!draft.toNewBranch} disabled={!target.mayPush} />{' '}
        {t.rich('commit.toBranch', { branch })}
        {target.mayPush ? null : <span class="note ml-1">{t('commit.protected')}</span>}
      </label>
      {target.head && target.mayBranch ? (
        <label class="d-block text-normal">
          <input type="radio" name="target" value="branch" checked={draft.toNewBranch} /> {t('commit.toNewBranch')}{' '}
          <input
            class="form-control input-sm"
            name="newBranch"
            aria-label={t('commit.newBranch')}
            maxLength={100}
            value={draft.newBranch}
          />
        </label>
      ) : null}
    </div>
  );
}
