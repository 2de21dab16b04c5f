import { extname } from 'node:path';
import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** Formats of 3D models that the viewer knows, by the end of a file's name. */
const formats = ['stl', 'ply', 'obj', 'glb'] as const;
type ModelFormat = (typeof formats)[number];
const formatOfEnding = new Map<string, ModelFormat>(formats.map((format) => [`.${format}`, format]));

/** Larger models are downloaded: the browser would stand still while it draws them. */
const maxModelBytes = 50 * 1024 * 1024;

export function modelFormatOf({
  name,
  size,
}: {
  readonly name: string;
  readonly size: number;
}): ModelFormat | undefined {
  return size > 0 && size <= maxModelBytes ? formatOfEnding.get(extname(name).toLowerCase()) : undefined;
}

interface ModelProps {
  readonly name: string;
  readonly format: string;
  readonly source: string;
}

/** A 3D model, drawn by the island `model`. */
export const ModelBody = ({ name, format, source }: ModelProps): VNode => (
  <div class="code-model" data-model={format} data-source={source} data-label={t('model', { name })}>
    <div class="blankslate">
      <p>{t('model.note')}</p>
      <a class="btn" href={source} download>
        {icon('download')} {t('model.download')}
      </a>
    </div>
  </div>
);
