import type { VNode } from 'preact';
import { formatSize } from '@mortise/plugin-sdk';
import type { DiffFile, DiffSide, DiffView } from '../contract/diffs.js';
import { encodePath } from '../contract/pages.js';
import { t } from '../texts/index.js';

const modes = ['side', 'swipe', 'onion'] as const;

/** A picture before and after: side by side, and where scripts run over each other too (the island `diff-images`). */
export function DiffImages({ file, view }: { file: DiffFile; view: DiffView }): VNode {
  const { change, sizes, anchor } = file;
  const { path, oldPath, status } = change;
  const before =
    status === 'added' ? null : (
      <Side side={view.before} path={oldPath ?? path} size={sizes?.before} label={t('diff.before')} />
    );
  const after =
    status === 'deleted' ? null : <Side side={view.after} path={path} size={sizes?.after} label={t('diff.after')} />;
  return (
    <div class="p-3 diff-images" data-diff-images="side">
      {before && after ? <Modes anchor={anchor} /> : null}
      <div class="diff-image-pair">
        {before}
        {after}
      </div>
    </div>
  );
}

const Modes = ({ anchor }: { anchor: string }): VNode => (
  <fieldset class="diff-image-modes mb-3" hidden>
    <legend class="sr-only">{t('diff.images')}</legend>
    {modes.map((mode) => (
      <label>
        <input type="radio" name={`${anchor}-mode`} value={mode} checked={mode === 'side'} /> {t(`diff.images.${mode}`)}
      </label>
    ))}
    <input type="range" min="0" max="100" value="50" aria-label={t('diff.images.position')} hidden />
  </fieldset>
);

interface SideProps {
  readonly side: DiffSide;
  readonly path: string;
  readonly size: number | undefined;
  readonly label: string;
}

/** The island adds width and height, which the browser finds. */
const Side = ({ side, path, size, label }: SideProps): VNode | null =>
  side.commit ? (
    <figure>
      <figcaption class="f6 color-fg-muted mb-1">
        {label}
        {size === undefined ? '' : ` · ${formatSize(size)}`}
        <span data-image-dimensions />
      </figcaption>
      <img
        class="code-checkered"
        loading="lazy"
        src={`${side.repositoryPath}/raw/commit/${side.commit}/${encodePath(path)}`}
        alt={t('diff.imageOf', { path, side: label })}
      />
    </figure>
  ) : null;
