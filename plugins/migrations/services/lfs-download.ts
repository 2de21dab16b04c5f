import type { RefUpdate } from '@mortise/git/api';
import { isZeroOid } from '@mortise/git/api';
import type { LfsObjects, LfsPointer } from '@mortise/lfs/api';
import { SourceFailure, type SourceClient } from '../api.js';

interface LfsOptions {
  readonly client: SourceClient;
  readonly objects: LfsObjects;
  /** `https://git.example/ada/abacus.git/info/lfs` */
  readonly endpoint: string;
  readonly credentials: { readonly username?: string; readonly password?: string };
}

/** An answer of the batch API (git-lfs, docs/api/batch.md). */
interface BatchAnswer {
  readonly objects?: readonly {
    readonly oid?: unknown;
    readonly actions?: { readonly download?: { readonly href?: unknown; readonly header?: Record<string, unknown> } };
    readonly error?: { readonly code?: unknown };
  }[];
}

const batchSize = 100;
const mediaType = 'application/vnd.git-lfs+json';

/** Brings the objects of LFS that new commits name, before a reference leads to them. */
export class LfsDownload {
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
    const { objects: offered = [] } = (await answer.json()) as BatchAnswer;
    const wanted = new Map(pointers.map((pointer) => [pointer.oid, pointer]));
    for (const { oid, actions } of offered) {
      const pointer = typeof oid === 'string' ? wanted.get(oid) : undefined;
      const { href, header = {} } = actions?.download ?? {};
      if (!pointer || typeof href !== 'string') continue;
      const headers = Object.fromEntries(Object.entries(header).map(([name, value]) => [name, String(value)]));
      await client.read(href, (content) => objects.receive(repositoryId, pointer, content), { headers });
      wanted.delete(pointer.oid);
    }
    // as git-lfs does, objects that are missing at the source are skipped
  }

  #authorization(): Record<string, string> {
    const { username = '', password = '' } = this.options.credentials;
    if (!username && !password) return {};
    return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  }
}
