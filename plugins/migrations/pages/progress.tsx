import type { VNode } from 'preact';
import { Ago, Blankslate, Csrf, formatDate, PostButton, icon } from '@mortise/plugin-sdk';
import type { SourceField } from '../contract/source.js';
import type { StepProgress } from '../contract/importer.js';
import type { ImportState } from '../models/import.js';
import { isActive, type RepositoryImport } from '../services/import-store.js';
import { t } from '../texts/index.js';
import { CredentialFields } from './import-form-fields.js';

const stateStyles = {
  queued: { icon: 'clock', class: 'color-fg-muted' },
  running: { icon: 'sync', class: 'color-fg-attention' },
  paused: { icon: 'clock', class: 'color-fg-attention' },
  done: { icon: 'check-circle', class: 'color-fg-success' },
  failed: { icon: 'x-circle', class: 'color-fg-danger' },
  cancelled: { icon: 'stop', class: 'color-fg-muted' },
} as const satisfies Readonly<Record<ImportState, { icon: string; class: string }>>;

const StateLabel = ({ state }: { readonly state: ImportState }): VNode => {
  const style = stateStyles[state];
  return (
    <span class={style.class}>
      {icon(style.icon)} {t(`state.${state}`)}
    </span>
  );
};

const stepStyles = {
  waiting: { icon: 'circle', class: 'color-fg-muted' },
  running: { icon: 'sync', class: 'color-fg-attention' },
  done: { icon: 'check', class: 'color-fg-success' },
  skipped: { icon: 'skip', class: 'color-fg-muted' },
} as const;

