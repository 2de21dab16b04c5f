/** Objects of LFS between this site and another server, by the batch API of git-lfs (docs/api/batch.md). */
import { Joi, type Outbound } from '@mortise/plugin-sdk';
import { remoteProblem, type GitRemotes, type RemoteAddress, type RemoteCredentials } from '@mortise/git/api';
import type { LfsObjects, LfsPointer } from '@mortise/lfs/api';
import { t } from '../texts/index.js';

const perBatch = 100;
const mediaType = 'application/vnd.git-lfs+json';
/** Of objects that the other server has not, or not any more: they are missing here as they are there. */
const absent: ReadonlySet<number> = new Set([404, 410]);
const timeoutMs = 60_000;
const transferTimeoutMs = 3_600_000;

interface Action {
  readonly href: string;
  readonly header?: Readonly<Record<string, string>>;
}
interface Answer {
  readonly objects: readonly {
    readonly oid: string;
    readonly actions?: Readonly<Record<string, Action>>;
    readonly error?: { readonly code: number; readonly message: string };
  }[];
}
const action = Joi.object({
  href: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .required(),
  header: Joi.object().pattern(Joi.string(), Joi.string()),
});
const answer = Joi.object<Answer>({
  objects: Joi.array()
    .max(perBatch * 2)
    .items(
      Joi.object({
        oid: Joi.string().required(),
        actions: Joi.object().pattern(Joi.string(), action).empty(null),
        error: Joi.object({ code: Joi.number().required(), message: Joi.string().allow('').default('') }).empty(null),
      }),
    )
    .required(),
});

interface LfsDeps {
  readonly outbound: Outbound;
  readonly lfs: LfsObjects | undefined;
  readonly remotes: GitRemotes;
}

interface LfsRemote {
  readonly address: RemoteAddress;
  readonly credentials: RemoteCredentials;
  readonly signal: AbortSignal;
}

export class LfsTransfer {
  constructor(private readonly deps: LfsDeps) {}

