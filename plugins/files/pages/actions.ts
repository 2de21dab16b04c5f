import type { PointReader, Slot } from '@mortise/plugin-sdk';
import { placeOf, type CodePageContext, type Revision } from '@mortise/history/api';
import type { FilePlace } from '../api.js';

/** Buttons that plugins put on the page of a file or folder. */
export const buttonsOf = (
  { actions }: { readonly actions: PointReader<Slot<FilePlace>> },
  context: CodePageContext,
  shown: Pick<FilePlace, 'path' | 'type' | 'editable'>,
  { kind, name, commit }: Revision,
) => {
  const at = { kind, name, oid: commit, commit };
  return Promise.all(actions.list().map((slot) => slot.render({ ...placeOf(context), at, ...shown })));
};
