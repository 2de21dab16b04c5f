import type { PointReader, Slot } from '@mortise/plugin-sdk';
import { pageContextOf, type CodePageContext, type Revision } from '@mortise/history/api';
import type { FilePageContext } from '../api.js';

/** Buttons that plugins put on the page of a file or folder. */
export const buttonsOf = (
  { actions }: { readonly actions: PointReader<Slot<FilePageContext>> },
  context: CodePageContext,
  shown: Pick<FilePageContext, 'path' | 'type' | 'editable'>,
  { kind, name, commit }: Revision,
) => {
  const at = { kind, name, oid: commit, commit };
  return Promise.all(actions.list().map((slot) => slot.render({ ...pageContextOf(context), at, ...shown })));
};
