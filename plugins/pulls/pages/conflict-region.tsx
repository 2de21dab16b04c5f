import type { VNode } from 'preact';
import { conflictSides, type ConflictChoice } from '../services/conflict-resolution.js';
import type { ConflictRegion } from '../services/conflict-view.js';
import { t } from '../texts/index.js';

/** The fields that resolve one place. */
export interface ResolveFields {
  /** Of the form's fields, behind `choice-` and `text-`. */
  readonly name: string;
  readonly choice: ConflictChoice | undefined;
}

interface RegionProps {
  readonly region: ConflictRegion;
  readonly base: string;
  readonly head: string;
  /** Undefined: it is only shown. */
  readonly fields: ResolveFields | undefined;
}

const Side = ({ name, lines, tone }: { name: string; lines: readonly string[]; tone: string }): VNode => (
  <div class={`pull-conflict-side ${tone}`}>
    <span class="f6 text-bold">{name}</span>
    <pre>{lines.length ? lines.join('\n') : <em class="color-fg-muted">{t('conflicts.nothing')}</em>}</pre>
  </div>
);

/** A place with both of its sides, and what is to become of it. */
export const ConflictRegionView = ({ region, base, head, fields }: RegionProps): VNode => (
  <div class="Box-row" role="group" aria-label={t('conflicts.line', { line: region.line })}>
    <p class="f6 color-fg-muted mb-1">{t('conflicts.line', { line: region.line })}</p>
    {region.before.length ? <pre class="color-fg-muted">{region.before.join('\n')}</pre> : null}
    <Side name={base} lines={region.base} tone="pull-conflict-base" />
    <Side name={head} lines={region.head} tone="pull-conflict-head" />
    {region.after.length ? <pre class="color-fg-muted">{region.after.join('\n')}</pre> : null}
    {fields ? <Choices region={region} base={base} head={head} fields={fields} /> : null}
  </div>
);

const Choices = ({ region, base, head, fields }: RegionProps & { fields: ResolveFields }): VNode => {
  const { name, choice } = fields;
  // what is not shown whole would be lost
  const sides = region.isCut ? conflictSides.filter((side) => side !== 'edit') : conflictSides;
  return (
    <fieldset class="pull-conflict-choices mt-2 min-width-0">
      <legend class="f6 text-bold">{t('conflicts.choose')}</legend>
      {sides.map((side) => (
        <label class="text-normal">
          <input type="radio" name={`choice-${name}`} value={side} required checked={choice?.side === side} />{' '}
          {t(`conflicts.take.${side}`, { base, head })}
        </label>
      ))}
      {region.isCut ? null : (
        <textarea
          class="form-control width-full text-mono f6 pull-conflict-edit"
          name={`text-${name}`}
          rows={Math.min(20, Math.max(3, region.base.length + region.head.length))}
          aria-label={t('conflicts.edited', { line: region.line })}
          spellcheck={false}
        >
          {`\n${choice?.text ?? [...region.base, ...region.head].map((line) => `${line}\n`).join('')}`}
        </textarea>
      )}
    </fieldset>
  );
};
