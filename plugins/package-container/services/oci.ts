import { Problem, reply, type ProblemCode, type Reply } from '@mortise/plugin-sdk';

/** Version of an image that holds blobs until a manifest takes them. */
export const waiting = '_upload';

/** Codes of the distribution specification. */
type OciCode =
  | 'BLOB_UNKNOWN'
  | 'BLOB_UPLOAD_INVALID'
  | 'BLOB_UPLOAD_UNKNOWN'
  | 'DENIED'
  | 'DIGEST_INVALID'
  | 'MANIFEST_BLOB_UNKNOWN'
  | 'MANIFEST_INVALID'
  | 'MANIFEST_UNKNOWN'
  | 'NAME_INVALID'
  | 'NAME_UNKNOWN'
  | 'SIZE_INVALID'
  | 'TOOMANYREQUESTS'
  | 'UNAUTHORIZED'
  | 'UNSUPPORTED';

export const type = 'container';

/** A refusal with its code; `status` where no refusal has it. */
export const refuse = (code: ProblemCode, oci: OciCode, message: string, status?: number): Problem =>
  new Problem(code, message, { fields: { oci, ...(status && { status }) } });

const usual: Partial<Record<ProblemCode, OciCode>> = {
  unauthorized: 'UNAUTHORIZED',
  forbidden: 'DENIED',
  not_found: 'NAME_UNKNOWN',
  too_large: 'SIZE_INVALID',
};

/** Says which protocol speaks, as clients want to hear with every answer. */
export const speaking = (answer: Reply): Reply => answer.header('docker-distribution-api-version', 'registry/2.0');

export function errorReply(problem: Problem): Reply {
  const code = (problem.fields.oci as OciCode | undefined) ?? usual[problem.code] ?? 'UNSUPPORTED';
  const status = (problem.fields.status as number | undefined) ?? problem.status;
  return speaking(reply.json({ errors: [{ code, message: problem.message }] }, status));
}

const image = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*$/;
const tag = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const digest = /^(?:sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128})$/;

export function checkImage(name: string): string {
  if (name.length > 200 || !image.test(name))
    throw refuse('bad_request', 'NAME_INVALID', 'the name of the image is invalid');
  return name;
}

export const isDigest = (text: string | undefined): text is string => text !== undefined && digest.test(text);
/** Versions are found without case, so no spelling of the hidden one may be a tag. */
export const isTag = (text: string): boolean => tag.test(text) && text.toLowerCase() !== waiting;
export const algorithmOf = (text: string) => (text.startsWith('sha512:') ? 'sha512' : 'sha256');

/** Does the content have that digest? */
export const hasDigest = (text: string, blob: { readonly sha256: string; readonly sha512: string }): boolean =>
  text === `${algorithmOf(text)}:${blob[algorithmOf(text)]}`;

/** Name of the file of a blob. */
export const fileNameOf = (text: string): string => text.replace(':', '_');
