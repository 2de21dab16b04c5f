import type { VNode } from 'preact';
import { Csrf, icon, Menu, textOf, type Text } from '@mortise/plugin-sdk';
import { mayForceOnly, mayTryMerge, type MergeStatus, type MergeMethod } from './merge-status.js';
import type { MergeBoxProps } from './merge-box.js';
import { t } from '../texts/index.js';

/** One button with the method that is chosen and a menu of the others, by style sheet alone: no script is needed. */
export function MergeMethods(props: MergeBoxProps): VNode | null {
  const { status, context } = props;
  const { pull } = context;
  const isReady = mayTryMerge(status) && (pull.mergeState === 'clean' || pull.mergeState === 'empty');
  const mayMarkMerged =
    status.rights.mayMerge && (status.blockers.every((one) => !one.isRequirement) || status.rights.mayForce);
  const times = timesOf(status);
  const methods = isReady && times.length ? status.methods.filter(({ style }) => style !== 'manually-merged') : [];
  const isManualAllowed = mayMarkMerged && status.methods.some(({ style }) => style === 'manually-merged');
  if (methods.length === 0 && !isManualAllowed) return null;
  return (
    <li class="Box-row">
      {methods.length ? <MergeForm {...props} methods={methods} times={times} /> : null}
      {isManualAllowed ? <ManualForm {...props} /> : null}
    </li>
  );
}

const isQueueRequired = ({ blockers }: MergeStatus): boolean => blockers.some(({ requiresQueue }) => requiresQueue);
/** Something else is in the way as well, and when that is gone it is added to the queue. */
const mayQueueLater = ({ blockers }: MergeStatus): boolean =>
  blockers.some(({ canQueueLater }) => canQueueLater) && blockers.some(({ requiresQueue }) => !requiresQueue);

/** When it is merged: at once, when nothing is in the way any more, through a queue, or in spite of what is in the way. */
interface MergeTime {
  readonly key: 'now' | 'ready' | 'queue' | 'force';
  /** Undefined: the method says it. */
  readonly label: Text | undefined;
  readonly icon: string;
  readonly look: string;
}

/** Those that can be chosen, the usual one first. */
function timesOf(status: MergeStatus): MergeTime[] {
  if (status.blockers.length === 0) return [{ key: 'now', label: undefined, icon: 'git-merge', look: 'btn-primary' }];
  const { queueLabel, scheduled } = status;
  const mayWait = !scheduled && (!isQueueRequired(status) || mayQueueLater(status));
  const force = { key: 'force', label: t.later('way.force'), icon: 'alert', look: 'btn-danger' } as const;
  const ready = { key: 'ready', label: t.later('way.later'), icon: 'clock', look: '' } as const;
  return [
    ...(queueLabel ? [{ key: 'queue', label: queueLabel, icon: 'list-ordered', look: 'btn-primary' } as const] : []),
    ...(mayWait ? [ready] : []),
    ...(mayForceOnly(status) ? [force] : []),
  ];
}

interface MergeFormProps extends MergeBoxProps {
  readonly methods: readonly MergeMethod[];
  readonly times: readonly MergeTime[];
}

function MergeForm({ methods, times, status, context, own }: MergeFormProps): VNode {
  const { pull } = context;
  const chosen = methods.find(({ style }) => style === status.preferred) ?? methods[0]!;
  const messages = methods.filter(({ message }) => message);
  return (
    <form method="post" action={`${own}/merge`} class="pull-merge-form">
      <Csrf />
      <input type="hidden" name="head" value={pull.headOid} />
      <div class="d-flex flex-wrap flex-items-center gap-2">
        {times.map((time, at) => (
          <button
            class={`btn ${time.look} pull-time${at === 0 ? ' pull-time-preferred' : ''}`}
            type="submit"
            data-time={time.key}
          >
            {icon(time.icon)} {time.label ? textOf(time.label) : <MethodNames methods={methods} chosen={chosen} />}
          </button>
        ))}
        {methods.length > 1 || times.length > 1 ? (
          <MergeMenu methods={methods} chosen={chosen} times={times} base={pull.baseBranch} />
        ) : null}
      </div>
      {times.length > 1 ? null : <input type="hidden" name="when" value={times[0]!.key} />}
      {methods.length > 1 ? null : <input type="hidden" name="style" value={chosen.style} />}
      <p class="f6 color-fg-muted mt-2 mb-0">
        {methods.map(({ style }) => (
          <span class={classOf(style, chosen)} data-method={style}>
            {t(`way.${style}.note`, { base: pull.baseBranch })}
          </span>
        ))}
      </p>
      {messages.length ? (
        <details class="mt-2">
          <summary class="btn-link f6">{t('way.edit')}</summary>
          {methods.map((method) => (
            <div class={classOf(method.style, chosen)} data-method={method.style}>
              <MessageFields method={method} />
            </div>
          ))}
        </details>
      ) : null}
      {pull.flow === 'branch' && status.head.isThere ? (
        <label class="d-block mt-2">
          <input type="checkbox" name="delete" value="on" checked={status.deletesBranch} /> {t('way.delete')}
        </label>
      ) : null}
    </form>
  );
}

