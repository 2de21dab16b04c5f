import type { VNode } from 'preact';
import { Csrf, icon } from '@mortise/plugin-sdk';
import { mayForceOnly, mayTryMerge, type MergeStatus, type MergeMethod } from './merge-status.js';
import type { MergeBoxProps } from './merge-box.js';
import { t } from '../texts/index.js';

/** Each way of merging that is allowed, folded but for the one that the repository prefers; no script is needed. */
export function MergeMethods(props: MergeBoxProps): VNode | null {
  const { status, context } = props;
  const { pull } = context;
  const isReady = mayTryMerge(status) && (pull.mergeState === 'clean' || pull.mergeState === 'empty');
  const mayMarkMerged =
    status.rights.mayMerge && (status.blockers.every((one) => !one.isRequirement) || status.rights.mayForce);
  const isElsewhere = isDetoured(status) && !mayTakeLater(status) && !mayForceOnly(status);
  const methods = status.methods.filter(({ style }) =>
    style === 'manually-merged' ? mayMarkMerged : isReady && !isElsewhere,
  );
  if (methods.length === 0) return null;
  return (
    <li class="Box-row">
      {methods.map((method) => (
        <MethodForm {...props} method={method} isOpen={method.style === status.preferred || methods.length === 1} />
      ))}
    </li>
  );
}

const isDetoured = ({ blockers }: MergeStatus): boolean => blockers.some(({ isDetour }) => isDetour);
/** Something else is in the way as well, and when that is gone the detour is taken. */
const mayTakeLater = ({ blockers }: MergeStatus): boolean =>
  blockers.some(({ takesLater }) => takesLater) && blockers.some(({ isDetour }) => !isDetour);

interface MethodFormProps extends MergeBoxProps {
  readonly method: MergeMethod;
  readonly isOpen: boolean;
}

function MethodForm({ method, isOpen, status, context, own, csrf }: MethodFormProps): VNode {
  const { style, message } = method;
  const { pull } = context;
  const id = (name: string) => `merge-${style}-${name}`;
  const isManual = style === 'manually-merged';
  const mayDelete = !isManual && pull.flow === 'branch' && status.head.isThere;
  return (
    <details class="pull-way" name="merge-way" open={isOpen}>
      <summary>
        <span class="text-bold">{t(`way.${style}`)}</span>
        <span class="color-fg-muted d-block f6">{t(`way.${style}.note`, { base: pull.baseBranch })}</span>
      </summary>
      <form method="post" action={`${own}/merge`} class="mt-2">
        <Csrf token={csrf} />
        <input type="hidden" name="style" value={style} />
        <input type="hidden" name="head" value={pull.headOid} />
        {message ? (
          <>
            <label class="d-block f6 text-bold mb-1" for={id('title')}>
              {t('way.title')}
            </label>
            <input
              class="form-control width-full mb-2"
              id={id('title')}
              name="title"
              maxLength={1000}
              value={message.title}
            />
            <label class="d-block f6 text-bold mb-1" for={id('message')}>
              {t('way.message')}
            </label>
            <textarea
              class="form-control width-full mb-2"
              id={id('message')}
              name="message"
              rows={4}
              maxLength={65_536}
            >
              {`\n${message.text}`}
            </textarea>
          </>
        ) : null}
        {isManual ? (
          <>
            <label class="d-block f6 text-bold mb-1" for={id('commit')}>
              {t('way.commit')}
            </label>
            <input
              class="form-control width-full text-mono mb-2"
              id={id('commit')}
              name="commit"
              required
              maxLength={64}
              pattern="[0-9a-fA-F]{7,64}"
              spellcheck={false}
              autocomplete="off"
            />
          </>
        ) : null}
        {mayDelete ? (
          <label class="d-block mb-2">
            <input type="checkbox" name="delete" value="on" checked={status.deletesBranch} /> {t('way.delete')}
          </label>
        ) : null}
        <Buttons status={status} style={style} />
      </form>
    </details>
  );
}

function Buttons({ status, style }: { status: MergeStatus; style: MergeMethod['style'] }): VNode {
  const isFree = status.blockers.length === 0 || style === 'manually-merged';
  const mayWait = !isDetoured(status) || mayTakeLater(status);
  return (
    <div class="d-flex flex-wrap gap-2">
      {isFree ? (
        <button class="btn btn-primary" type="submit">
          {icon('git-merge')} {t(`way.${style}`)}
        </button>
      ) : null}
      {!isFree && mayWait && !status.scheduled ? (
        <button class="btn" type="submit" name="when" value="ready">
          {icon('clock')} {t('way.later')}
        </button>
      ) : null}
      {mayForceOnly(status) ? (
        <button class="btn btn-danger" type="submit" name="force" value="1">
          {t('way.force')}
        </button>
      ) : null}
    </div>
  );
}
