import type { PointReader, Slot } from '@mortise/plugin-sdk';
import type { CodePageContext, Revision } from '@mortise/history/api';
import type { FilePageContext } from '../api.js';

/** Buttons that plugins put on the page of a file or folder. */
export const buttonsOf = (
  { actions }: { readonly actions: PointReader<Slot<FilePageContext>> },
  context: CodePageContext,
  shown: Pick<FilePageContext, 'path' | 'type' | 'editable'>,
  { kind, name, commit }: Revision,
) => {
  const page: FilePageContext = {
    context: context.resource,
    actor: context.actor,
    // only for who has a form: it costs a digest, and visitors a cookie
    get csrf() {
      return context.csrf;
    },
    at: { kind, name, oid: commit, commit },
    ...shown,
  };
  return Promise.all(actions.list().map((slot) => slot.render(page)));
};
