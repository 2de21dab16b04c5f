import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { BadRequest, TooLarge, reply, type Reply } from '@mortise/plugin-sdk';
import type { UploadLimits, Uploads } from './uploads.js';

/** Bytes of a list of blocks. */
const maxList = 8 * 1024 * 1024;

/** What clients of block storage send: a block, the list of blocks, a piece to append, or all of it at once. */
interface BlockRequest {
  readonly comp?: string;
  readonly blockId?: string;
  readonly body: Readable;
  /** Of the whole. */
  readonly limits: UploadLimits;
}

async function* bounded(body: Readable): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxList) throw TooLarge('The list of blocks is too long.');
    yield chunk;
  }
}

/** Names of blocks of a list in XML, in their order; text that is none is refused. */
function blockIdsOf(xml: string): string[] {
  if (!/^\ufeff?\s*<(?:\?xml\b|BlockList\b)/.test(xml) || /<!(?:DOCTYPE|ENTITY)/i.test(xml))
    throw BadRequest('The list of blocks cannot be read.');
  const blockIds = [...xml.matchAll(/<(?:Latest|Committed|Uncommitted)>([^<]{1,400})</g)].map(([, id]) => id!.trim());
  if (blockIds.length === 0 || !xml.includes('</BlockList>')) throw BadRequest('The list of blocks names no block.');
  return blockIds;
}

/** Takes in what belongs to an upload. */
export async function storeBlock(uploads: Uploads, uploadId: number, request: BlockRequest): Promise<Reply> {
  const { comp, blockId, body, limits: room } = request;
  switch (comp) {
    case 'blocklist':
      await uploads.setList(uploadId, blockIdsOf(await text(bounded(body))));
      return reply.json('created', 201);
    case 'block':
    case 'appendBlock':
    case 'appendblock':
      if (blockId && comp === 'block') await uploads.putBlock(uploadId, blockId, body, room);
      else await uploads.append(uploadId, body, room);
      return reply.json('appended', 201);
    case undefined:
    case '':
      await uploads.restart(uploadId);
      await uploads.putAt(uploadId, 0, body, room);
      return reply.json('created', 201);
    default:
      throw BadRequest('This kind of upload is not known.');
  }
}
