import type { VNode } from 'preact';
import { Csrf, icon, Menu } from '@mortise/plugin-sdk';
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
  const isElsewhere = isDetoured(status) && !mayTakeLater(status) && !mayForceOnly(status);
  const methods = isReady && !isElsewhere ? status.methods.filter(({ style }) => style !== 'manually-merged') : [];
  const isManualAllowed = mayMarkMerged && status.methods.some(({ style }) => style === 'manually-merged');
  if (methods.length === 0 && !isManualAllowed) return null;
  return (
    <li class="Box-row">
      {methods.length ? <MergeForm {...props} methods={methods} /> : null}
      {isManualAllowed ? <ManualForm {...props} /> : null}
    </li>
  );
}

const isDetoured = ({ blockers }: MergeStatus): boolean => blockers.some(({ isDetour }) => isDetour);
/** Something else is in the way as well, and when that is gone the detour is taken. */
const mayTakeLater = ({ blockers }: MergeStatus): boolean =>
  blockers.some(({ takesLater }) => takesLater) && blockers.some(({ isDetour }) => !isDetour);

interface MergeFormProps extends MergeBoxProps {
  readonly methods: readonly MergeMethod[];
}

function MergeForm({ methods, status, context, own, csrf }: MergeFormProps): VNode {
  const { pull } = context;
  const chosen = methods.find(({ style }) => style === status.preferred) ?? methods[0]!;
  const messages = methods.filter(({ message }) => message);
  return (
    <form method="post" action={`${own}/merge`} class="pull-merge-form">
      <Csrf token={csrf} />
      <input type="hidden" name="head" value={pull.headOid} />
      <div class="d-flex flex-wrap flex-items-center gap-2">
        <Buttons status={status} methods={methods} chosen={chosen} />
        {methods.length > 1 ? <MethodMenu methods={methods} chosen={chosen} base={pull.baseBranch} /> : null}
      </div>
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

interface MethodMenuProps {
  readonly methods: readonly MergeMethod[];
  readonly chosen: MergeMethod;
  readonly base: string;
}

const MethodMenu = ({ methods, chosen, base }: MethodMenuProps): VNode => (
  <Menu button={t('way.choose')} align="start">
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

const ManualForm = ({ context: { pull }, own, csrf, status }: MergeBoxProps): VNode => (
  <details class="pull-way">
    <summary>
      <span class="text-bold">{t('way.manually-merged')}</span>
      <span class="color-fg-muted d-block f6">{t('way.manually-merged.note', { base: pull.baseBranch })}</span>
    </summary>
    <form method="post" action={`${own}/merge`} class="mt-2">
      <Csrf token={csrf} />
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
        <button class="btn btn-danger" type="submit" name="force" value="1">
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

function Buttons({ status, methods, chosen }: Omit<MethodMenuProps, 'base'> & { status: MergeStatus }): VNode {
  const isFree = status.blockers.length === 0;
  const mayWait = !isDetoured(status) || mayTakeLater(status);
  return (
    <>
      {isFree ? (
        <button class="btn btn-primary" type="submit">
          {icon('git-merge')}{' '}
          {methods.map(({ style }) => (
            <span class={classOf(style, chosen)} data-method={style}>
              {t(`way.${style}`)}
            </span>
          ))}
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
    </>
  );
}
