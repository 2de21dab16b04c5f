import type { ComponentChildren, VNode } from 'preact';
import { bold, icon, textOf, type Text } from '@mortise/plugin-sdk';
import { RefMenu } from '../contract/ref-picker.js';
import { t } from '../texts/index.js';

interface CompareFormProps {
  readonly repositoryPath: string;
  readonly base: string;
  readonly head: string;
  readonly dots: string;
}

/** Which two points are compared: each side can be typed, or picked from branches, tags and forks. */
export function CompareForm({ repositoryPath, base, head, dots }: CompareFormProps): VNode {
  const pick = (to: 'base' | 'head', label: string) => (
    <RefMenu
      repositoryPath={repositoryPath}
      query={{ to, base, dots, ...(head ? { head } : {}) }}
      summary={
        <>
          {label} {icon('triangle-down')}
        </>
      }
    />
  );
  return (
    <>
      <h2 class="f3 mb-3">{t('compare.title')}</h2>
      <div class="Box p-3 mb-3 code-row">
        {icon('git-compare')}
        <form method="get" action={`${repositoryPath}/compare`} id="compare" class="code-row">
          <label class="code-field">
            {t('compare.base')}
            <input class="form-control input-sm" name="base" required value={base} />
          </label>
          <select class="form-select select-sm" name="dots" aria-label={t('compare.how')}>
            <option value="..." selected={dots === '...'}>
              {t('compare.sinceMergeBase')}
            </option>
            <option value=".." selected={dots === '..'}>
              {t('compare.directly')}
            </option>
          </select>
          <label class="code-field">
            {t('compare.head')}
            <input class="form-control input-sm" name="head" required value={head} data-focus />
          </label>
          <button class="btn btn-sm" type="submit">
            {t('compare.submit')}
          </button>
        </form>
        {pick('base', t('compare.pickBase'))}
        {pick('head', t('compare.pickHead'))}
      </div>
    </>
  );
}

export const Refused = ({ text }: { text: Text }): VNode => <p class="flash flash-error">{textOf(text)}</p>;

interface ComparedProps {
  /** Of the comparison, without a format. */
  readonly address: string;
  readonly total: number;
  readonly listed: number;
  readonly behind: number;
  readonly isRelated: boolean;
  readonly actions: readonly VNode[];
  readonly commits: ComponentChildren;
  readonly isOpen: boolean;
  readonly diff: ComponentChildren;
}

/** What differs: commits, then files. */
export function Compared(props: ComparedProps): VNode {
  const { address, total, listed, behind, isRelated, actions, commits, isOpen, diff } = props;
  if (!commits)
    return (
      <p class="blankslate">
        {icon('git-compare', { size: 24 })} {t('compare.same')}
      </p>
    );
  return (
    <div>
      <div class="code-row mb-3">
        <span>{t.rich('compare.apart', { ahead: total, behind, b: bold })}</span>
        <span class="flex-auto" />
        {actions}
        <a href={`${address}.diff`}>
          <code>.diff</code>
        </a>
        <a href={`${address}.patch`}>
          <code>.patch</code>
        </a>
      </div>
      {isRelated ? null : <p class="flash flash-warn">{t('compare.unrelated')}</p>}
      <details class="mb-3" open={isOpen}>
        <summary class="btn btn-sm mb-2">{t('compare.commits', { count: total })}</summary>
        {commits}
        {total > listed ? (
          <p class="color-fg-muted mt-2">{t('compare.moreCommits', { count: total - listed })}</p>
        ) : null}
      </details>
      {diff}
    </div>
  );
}
