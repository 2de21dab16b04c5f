import { defineService } from '@mortise/plugin-sdk';

/** A part of two texts: in both, or in one of them alone. */
export interface TextChange {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** What people changed in a text that lies in no repository. */
export interface TextDiffs {
  /** Word by word, of long texts line by line; undefined: they differ too much to be compared in time. */
  compare(before: string, after: string): readonly TextChange[] | undefined;
}
export const textDiffs = defineService<TextDiffs>('history.textDiffs');