const classOf = (style: MergeMethod['style'], chosen: MergeMethod): string =>
  style === chosen.style ? 'pull-method pull-method-preferred' : 'pull-method';

interface MethodProps {
  readonly methods: readonly MergeMethod[];
  readonly chosen: MergeMethod;
}

const MethodNames = ({ methods, chosen }: MethodProps): VNode => (
  <>
    {methods.map(({ style }) => (
      <span class={classOf(style, chosen)} data-method={style}>
        {t(`way.${style}`)}
      </span>
    ))}
  </>
);

interface MergeMenuProps extends MethodProps {
  readonly times: readonly MergeTime[];
  readonly base: string;
}

const MergeMenu = ({ methods, chosen, times, base }: MergeMenuProps): VNode => (
  <Menu button={t(times.length > 1 ? 'way.options' : 'way.choose')} align="start">
    {times.length > 1 ? (
      <fieldset class="border-0 p-0 m-0">
        <legend class="sr-only">{t('way.when')}</legend>
        {times.map(({ key, label }, at) => (
          <label class="dropdown-item text-normal pull-method-choice">
            <input type="radio" name="when" value={key} checked={at === 0} />{' '}
            <span class={key === 'force' ? 'text-bold color-fg-danger' : 'text-bold'}>
              {label ? textOf(label) : null}
            </span>
          </label>
        ))}
      </fieldset>
    ) : null}
    {times.length > 1 && methods.length > 1 ? <div class="border-top my-2" /> : null}
    {methods.length > 1 ? (
      <fieldset class="border-0 p-0 m-0">
        <legend class="sr-only">{t('way.choose')}</legend>
        {methods.map(({ style }) => (
          <label class="dropdown-item text-normal pull-method-choice">
            <input type="radio" name="style" value={style} checked={style === chosen.style} />{' '}
            <span class="text-bold">{t(`way.${style}`)}</span>
            <span class="color-fg-muted d-block f6">{t(`way.${style}.note`, { base })}</span>
          </label>
        ))}
      </fieldset>
    ) : null}
  </Menu>
);

function MessageFields({ method: { style, message } }: { method: MergeMethod }): VNode {
  const id = (name: string) => `merge-${style}-${name}`;
  if (!message) return <p class="f6 color-fg-muted mt-2 mb-0">{t('way.noMessage')}</p>;
  return (
    <>
      <label class="d-block f6 text-bold mt-2 mb-1" for={id('title')}>
        {t('way.title')}
      </label>
      <input
        class="form-control width-full mb-2"
        id={id('title')}
        name={`title-${style}`}
        maxLength={1000}
        value={message.title}
      />
      <label class="d-block f6 text-bold mb-1" for={id('message')}>
        {t('way.message')}
      </label>
      <textarea
        class="form-control width-full mb-2"
        id={id('message')}
        name={`message-${style}`}
        rows={4}
        maxLength={65_536}
      >
        {`\n${message.text}`}
      </textarea>
    </>
  );
}

const ManualForm = ({ context: { pull }, own, status }: MergeBoxProps): VNode => (
  <details class="pull-way">
    <summary>
      <span class="text-bold">{t('way.manually-merged')}</span>
      <span class="color-fg-muted d-block f6">{t('way.manually-merged.note', { base: pull.baseBranch })}</span>
    </summary>
    <form method="post" action={`${own}/merge`} class="mt-2">
      <Csrf />
      <input type="hidden" name="style" value="manually-merged" />
      <label class="d-block f6 text-bold mb-1" for="merge-manually-merged-commit">
        {t('way.commit')}
      </label>
      <input
        class="form-control width-full text-mono mb-2"
        id="merge-manually-merged-commit"
        name="commit"
        required
        maxLength={64}
        pattern="[0-9a-fA-F]{7,64}"
        spellcheck={false}
        autocomplete="off"
      />
      {status.blockers.some(({ isRequirement }) => isRequirement) ? (
        <button class="btn btn-danger" type="submit" name="when" value="force">
          {icon('git-merge')} {t('way.force')}
        </button>
      ) : (
        <button class="btn btn-primary" type="submit">
          {icon('git-merge')} {t('way.manually-merged')}
        </button>
      )}
    </form>
  </details>
);
