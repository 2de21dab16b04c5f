import type { VNode } from 'preact';
import { Csrf, icon } from '@mortise/plugin-sdk';
import type { BranchProtection } from '../api.js';
import { Heading } from './parts.js';

export interface RuleListProps {
  /** Address of the list. */
  readonly base: string;
  readonly csrf: string;
  readonly rules: readonly BranchProtection[];
  /** Names of branches under each rule, by its id. */
  readonly branches: ReadonlyMap<number, readonly string[]>;
}

/** What a rule asks, in a few words. */
function summary(rule: BranchProtection): string {
  const parts = [
    rule.enablePush ? (rule.enablePushAllowlist ? 'pushes by a list' : 'open to pushes') : 'no pushes',
    rule.enableForcePush ? 'forced pushes allowed' : '',
    rule.requiredApprovals > 0
      ? `${rule.requiredApprovals} ${rule.requiredApprovals === 1 ? 'approval' : 'approvals'}`
      : '',
    rule.enableStatusCheck ? 'checks' : '',
    rule.requireSignedCommits ? 'signed commits' : '',
    rule.enableMergeAllowlist ? 'merges by a list' : '',
    rule.protectedFilePatterns.trim() ? 'protected files' : '',
  ];
  return parts.filter(Boolean).join(' · ');
}

const counting = (names: readonly string[]) =>
  names.length === 0
    ? 'no branch now'
    : names.slice(0, 4).join(', ') + (names.length > 4 ? ` and ${names.length - 4} more` : '');

export function RuleList({ base, csrf, rules, branches }: RuleListProps): VNode {
  return (
    <>
      <Heading
        actions={
          <a class="btn btn-primary btn-sm" href={`${base}/new`}>
            {icon('plus')} Add rule
          </a>
        }
      >
        Branch protection
      </Heading>
      <p class="color-fg-muted">
        A rule says who may push to branches, and what a pull request needs before it is merged. Of several rules that
        fit a branch, the first one counts.
      </p>
      {rules.length > 0 ? (
        <>
          <form method="post" action={`${base}/order`} id="rule-order">
            <Csrf token={csrf} />
          </form>
          <ol class="Box list-style-none mb-3">
            {rules.map((rule, index) => (
              <li key={rule.id} class="Box-row d-flex flex-items-center flex-wrap" style="gap: 12px">
                <label class="flex-shrink-0">
                  <span class="sr-only">Place of {rule.ruleName}</span>
                  <input
                    form="rule-order"
                    class="form-control input-sm"
                    style="width: 64px"
                    type="number"
                    min={1}
                    name={`place_${rule.id}`}
                    value={index + 1}
                  />
                </label>
                <div class="flex-auto" style="min-width: 180px; overflow-wrap: anywhere">
                  <a class="text-bold" href={`${base}/${rule.id}`}>
                    {rule.ruleName}
                  </a>
                  <div class="color-fg-muted text-small">{summary(rule)}</div>
                  <div class="color-fg-muted text-small">
                    {icon('git-branch')} {counting(branches.get(rule.id) ?? [])}
                  </div>
                </div>
                <div class="d-flex flex-shrink-0" style="gap: 8px">
                  <a class="btn btn-sm" href={`${base}/${rule.id}`} aria-label={`Edit the rule ${rule.ruleName}`}>
                    Edit
                  </a>
                  <form method="post" action={`${base}/${rule.id}/delete`}>
                    <Csrf token={csrf} />
                    <button class="btn btn-sm btn-danger" aria-label={`Remove the rule ${rule.ruleName}`}>
                      Remove
                    </button>
                  </form>
                </div>
              </li>
            ))}
          </ol>
          {rules.length > 1 ? (
            <p>
              <button class="btn" form="rule-order">
                Save order
              </button>
            </p>
          ) : null}
        </>
      ) : (
        <div class="blankslate Box mb-3">
          <h3 class="blankslate-heading">No branch is protected yet</h3>
          <p>Everyone who may write can push to, rewrite and delete every branch.</p>
        </div>
      )}
    </>
  );
}
