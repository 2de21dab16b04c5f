import { endOfDay } from '@mortise/plugin-sdk';

/** Is an open issue or milestone late? What is due today is not, whatever hour its date has. */
export const isOverdue = ({ isClosed, dueAt }: { readonly isClosed: boolean; readonly dueAt: number }): boolean =>
  !isClosed && dueAt > 0 && endOfDay(dueAt) < Date.now();