  /** Brings what pointers of these commits name, as far as the other server has it; gives how many came. */
  async fetch(repositoryId: number, tips: readonly string[], remote: LfsRemote): Promise<number> {
    const { lfs } = this.deps;
    if (!lfs?.enabled || !hasLfs(remote.address)) return 0;
    let count = 0;
    for await (const some of batches(lfs.missing(repositoryId, { tips })))
      for (const [pointer, { download }] of await this.#ask('download', some, remote))
        if (download) {
          await this.#download(repositoryId, pointer, download, remote);
          count++;
        }
    return count;
  }

  /** Sends what pointers of these commits name and the other server lacks; gives how many went. */
  async push(
    repositoryId: number,
    commits: { readonly tips: readonly string[]; readonly not: readonly string[] },
    remote: LfsRemote,
  ): Promise<number> {
    const { lfs } = this.deps;
    if (!lfs?.enabled || !hasLfs(remote.address)) return 0;
    let count = 0;
    for await (const some of batches(lfs.present(repositoryId, commits)))
      for (const [pointer, { upload, verify }] of await this.#ask('upload', some, remote))
        if (upload && (await this.#upload(repositoryId, pointer, upload, remote))) {
          if (verify) await this.#verify(pointer, verify, remote);
          count++;
        }
    return count;
  }

  /** Nothing where the other server knows no LFS. */
  async #ask(operation: 'download' | 'upload', pointers: readonly LfsPointer[], remote: LfsRemote) {
    const { status, body } = await this.deps.outbound.fetch(`${lfsBase(remote.address)}/objects/batch`, {
      ...this.#init(remote, remote.address.host),
      method: 'POST',
      headers: { accept: mediaType, 'content-type': mediaType, ...authorization(remote) },
      body: JSON.stringify({ operation, transfers: ['basic'], objects: pointers, hash_algo: 'sha256' }),
      timeoutMs,
    });
    if ([404, 405, 501].includes(status)) return [];
    if (status === 401 || status === 403) throw remoteProblem('authentication', t.later('error.lfs', { status }));
    const { value, error } = answer.validate(json(body), { stripUnknown: true });
    if (status !== 200 || error) throw remoteProblem('invalidData', t.later('error.lfs', { status }));
    const objects = new Map(value.objects.map((object) => [object.oid, object]));
    return pointers.map((pointer) => {
      const object = objects.get(pointer.oid);
      if (object?.error && !(operation === 'download' && absent.has(object.error.code)))
        throw remoteProblem('other', t.later('error.lfsObject', { ...object.error, oid: pointer.oid }));
      // without actions it is there already; of one that is not named nothing is known
      if (!object && operation === 'upload')
        throw remoteProblem('invalidData', t.later('error.lfsUnnamed', { oid: pointer.oid }));
      return [pointer, object?.actions ?? {}] as const;
    });
  }

  async #download(repositoryId: number, pointer: LfsPointer, { href, header = {} }: Action, remote: LfsRemote) {
    const url = new URL(href);
    const init = {
      ...this.#init(remote, hostOf(url)),
      headers: { ...ownAuthorization(url, header, remote), ...header },
      maxResponseBytes: pointer.size,
      timeoutMs: transferTimeoutMs,
    };
    await this.deps.outbound.stream(href, init, async ({ status, body }) => {
      if (status !== 200) throw remoteProblem('other', t.later('error.lfs', { status }));
      await this.deps.lfs!.receive(repositoryId, pointer, body);
    });
  }

  /** False: the object is not here any more. */
  async #upload(
    repositoryId: number,
    pointer: LfsPointer,
    { href, header = {} }: Action,
    remote: LfsRemote,
  ): Promise<boolean> {
    const found = await this.deps.lfs!.open(repositoryId, pointer.oid);
    if (!found) return false;
    const url = new URL(href);
    const { status } = await this.deps.outbound.fetch(href, {
      ...this.#init(remote, hostOf(url)),
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', ...ownAuthorization(url, header, remote), ...header },
      body: { stream: found.stream, size: found.size },
      timeoutMs: transferTimeoutMs,
    });
    if (status < 200 || status > 299) throw remoteProblem('other', t.later('error.lfs', { status }));
    return true;
  }

  async #verify(pointer: LfsPointer, { href, header = {} }: Action, remote: LfsRemote) {
    const url = new URL(href);
    const { status } = await this.deps.outbound.fetch(href, {
      ...this.#init(remote, hostOf(url)),
      method: 'POST',
      headers: { accept: mediaType, 'content-type': mediaType, ...ownAuthorization(url, header, remote), ...header },
      body: JSON.stringify(pointer),
      timeoutMs,
    });
    if (status < 200 || status > 299) throw remoteProblem('other', t.later('error.lfs', { status }));
  }

  #init({ signal }: LfsRemote, host: string) {
    return { allowedHosts: this.deps.remotes.allowedHosts(host), signal };
  }
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');
const hasLfs = ({ protocol }: RemoteAddress): boolean => protocol === 'http' || protocol === 'https';
/** git-lfs(1), "SERVER DISCOVERY". */
const lfsBase = ({ url }: RemoteAddress): string => `${url.replace(/\/+$/, '').replace(/\.git$/, '')}.git/info/lfs`;

function authorization({ address, credentials }: LfsRemote): Record<string, string> {
  const { username = address.username, password = address.password } = credentials;
  if (!username && !password) return {};
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** Our credentials where the action has none of its own, and leads to the server that they are for. */
function ownAuthorization(url: URL, header: Action['header'], remote: LfsRemote): Record<string, string> {
  const isGiven = Object.keys(header ?? {}).some((name) => name.toLowerCase() === 'authorization');
  return !isGiven && url.origin === new URL(remote.address.url).origin ? authorization(remote) : {};
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let some: T[] = [];
  for await (const item of items) {
    some.push(item);
    if (some.length < perBatch) continue;
    yield some;
    some = [];
  }
  if (some.length) yield some;
}
