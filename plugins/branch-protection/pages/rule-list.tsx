import type { VNode } from 'preact';
import { Csrf, icon, PostButton, Section } from '@mortise/plugin-sdk';
import type { BranchProtection } from '../api.js';

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

interface PlaceProps {
  readonly base: string;
  readonly csrf: string;
  readonly rule: BranchProtection;
  readonly index: number;
  readonly count: number;
}

/** Where a rule stands, and how it gets elsewhere: by dragging with the script, else step by step or by its number. */
function Place({ base, csrf, rule, index, count }: PlaceProps): VNode {
  const step = (to: 'up' | 'down', isLast: boolean) => (
    <button
      class="btn btn-sm BtnGroup-item"
      name="to"
      value={to}
      disabled={isLast}
      aria-label={`Move the rule ${rule.ruleName} ${to}`}
    >
      {icon(`chevron-${to}`)}
    </button>
  );
  return (
    <div class="d-flex flex-items-center flex-shrink-0" style="gap: 8px">
      <span
        class="color-fg-muted p-1"
        style="cursor: grab; touch-action: none; user-select: none"
        title="Drag to another place"
        aria-hidden="true"
        data-rule-handle
        hidden
      >
        {icon('grabber')}
      </span>
      <label>
        <span class="sr-only">Place of {rule.ruleName}</span>
        <input
          form="rule-order"
          class="form-control input-sm"
          style="width: 56px"
          type="number"
          min={1}
          name={`place_${rule.id}`}
          value={index + 1}
          autocomplete="off"
          data-rule-place
        />
      </label>
      {count > 1 ? (
        <form method="post" action={`${base}/${rule.id}/move`}>
          <Csrf token={csrf} />
          <div class="BtnGroup no-wrap">
            {step('up', index === 0)}
            {step('down', index === count - 1)}
          </div>
        </form>
      ) : null}
    </div>
  );
}

export function RuleList({ base, csrf, rules, branches }: RuleListProps): VNode {
  return (
    <Section
      title="Branch protection"
      actions={
        <a class="btn btn-primary btn-sm" href={`${base}/new`}>
          {icon('plus')} Add rule
        </a>
      }
    >
      <p class="color-fg-muted">
        A rule says who may push to branches, and what a pull request needs before it is merged. Of several rules that
        fit a branch, the first one counts.
      </p>
      {rules.length > 0 ? (
        <>
          <form method="post" action={`${base}/order`} id="rule-order" hidden>
            <Csrf token={csrf} />
          </form>
          <ol class="Box list-style-none mb-2" data-rule-order>
            {rules.map((rule, index) => (
              <li
                key={rule.id}
                id={`rule-${rule.id}`}
                class="Box-row d-flex flex-items-center flex-wrap"
                style="gap: 12px"
                data-rule={rule.id}
                data-rule-name={rule.ruleName}
              >
                <Place base={base} csrf={csrf} rule={rule} index={index} count={rules.length} />
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
                  <PostButton
                    action={`${base}/${rule.id}/delete`}
                    csrf={csrf}
                    label={`Remove the rule ${rule.ruleName}`}
                    confirm={`Remove the rule ${rule.ruleName}? It protects nothing any more.`}
                    danger
                  >
                    Remove
                  </PostButton>
                </div>
              </li>
            ))}
          </ol>
          <div class="d-flex flex-items-center flex-wrap" style="gap: 12px">
            {rules.length > 1 ? (
              <button class="btn" form="rule-order">
                Save order
              </button>
            ) : null}
            <p class="color-fg-muted text-small mb-0" role="status" data-rule-status />
          </div>
        </>
      ) : (
        <div class="blankslate Box mb-3">
          <h3 class="blankslate-heading">No branch is protected yet</h3>
          <p>Everyone who may write can push to, rewrite and delete every branch.</p>
        </div>
      )}
    </Section>
  );
}
