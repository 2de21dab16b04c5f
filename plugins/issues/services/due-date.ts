import { endOfDay } from '@mortise/plugin-sdk';

/** Is an open issue or milestone late? What is due today is not, whatever hour its date has. */
export const isOverdue = ({ isClosed, dueAt }: { readonly isClosed: boolean; readonly dueAt: number }): boolean =>
  !isClosed && dueAt > 0 && endOfDay(dueAt) < Date.now();

/** Where a date is required, a year that no calendar of a project holds stands for none: 0. Both in milliseconds. */
export const dueTimeOf = (time: number): number => (time > 0 && new Date(time).getUTCFullYear() < 9999 ? time : 0);
