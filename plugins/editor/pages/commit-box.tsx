import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import type { EditTarget } from '../services/target.js';

/** The lower half of each form: what the commit says, and where it goes. */
export interface CommitDraft {
  readonly summary: string;
  readonly description: string;
  /** Name of the branch to make; empty: commit to the branch that is shown. */
  readonly newBranch: string;
  readonly toNewBranch: boolean;
  readonly signoff: boolean;
}

export const freshDraft = (target: EditTarget): CommitDraft => ({
  summary: '',
  description: '',
  newBranch: target.proposal,
  toNewBranch: !target.mayPush,
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
      <legend class="sr-only">Commit</legend>
      <h2 class="f4 mb-2">Commit</h2>
      <input
        class="form-control input-block mb-2"
        name="summary"
        aria-label="Summary of the commit"
        maxLength={500}
        value={draft.summary}
        placeholder={placeholder}
      />
      <textarea
        class="form-control input-block mb-2"
        name="description"
        aria-label="Longer description of the commit"
        rows={3}
        maxLength={65_536}
        placeholder="Longer description, if there is more to say"
      >
        {`\n${draft.description}`}
      </textarea>
      <div class="form-checkbox mt-2 mb-0">
        <label class="text-normal">
          <input type="checkbox" name="signoff" value="on" checked={draft.signoff} /> Add a <code>Signed-off-by</code>{' '}
          line
        </label>
      </div>
      <div class="form-checkbox mt-2 mb-0" role="radiogroup" aria-label="Where the commit goes">
        <label class="d-block text-normal mb-1">
          <input type="radio" name="target" value="direct" checked={!draft.toNewBranch} disabled={!target.mayPush} />{' '}
          Commit to{' '}
          <span class="branch-name">
            {icon('git-branch')} {target.branch}
          </span>
          {target.mayPush ? null : <span class="note ml-1">The rules of this branch do not let you.</span>}
        </label>
        {target.head ? (
          <label class="d-block text-normal">
            <input type="radio" name="target" value="branch" checked={draft.toNewBranch} /> Commit to a new branch{' '}
            <input
              class="form-control input-sm"
              name="newBranch"
              aria-label="Name of the new branch"
              maxLength={100}
              value={draft.newBranch}
            />
          </label>
        ) : null}
      </div>
    </fieldset>
  );
}
