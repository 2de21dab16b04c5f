import type { PointReader, Slot } from '@mortise/plugin-sdk';
import type { CodePageContext, Revision } from '@mortise/history/api';
import type { FilePageContext, LineAction } from '../contract/files.js';

type FileSlots = PointReader<Slot<FilePageContext>>;
type FileSummary = Pick<FilePageContext, 'path' | 'type' | 'editable'>;

/** Buttons that plugins put on the page of a file or folder. */
export const buttonsOf = (
  { actions }: { readonly actions: FileSlots },
  context: CodePageContext,
  shown: FileSummary,
  revision: Revision,
) => renderSlots(actions, context, shown, revision);

/** What plugins say of a file above its content. */
export const noticesOf = (
  { notices }: { readonly notices: FileSlots },
  context: CodePageContext,
  shown: FileSummary,
  revision: Revision,
) => renderSlots(notices, context, shown, revision);

/** Pages that plugins offer for chosen lines of a file. */
export const lineActionsOf = (
  { lineActions }: { readonly lineActions: PointReader<LineAction> },
  context: CodePageContext,
  shown: FileSummary,
  revision: Revision,
): readonly LineAction[] => {
  const page = pageOf(context, shown, revision);
  return lineActions.list().filter((action) => action.visible(page));
};

const renderSlots = (slots: FileSlots, context: CodePageContext, shown: FileSummary, revision: Revision) => {
  const page = pageOf(context, shown, revision);
  return Promise.all(slots.list().map((slot) => slot.render(page)));
};

const pageOf = (context: CodePageContext, shown: FileSummary, { kind, name, commit }: Revision): FilePageContext => ({
  context: context.resource,
  actor: context.actor,
  at: { kind, name, oid: commit, commit },
  ...shown,
});
