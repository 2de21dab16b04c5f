import { IslandTexts } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

/** What a page with an {@link AvatarField} names in its `islands`. */
export const avatarIslands = ['crop', 'crop-style'] as const;

/**
 * A file field for an avatar. A script lets people choose the square that is shown; without it, or for animated pictures,
 * the file is sent as it is, and pages show its middle.
 */
export const AvatarField = ({ label }: { label: string }): VNode => (
  <>
    <input
      type="file"
      id="field-avatar"
      name="avatar"
      accept="image/png,image/jpeg,image/gif,image/webp"
      aria-label={label}
      data-crop=""
      required
    />
    <IslandTexts name="crop" texts={{ part: t('crop.part'), zoom: t('crop.zoom'), hint: t('crop.hint') }} />
  </>
);
