import { Joi } from '@mortise/plugin-sdk';
import type { RefUpdate } from '@mortise/git/api';
import { isZeroOid } from '@mortise/git/api';
import type { LfsObjects, LfsPointer } from '@mortise/lfs/api';
import { SourceFailure, type SourceClient } from '../contract/source.js';
import { basicAuthorization } from '../sources/http-source.js';

interface LfsOptions {
  readonly client: SourceClient;
  readonly objects: LfsObjects;
  /** `https://git.example/ada/abacus.git/info/lfs` */
  readonly endpoint: string;
  readonly credentials: { readonly username?: string; readonly password?: string };
}

/** An answer of the batch API (git-lfs, docs/api/batch.md). */
interface Offered {
  readonly oid: string;
  readonly actions?: {
    readonly download?: { readonly href: string; readonly header?: Readonly<Record<string, string>> };
  };
  readonly error?: { readonly code: number; readonly message: string };
}
const batchAnswer = Joi.object<{ readonly objects: readonly Offered[] }>({
  objects: Joi.array()
    .max(1000)
    .items(
      Joi.object({
        oid: Joi.string().required(),
        actions: Joi.object({
          download: Joi.object({
            href: Joi.string().required(),
            header: Joi.object().pattern(Joi.string(), Joi.string().allow('')).empty(null),
          }).empty(null),
        }).empty(null),
        error: Joi.object({ code: Joi.number().required(), message: Joi.string().allow('').default('') }).empty(null),
      }),
    )
    .default([]),
}).required();

/** Of objects that the source has not, or not any more. */
const absent: ReadonlySet<number> = new Set([404, 410]);
const batchSize = 100;
const mediaType = 'application/vnd.git-lfs+json';

/** Brings the objects of LFS that new commits name, before a reference leads to them. */
export class LfsDownload {
  /** Objects that the source has not: as with git-lfs they are missing here as they are there. */
  missing = 0;

  constructor(private readonly options: LfsOptions) {}

  async bring(repositoryId: number, updates: readonly RefUpdate[], signal: AbortSignal): Promise<void> {
    const tips = [...new Set(updates.map((update) => update.new).filter((oid) => !isZeroOid(oid)))];
    if (tips.length === 0) return;
    let batch: LfsPointer[] = [];
    for await (const pointer of this.options.objects.missing(repositoryId, { tips })) {
      batch.push(pointer);
      if (batch.length < batchSize) continue;
      await this.#download(repositoryId, batch, signal);
      batch = [];
    }
    await this.#download(repositoryId, batch, signal);
  }

  async #download(repositoryId: number, pointers: readonly LfsPointer[], signal: AbortSignal): Promise<void> {
    if (pointers.length === 0) return;
    const { client, endpoint, objects } = this.options;
    const answer = await client.fetch(`${endpoint}/objects/batch`, {
      method: 'POST',
      headers: { accept: mediaType, 'content-type': mediaType, ...this.#authorization() },
      body: JSON.stringify({ operation: 'download', transfers: ['basic'], objects: pointers }),
      signal,
    });
    if (!answer.ok)
      throw new SourceFailure(
        'invalidData',
        `The source answered the list of LFS objects with status ${answer.status}.`,
      );
    const body: unknown = await answer.json().catch(() => undefined);
    const { value, error } = batchAnswer.validate(body, { stripUnknown: true });
    if (error) throw new SourceFailure('invalidData', 'The source answered something else than a list of LFS objects.');
    const missingPointers = new Map(pointers.map((pointer) => [pointer.oid, pointer]));
    for (const { oid, actions, error: refusal } of value.objects) {
      const pointer = missingPointers.get(oid);
      if (pointer && refusal && !absent.has(refusal.code))
        throw new SourceFailure(
          refusal.code >= 500 ? 'unreachable' : 'forbidden',
          `The source refuses the LFS object ${oid}: ${refusal.message.slice(0, 200)} (code ${refusal.code})`,
        );
      if (!pointer || !actions?.download) continue;
      const { href, header: headers = {} } = actions.download;
      await client.read(href, (content) => objects.receive(repositoryId, pointer, content), { headers });
      missingPointers.delete(pointer.oid);
    }
    this.missing += missingPointers.size;
  }

  #authorization(): Record<string, string> {
    const { username = '', password = '' } = this.options.credentials;
    if (!username && !password) return {};
    return { authorization: basicAuthorization(username, password) };
  }
}
