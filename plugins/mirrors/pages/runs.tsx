import type { VNode } from 'preact';
import { Ago, Pager, Section } from '@mortise/plugin-sdk';
import { isZeroOid } from '@mortise/git/api';
import type { MirrorRunRow, RunChange, RunState } from '../models/mirror-run.js';
import { t } from '../texts/index.js';

const stateClasses: Readonly<Record<RunState, string>> = {
  running: 'Label--attention',
  succeeded: 'Label--success',
  failed: 'Label--danger',
  interrupted: 'Label--secondary',
};
/** What a line shows before it is unfolded. */
const maxShown = 5;

interface RunsSectionProps {
  readonly runs: readonly MirrorRunRow[];
  /** Addresses of push mirrors by their ids. */
  readonly targets: ReadonlyMap<number, string>;
  readonly page: number;
  readonly hasMore: boolean;
  readonly base: string;
}

/** The log of the last runs, with what each has moved. */
export const RunsSection = ({ runs, targets, page, hasMore: more, base }: RunsSectionProps): VNode => (
  <Section title={t('runs.title')}>
    {runs.length === 0 ? (
      <p class="color-fg-muted">{t('runs.none')}</p>
    ) : (
      <div class="overflow-auto" tabIndex={0} role="region" aria-label={t('runs.title')}>
        <table class="data-table width-full">
          <thead>
            <tr>
              <th scope="col">{t('runs.when')}</th>
              <th scope="col">{t('runs.mirror')}</th>
              <th scope="col">{t('runs.result')}</th>
              <th scope="col">{t('runs.came')}</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <tr key={run.id}>
                <td>
                  <Ago time={Number(run.started_at)} />
                </td>
                <td class="wb-break-word">
                  {run.push_mirror_id === null ? t('runs.source') : (targets.get(run.push_mirror_id) ?? '')}
                </td>
                <td>
                  <span class={`Label ${stateClasses[run.state]}`}>{t(`runs.${run.state}`)}</span>
                  {run.error ? <span class="d-block f6 color-fg-danger wb-break-word">{run.error}</span> : null}
                </td>
                <td>
                  <Changes run={run} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    <Pager page={page} more={more} href={(to) => `${base}?page=${to}`} />
  </Section>
);

function Changes({ run: { changes, state } }: { run: MirrorRunRow }): VNode {
  if (!changes.total && !changes.lfsObjects)
    return <span class="color-fg-muted">{state === 'succeeded' ? t('runs.nothing') : ''}</span>;
  const list = (
    <ul class="list-style-none f6">
      {changes.first.map((change) => (
        <Change key={change.ref} change={change} />
      ))}
    </ul>
  );
  const summary = [
    changes.total ? t('runs.total', { count: changes.total }) : '',
    changes.lfsObjects ? t('runs.lfs', { count: changes.lfsObjects }) : '',
  ]
    .filter(Boolean)
    .join(' · ');
  return changes.total <= maxShown ? (
    <>
      <span class="f6 color-fg-muted">{summary}</span>
      {list}
    </>
  ) : (
    <details>
      <summary class="f6">{summary}</summary>
      {list}
    </details>
  );
}

const short = (oid: string): string => oid.slice(0, 10);

function Change({ change: { ref, old, new: next, refused } }: { change: RunChange }): VNode {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  const change =
    refused ?? (isZeroOid(next) ? t('runs.gone') : isZeroOid(old) ? t('runs.new') : `${short(old)} → ${short(next)}`);
  return (
    <li class="wb-break-word">
      <strong>{name}</strong> <span class={refused ? 'color-fg-danger' : 'color-fg-muted'}>{change}</span>
    </li>
  );
}
