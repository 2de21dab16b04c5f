import type { RequestBody, Schemas } from '../fields/field.js';
import { pullFields } from '../fields/index.js';
import {
  optionSchemas,
  pickFields,
  readOptions,
  recordSchemas,
  type FieldValues,
  type PullFieldRecords,
} from '../fields/values.js';

export type { FieldValues, PullFieldRecords };

const pullRecordSchemas: Schemas = recordSchemas(pullFields);

/** The fields of an issue that pull requests have over the API too: their records, and the bodies of their requests. */
export const issueFieldsOfPulls = {
  recordSchemas: pullRecordSchemas,
  records: (issue: PullFieldRecords): PullFieldRecords =>
    Object.fromEntries(pullFields.map(({ record: { name } }) => [name, issue[name]])) as unknown as PullFieldRecords,
  optionSchemas: (request: 'create' | 'edit'): Schemas => optionSchemas(request, pullFields),
  /** What the body sets; of those who may not write, what authors may set. */
  read: (body: RequestBody, request: 'create' | 'edit', mayWrite: boolean): Partial<FieldValues> =>
    readOptions(body, request, mayWrite, pullFields),
  /** Those among the properties of something else. */
  pick: (values: Partial<FieldValues>): Partial<FieldValues> => pickFields(values),
} as const;
