import type { VNode } from 'preact';
import { Blankslate, Csrf, icon, IslandTexts, PostButton, Section } from '@mortise/plugin-sdk';
import type { BranchProtection, RuleOption } from '../contract/branch-protection.js';
import { t } from '../texts/index.js';
import type { RuleFields } from './rule-controls.js';
import { RuleSentences } from './rule-words.js';

interface RuleListProps {
  /** Address of the list. */
  readonly base: string;
  readonly rules: readonly BranchProtection[];
  /** The same as the API shows them, with names of users and teams. */
  readonly fields: readonly RuleFields[];
  /** What other plugins add. */
  readonly options: readonly RuleOption[];
  /** Names of branches under each rule, by its id. */
  readonly branches: ReadonlyMap<number, readonly string[]>;
}

function counting(names: readonly string[]): string {
  if (names.length === 0) return t('list.noBranch');
  if (names.length <= 4) return names.join(', ');
  return t('list.moreBranches', { names: names.slice(0, 4).join(', '), more: names.length - 4 });
}

interface RulePositionProps {
  readonly base: string;
  readonly rule: BranchProtection;
  readonly index: number;
  readonly count: number;
}

/** Where a rule stands, and how it gets elsewhere: by dragging with the script, else step by step or by its number. */
function RulePosition({ base, rule, index, count }: RulePositionProps): VNode {
  const step = (to: 'up' | 'down', isLast: boolean) => (
    <button
      class="btn btn-sm BtnGroup-item"
      name="to"
      value={to}
      disabled={isLast}
      aria-label={t(`list.${to}`, { name: rule.ruleName })}
    >
      {icon(`chevron-${to}`)}
    </button>
  );
  return (
    <div class="d-flex flex-items-center flex-shrink-0 gap-2">
      <span class="drag-handle color-fg-muted p-1" title={t('list.drag')} aria-hidden="true" data-rule-handle hidden>
        {icon('grabber')}
      </span>
      <label>
        <span class="sr-only">{t('list.place', { name: rule.ruleName })}</span>
        <input
          form="rule-order"
          class="form-control input-sm form-number"
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
          <Csrf />
          <div class="BtnGroup no-wrap">
            {step('up', index === 0)}
            {step('down', index === count - 1)}
          </div>
        </form>
      ) : null}
    </div>
  );
}

export function RuleList({ base, rules, fields, options, branches }: RuleListProps): VNode {
  return (
    <Section
      title={t('list.title')}
      actions={
        <a class="btn btn-primary btn-sm" href={`${base}/new`}>
          {icon('plus')} {t('list.add')}
        </a>
      }
    >
      <p class="color-fg-muted">{t('list.about')}</p>
      {rules.length > 0 ? (
        <>
          <form method="post" action={`${base}/order`} id="rule-order" hidden>
            <Csrf />
          </form>
          <ol class="Box list-style-none mb-2" data-rule-order>
            {rules.map((rule, index) => (
              <li
                key={rule.id}
                id={`rule-${rule.id}`}
                class="Box-row d-flex flex-items-center flex-wrap gap-2"
                data-rule={rule.id}
                data-rule-name={rule.ruleName}
              >
                <RulePosition base={base} rule={rule} index={index} count={rules.length} />
                <div class="list-main">
                  <a class="text-bold" href={`${base}/${rule.id}`}>
                    {rule.ruleName}
                  </a>
                  <RuleSentences fields={fields[index]!} options={options} />
                  <div class="color-fg-muted text-small">
                    {icon('git-branch')} {counting(branches.get(rule.id) ?? [])}
                  </div>
                </div>
                <div class="d-flex flex-shrink-0 gap-2">
                  <a
                    class="btn btn-sm"
                    href={`${base}/${rule.id}`}
                    aria-label={t('list.editOf', { name: rule.ruleName })}
                  >
                    {t('list.edit')}
                  </a>
                  <PostButton
                    action={`${base}/${rule.id}/delete`}
                    label={t('list.deleteOf', { name: rule.ruleName })}
                    confirm={t('list.deleteConfirm', { name: rule.ruleName })}
                    danger
                  >
                    {t('list.delete')}
                  </PostButton>
                </div>
              </li>
            ))}
          </ol>
          <div class="d-flex flex-items-center flex-wrap gap-2">
            {rules.length > 1 ? (
              <button class="btn" form="rule-order">
                {t('list.saveOrder')}
              </button>
            ) : null}
            <p class="color-fg-muted text-small mb-0" role="status" data-rule-status />
          </div>
          <IslandTexts
            name="rule-order"
            texts={{
              saved: t('list.saved', { name: '{name}', place: '{place}', count: '{count}' }),
              notSaved: t('list.notSaved'),
            }}
          />
        </>
      ) : (
        <Blankslate title={t('list.none')} icon="shield-lock" level={3}>
          <p>{t('list.noneNote')}</p>
        </Blankslate>
      )}
    </Section>
  );
}
