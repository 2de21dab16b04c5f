import { Problem, type ProblemCode } from '@mortise/plugin-sdk';

/** `scimType` of an error (RFC 7644, 3.12). */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

const codes: Partial<Record<ScimType, ProblemCode>> = { uniqueness: 'conflict' };

/** 409 for `uniqueness`, else 400. The answer tells the type ({@link scimTypeOf}). */
export const scimProblem = (scimType: ScimType, detail: string): Problem =>
  new Problem(codes[scimType] ?? 'bad_request', detail, { fields: { scimType } });

const typesOfCodes: Partial<Record<ProblemCode, ScimType>> = { conflict: 'uniqueness', invalid: 'invalidValue' };

/** Undefined: the status says enough. */
export const scimTypeOf = ({ fields, code }: Problem): string | undefined =>
  typeof fields.scimType === 'string' ? fields.scimType : typesOfCodes[code];
