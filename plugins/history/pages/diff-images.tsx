import type { VNode } from 'preact';
import { formatSize } from '@mortise/plugin-sdk';
import type { DiffFile, DiffSide, DiffView } from '../contract/diffs.js';
import { ModelBody, modelFormatOf } from '../contract/model.js';
import { encodePath } from '../contract/pages.js';
import { t } from '../texts/index.js';

const modes = ['side', 'swipe', 'onion'] as const;

interface DiffProps {
  readonly file: DiffFile;
  readonly view: DiffView;
}

/** A picture before and after: side by side, and where scripts run over each other too (the island `diff-images`). */
export function DiffImages({ file, view }: DiffProps): VNode {
  const { before, after } = sidesOf(file, view);
  return (
    <div class="p-3 diff-images" data-diff-images="side">
      {before && after ? <Modes anchor={file.anchor} /> : null}
      <div class="diff-image-pair">
        {before ? <Picture {...before} /> : null}
        {after ? <Picture {...after} /> : null}
      </div>
    </div>
  );
}

/** A document before and after, side by side in frames. */
export function DiffDocuments({ file, view }: DiffProps): VNode {
  const { before, after } = sidesOf(file, view);
  return (
    <div class="p-3 diff-image-pair">
      {before ? <Document {...before} /> : null}
      {after ? <Document {...after} /> : null}
    </div>
  );
}

/** A 3D model before and after, which is drawn once it is unfolded. */
export function DiffModels({ file, view }: DiffProps): VNode {
  const { before, after } = sidesOf(file, view);
  return (
    <details class="border-top" data-diff-models>
      <summary class="p-3">{t('model.title')}</summary>
      <div class="px-3 pb-3 diff-image-pair">
        {before ? <Model {...before} /> : null}
        {after ? <Model {...after} /> : null}
      </div>
    </details>
  );
}

/** Absent where the file is not. */
function sidesOf(
  { change, sizes }: DiffFile,
  view: DiffView,
): { readonly before?: SideProps; readonly after?: SideProps } {
  const { path, oldPath, status } = change;
  const has = { before: status !== 'added' && view.before.commit, after: status !== 'deleted' && view.after.commit };
  return {
    ...(has.before && {
      before: { side: view.before, path: oldPath ?? path, size: sizes?.before, label: t('diff.before') },
    }),
    ...(has.after && { after: { side: view.after, path, size: sizes?.after, label: t('diff.after') } }),
  };
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

const addressOf = ({ side, path }: SideProps): string =>
  `${side.repositoryPath}/raw/commit/${side.commit}/${encodePath(path)}`;

/** The island adds width and height, which the browser finds. */
const Picture = (props: SideProps): VNode => (
  <figure>
    <Caption {...props}>
      <span data-image-dimensions />
    </Caption>
    <img
      class="code-checkered"
      loading="lazy"
      src={addressOf(props)}
      alt={t('diff.imageOf', { path: props.path, side: props.label })}
    />
  </figure>
);

const Document = (props: SideProps): VNode => (
  <figure>
    <Caption {...props} />
    <iframe
      class="diff-document"
      loading="lazy"
      src={addressOf(props)}
      title={t('diff.imageOf', { path: props.path, side: props.label })}
    />
  </figure>
);

const Model = (props: SideProps): VNode => {
  const format = modelFormatOf({ name: props.path, size: props.size ?? 0 });
  return (
    <figure>
      <Caption {...props} />
      {format ? (
        <ModelBody
          name={t('diff.imageOf', { path: props.path, side: props.label })}
          format={format}
          source={addressOf(props)}
        />
      ) : (
        <a class="btn" href={addressOf(props)} download>
          {t('model.download')}
        </a>
      )}
    </figure>
  );
};

const Caption = ({ label, size, children }: SideProps & { readonly children?: VNode }): VNode => (
  <figcaption class="f6 color-fg-muted mb-1">
    {label}
    {size === undefined ? '' : ` · ${formatSize(size)}`}
    {children}
  </figcaption>
);
