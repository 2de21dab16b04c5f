import { BadRequest, Conflict, Invalid, Problem, TooLarge, type Actor } from '@mortise/plugin-sdk';
import { isLfsOid, isLfsSize, type LfsPointer } from '../contract/lfs.js';
import { lfsGrant } from './lfs-tokens.js';
import type { LfsOperation } from './lfs-gate.js';
import type { ObjectService } from './object-service.js';

interface BatchRequest {
  readonly operation: LfsOperation;
  readonly objects: readonly unknown[];
}

interface BatchAction {
  readonly href: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly expires_in?: number;
}

interface BatchObject extends LfsPointer {
  readonly authenticated?: true;
  readonly actions?: Readonly<Record<string, BatchAction>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Each costs about a kilobyte in the answer; clients ask for a hundred at a time. */
const maxPerBatch = 5000;
/** The client's own header comes back with every object. */
const maxHeaderBytes = 8 << 20;

/** How long an address of the store itself is good. */
const directSeconds = 3600;

/** Where the objects of one repository are, and with what they are asked for. */
interface BatchLinks {
  readonly repositoryId: number;
  /** `https://…/owner/name.git/info/lfs` */
  readonly base: string;
  readonly actor: Actor;
  /** The client's own header: it goes into the actions, because clients send nothing else with them. */
  readonly authorization?: string;
}

/** Reads the body of a batch request; problems of single objects become part of the answer. */
export function readBatch(body: unknown, maxObjects: number): BatchRequest {
  const { operation, objects, hash_algo } = (body ?? {}) as Record<string, unknown>;
  if (operation !== 'download' && operation !== 'upload') throw BadRequest('The operation must be download or upload.');
  if (hash_algo !== undefined && hash_algo !== 'sha256') throw Conflict('Only the hash algorithm sha256 is supported.');
  if (!Array.isArray(objects)) throw Invalid('objects must be a list.');
  const max = Math.min(maxObjects || maxPerBatch, maxPerBatch);
  if (objects.length > max) throw TooLarge(`At most ${max} objects can be requested at once.`);
  return { operation, objects };
}

const refused = (object: unknown, code: number, message: string): BatchObject => {
  const { oid, size } = (object ?? {}) as Record<string, unknown>;
  return {
    oid: typeof oid === 'string' ? oid.slice(0, 200) : '',
    size: typeof size === 'number' && Number.isFinite(size) ? size : 0,
    error: { code, message },
  };
};

const asPointer = (object: unknown): LfsPointer | undefined => {
  const { oid, size } = (object ?? {}) as Record<string, unknown>;
  return isLfsOid(oid) && isLfsSize(size) ? { oid, size } : undefined;
};

/** What a client may do with each object, in the order it asked. */
export class BatchService {
  constructor(
    private readonly objects: ObjectService,
    private readonly maxSize: number,
  ) {}

  async answer(target: BatchLinks, { operation, objects }: BatchRequest): Promise<BatchObject[]> {
    if (objects.length * (target.authorization?.length ?? 0) > maxHeaderBytes)
      throw TooLarge('The request header is too long for this many objects. Request fewer at once.');
    const asked = objects.map((object) => ({ object, pointer: asPointer(object) }));
    const oids = new Set(asked.flatMap(({ pointer }) => pointer?.oid ?? []));
    const known = await this.objects.find(target.repositoryId, [...oids]);
    const comes = asked.flatMap(({ pointer }) => (pointer && !known.has(pointer.oid) ? pointer.size : []));
    const room = await this.#room(target.repositoryId, operation === 'upload' ? comes : []);
    const act = this.#actions(target);
    const there = new Set<string>();
    const answerOne = async (pointer: LfsPointer): Promise<BatchObject> => {
      const size = known.get(pointer.oid);
      if (size !== undefined && size !== pointer.size) return refused(pointer, 422, `the object has ${size} bytes`);
      if (operation === 'download')
        return size === undefined
          ? refused(pointer, 404, 'the object does not exist')
          : { ...pointer, ...act({ download: await this.#download(target, pointer) }) };
      if (size !== undefined) {
        there.add(pointer.oid);
        return pointer;
      }
      if (this.maxSize > 0 && pointer.size > this.maxSize)
        return refused(pointer, 422, `the object is larger than ${this.maxSize} bytes`);
      if (room.refusal !== undefined && pointer.size > room.largest) return refused(pointer, 413, room.refusal);
      const upload = { href: `${target.base}/objects/${pointer.oid}/${pointer.size}` };
      return { ...pointer, ...act({ upload, verify: { href: `${target.base}/verify` } }) };
    };
    const answers: BatchObject[] = [];
    // what is asked for twice is answered twice, from one answer
    const made = new Map<string, BatchObject>();
    for (const { object, pointer } of asked) {
      if (!pointer) {
        answers.push(refused(object, 422, 'the id or the size of the object is not valid'));
        continue;
      }
      const key = `${pointer.oid} ${pointer.size}`;
      const answer = made.get(key) ?? (await answerOne(pointer));
      made.set(key, answer);
      answers.push(answer);
    }
    if (there.size > 0) await this.objects.touch(target.repositoryId, [...there]);
    return answers;
  }

  /**
   * The largest of these sizes for which there is room, and why there is none for larger ones. What the owner stores is
   * counted for each question, so the largest is asked about first, and then half of the rest at a time.
   */
  async #room(
    repositoryId: number,
    sizes: readonly number[],
  ): Promise<{ readonly largest: number; readonly refusal?: string }> {
    const sorted = [...new Set(sizes)].sort((one, other) => one - other);
    let fitting = 0;
    let end = sorted.length;
    let refusal: string | undefined;
    for (let at = end - 1; fitting < end; at = Math.floor((fitting + end) / 2)) {
      const answer = await this.#refusal(repositoryId, sorted[at]!);
      if (answer === undefined) fitting = at + 1;
      else [end, refusal] = [at, answer];
    }
    return { largest: sorted[fitting - 1] ?? -1, refusal };
  }

  /** Why the owner of the repository may not store so much more, if that is so. */
  async #refusal(repositoryId: number, bytes: number): Promise<string | undefined> {
    try {
      await this.objects.checkRoom(repositoryId, bytes);
      return undefined;
    } catch (error) {
      if (Problem.is(error) && error.code === 'too_large') return error.message;
      throw error;
    }
  }

  async #download({ base }: BatchLinks, { oid }: LfsPointer): Promise<BatchAction & { direct?: true }> {
    const direct = await this.objects.signedUrl(oid, directSeconds);
    return direct ? { href: direct, direct: true } : { href: `${base}/objects/${oid}` };
  }

  #actions({ actor, authorization }: BatchLinks) {
    const header: Readonly<Record<string, string>> = authorization ? { Authorization: authorization } : {};
    const grant = lfsGrant.of(actor);
    const expires_in = grant && Math.max(1, Math.floor((grant.expiresAt - Date.now()) / 1000));
    return (actions: Readonly<Record<string, BatchAction & { direct?: true }>>) => ({
      authenticated: true as const,
      actions: Object.fromEntries(
        Object.entries(actions).map(([name, { href, direct }]) => {
          const sent = name === 'verify' ? { ...header, Accept: 'application/vnd.git-lfs+json' } : header;
          return [
            name,
            direct
              ? { href, expires_in: directSeconds }
              : { href, header: sent, ...(expires_in ? { expires_in } : {}) },
          ];
        }),
      ),
    });
  }
}
