import type { Readable } from 'node:stream';
import { BadRequest, parseJsonObject } from '@mortise/plugin-sdk';
import { isRecord, type Json } from './json.js';

/** How the attachment and the file are called in which a client tells where a version was built. */
export const provenanceEnding = '.sigstore';
const maxBytes = 512 * 1024;

export interface Provenance {
  /** As it came: its signature is over these bytes. */
  readonly bundle: Buffer;
  readonly predicateType: string;
}

/** What `npm publish --provenance` sends beside the tarball. The registry keeps it; clients check it. */
export function readProvenance(attachments: unknown): Provenance | undefined {
  const given = Object.entries(isRecord(attachments) ? attachments : {}).filter(([name]) =>
    name.endsWith(provenanceEnding),
  );
  if (given.length === 0) return undefined;
  const [, attachment] = given[0]!;
  const text = isRecord(attachment) ? attachment.data : undefined;
  if (given.length > 1 || typeof text !== 'string') throw invalid();
  const bundle = Buffer.from(text);
  if (bundle.length > maxBytes) throw invalid();
  return { bundle, predicateType: predicateTypeOf(parsed(text)) };
}

/** The same as clients ask for it. */
export async function attestationOf(content: Readable): Promise<Json> {
  const bundle = parsed(Buffer.concat((await content.toArray()) as Buffer[]).toString('utf8'));
  return { predicateType: predicateTypeOf(bundle), bundle };
}

/** An envelope holds a statement, which says of what kind it is. */
function predicateTypeOf(bundle: Json): string {
  const envelope = isRecord(bundle.dsseEnvelope) ? bundle.dsseEnvelope : {};
  if (typeof envelope.payload !== 'string') throw invalid();
  const { predicateType } = parsed(Buffer.from(envelope.payload, 'base64').toString('utf8'));
  if (typeof predicateType !== 'string' || predicateType.length > 255) throw invalid();
  return predicateType;
}

function parsed(text: string): Json {
  const value = parseJsonObject(text);
  if (!value) throw invalid();
  return value;
}

const invalid = () => BadRequest('The provenance of the package is invalid.');
