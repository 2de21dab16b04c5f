/** What a board holds at most; texts in characters. */
export const projectLimits = {
  title: 255,
  description: 100_000,
  columns: 100,
  columnTitle: 100,
  /** Archived ones included. */
  cards: 10_000,
  fields: 50,
  fieldName: 100,
  /** Of one field. */
  options: 100,
  /** Of an iteration, in days. */
  iterationDays: 366,
  textValue: 1000,
  /** Of a field of the kind `number`, above and below zero. */
  numberValue: 1e15,
  views: 50,
  viewTitle: 100,
  viewFilter: 1000,
  /** Of a view, as JSON. */
  viewOptions: 10_000,
} as const;