function Step({ step: { step, state, done, total, note } }: { readonly step: StepProgress }): VNode {
  const style = stepStyles[state];
  const isGit = step === 'code' || step === 'wiki';
  const counted = total > 0 ? t('progress.of', { done, total }) : done > 0 ? t('progress.some', { done }) : '';
  return (
    <li class="Box-row">
      <div class="d-flex flex-wrap flex-items-center gap-2">
        <span class={style.class}>{icon(style.icon)}</span>
        <span class="flex-auto">{t(`step.${step}`)}</span>
        <span class="color-fg-muted f6">
          {state === 'waiting'
            ? t('progress.waiting')
            : state === 'skipped'
              ? t('progress.skipped')
              : isGit && state === 'done'
                ? ''
                : counted}
        </span>
      </div>
      {state === 'running' && total > 0 ? (
        <progress class="width-full" max={total} value={Math.min(done, total)} aria-label={t(`step.${step}`)} />
      ) : null}
      {note ? (
        <details class="f6 color-fg-muted" open={state === 'skipped'}>
          <summary>{t('progress.notes')}</summary>
          <ul class="ml-3">
            {note.split('\n').map((line) => (
              <li class="wb-break-word">{line}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </li>
  );
}

interface ProgressProps {
  readonly repositoryImport: RepositoryImport;
  readonly steps: readonly StepProgress[];
  /** Path of this page. */
  readonly page: string;
  /** Path of the repository. */
  readonly repositoryPath: string;
  /** What can be given to let it go on; undefined: it cannot. */
  readonly fields: readonly SourceField[] | undefined;
  readonly mayAdminister: boolean;
}

/** Why an import failed, in the visitor's language; below it what the source or git said, which is English. */
function FailureText({ repositoryImport: { reason, error } }: Pick<ProgressProps, 'repositoryImport'>): VNode {
  return (
    <>
      {reason ? t(`failure.${reason}`) : t('failure.other')}
      {error ? (
        <div class="f6" lang="en">
          {error}
        </div>
      ) : null}
    </>
  );
}

/** How far an import is; the island puts a newer one in its place. */
export function Progress(props: ProgressProps): VNode {
  const { repositoryImport, steps, page, repositoryPath, fields, mayAdminister } = props;
  const { state, resumesAt, address, createdAt } = repositoryImport;
  return (
    <div
      id="migration-progress"
      data-repository={repositoryImport.repositoryId}
      data-active={isActive(repositoryImport) ? '' : undefined}
    >
      <p>
        <StateLabel state={state} /> · <span class="wb-break-all">{address}</span> · <Ago time={createdAt} />
      </p>
      {state === 'paused' ? (
        <div class="flash flash-warn mb-3">{t('progress.paused', { when: formatDate(resumesAt, 'minute') })}</div>
      ) : null}
      {state === 'failed' ? (
        <div class="flash flash-error mb-3 wb-break-word">
          <FailureText repositoryImport={repositoryImport} />
        </div>
      ) : null}
      {state === 'cancelled' ? <div class="flash mb-3">{t('progress.cancelled')}</div> : null}
      <ul class="Box list-style-none mb-3" aria-live="polite">
        {steps.map((step) => (
          <Step key={step.step} step={step} />
        ))}
      </ul>
      {state === 'done' ? (
        <a class="btn" href={repositoryPath}>
          {t('progress.home')}
        </a>
      ) : null}
      {mayAdminister && fields && (state === 'failed' || state === 'cancelled') ? (
        <form method="post" action={page} class="mb-3">
          <Csrf />
          <input type="hidden" name="action" value="retry" />
          {fields.length ? (
            <details class="mb-2">
              <summary>{t('progress.credentials')}</summary>
              <p class="note mb-0">{t('progress.credentialsNote')}</p>
              <CredentialFields fields={fields} />
            </details>
          ) : null}
          <button class="btn btn-sm btn-primary" type="submit">
            {t('progress.retry')}
          </button>
        </form>
      ) : null}
      {mayAdminister ? (
        <div class="d-flex flex-wrap gap-2">
          {isActive(repositoryImport) ? (
            <PostButton action={page} fields={{ action: 'cancel' }} confirm={t('progress.cancelConfirm')}>
              {t('progress.cancel')}
            </PostButton>
          ) : null}
          {state === 'failed' || state === 'cancelled' ? (
            <a class="btn btn-sm" href={`${repositoryPath}/settings`}>
              {t('progress.delete')}
            </a>
          ) : null}
          {isActive(repositoryImport) ? (
            <a class="btn btn-sm" href={page}>
              {t('progress.refresh')}
            </a>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

/** Imports of one account, or of one batch. */
export function ImportList({
  items,
  href,
}: {
  readonly items: readonly {
    readonly repositoryImport: RepositoryImport;
    readonly name: string;
    readonly steps: readonly StepProgress[];
  }[];
  readonly href: (name: string) => string;
}): VNode {
  if (items.length === 0) return <Blankslate title={t('list.none')} icon="repo" level={2} />;
  return (
    <ul
      class="Box list-style-none"
      id="migration-progress"
      data-active={items.some(({ repositoryImport }) => isActive(repositoryImport)) ? '' : undefined}
    >
      {items.map(({ repositoryImport, name, steps }) => {
        const running = steps.find(({ state }) => state === 'running');
        return (
          <li key={name} class="Box-row d-flex flex-wrap flex-items-center gap-3">
            <span class="flex-auto min-width-0 wb-break-word">
              <a class="text-bold" href={href(name)}>
                {name}
              </a>
              <br />
              <span class="f6 color-fg-muted wb-break-all">{repositoryImport.address}</span>
              {repositoryImport.state === 'failed' ? (
                <div class="f6 color-fg-danger">
                  <FailureText repositoryImport={repositoryImport} />
                </div>
              ) : null}
            </span>
            {running ? (
              <span class="f6 color-fg-muted">
                {t(`step.${running.step}`)}{' '}
                {running.total > 0 ? t('progress.of', { done: running.done, total: running.total }) : ''}
              </span>
            ) : null}
            <StateLabel state={repositoryImport.state} />
          </li>
        );
      })}
    </ul>
  );
}
