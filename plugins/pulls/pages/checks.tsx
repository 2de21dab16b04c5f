import type { VNode } from 'preact';
import { Ago, Blankslate, icon } from '@mortise/plugin-sdk';
import {
  combineStates,
  describeStatus,
  statusLink,
  type CommitStatus,
  type StatusState,
} from '@mortise/commit-status/api';
import { t } from '../texts/index.js';

const statusStyles: Readonly<Record<StatusState, { icon: string; tone: string }>> = {
  success: { icon: 'check', tone: 'color-fg-success' },
  pending: { icon: 'dot-fill', tone: 'color-fg-attention' },
  failure: { icon: 'x', tone: 'color-fg-danger' },
  error: { icon: 'x', tone: 'color-fg-danger' },
  warning: { icon: 'alert', tone: 'color-fg-attention' },
  skipped: { icon: 'skip', tone: 'color-fg-muted' },
};

interface ChecksProps {
  readonly checks: readonly CommitStatus[];
  /** Patterns of required ones that nobody has told of. */
  readonly missing: readonly string[];
}

function summary({ checks, missing }: ChecksProps): string {
  const bad = checks.filter(({ state }) => ['failure', 'error', 'warning'].includes(state)).length;
  const waiting = checks.filter(({ state }) => state === 'pending').length + missing.length;
  const count = checks.length + missing.length;
  if (bad) return t('checks.failed', { bad, count });
  return waiting ? t('checks.waiting', { waiting, count }) : t('checks.passed', { count });
}

const stateOf = ({ checks, missing }: ChecksProps): StatusState =>
  combineStates([...checks.map(({ state }) => state), ...missing.map((): StatusState => 'pending')]);

const CheckList = ({ checks, missing }: ChecksProps): VNode => (
  <ul class="list-style-none pull-checks">
    {checks.map((one) => {
      const style = statusStyles[one.state];
      const link = statusLink(one);
      const name = one.context || t('checks.unnamed');
      return (
        <li class="pull-check">
          <span class={style.tone}>{icon(style.icon, { label: t(`checks.state.${one.state}`) })}</span>
          <span class="flex-auto min-width-0 wb-break-word">
            <strong>{name}</strong> <span class="color-fg-muted">{describeStatus(one)}</span>
          </span>
          <span class="color-fg-muted f6 no-wrap">
            <Ago time={one.updatedAt} />
          </span>
          {link ? (
            <a href={link} rel="nofollow noopener noreferrer" aria-label={t('checks.detailsOf', { name })}>
              {t('checks.details')}
            </a>
          ) : null}
        </li>
      );
    })}
    {missing.map((pattern) => (
      <li class="pull-check">
        <span class="color-fg-attention">{icon('dot-fill', { label: t('checks.state.pending') })}</span>
        <span class="flex-auto min-width-0 wb-break-word">
          <strong>{pattern}</strong> <span class="color-fg-muted">{t('checks.expected')}</span>
        </span>
      </li>
    ))}
  </ul>
);

/** The checks of the head in the merge box. */
export function ChecksRow(props: ChecksProps): VNode {
  const state = stateOf(props);
  const style = statusStyles[state];
  return (
    <li class="Box-row pull-row">
      <span class={style.tone}>{icon(style.icon)}</span>
      <details class="pull-row-text" open={state !== 'success'}>
        <summary class="text-bold">{summary(props)}</summary>
        <CheckList {...props} />
      </details>
    </li>
  );
}

/** All checks of the head, as a page. */
export const Checks = (props: ChecksProps & { readonly oid: string; readonly repositoryPath: string }): VNode => (
  <div>
    <h3 class="f4 mb-2">
      {props.checks.length || props.missing.length ? summary(props) : t('checks.title')}{' '}
      <a class="text-mono f6 text-normal" href={`${props.repositoryPath}/commit/${props.oid}`}>
        {props.oid.slice(0, 10)}
      </a>
    </h3>
    {props.checks.length || props.missing.length ? (
      <div class="Box p-3">
        <CheckList {...props} />
      </div>
    ) : (
      <Blankslate level={3} icon="checklist" title={t('checks.none')}>
        <p>{t('checks.noneNote')}</p>
      </Blankslate>
    )}
  </div>
);
