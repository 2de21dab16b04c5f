/**
 * Tells readers in every process whether their table of references is still good. On a local disk it is a small file
 * that is replaced (`changing`) before references move and (`changed` with a random word) after; readers compare what
 * stat says. Clients of a network file system keep what stat says for a minute, so there the same words also stand in
 * the database, and those count.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clearBeforeNextInput, Problem, type Cache } from '@mortise/plugin-sdk';
import { linkAt } from './storages.js';
import { t } from '../texts/index.js';

const changing = 'changing';
const fileOf = (folder: string) => join(folder, 'mortise-refs');

export interface Generation {
  /** Undefined: nobody has changed references since this began to count. */
  readonly word: string | undefined;
  /** What the link of the repository says since a move some minutes ago; undefined: it was not moved lately. */
  readonly place: string | undefined;
}

/** One word for each repository that every node sees at once. */
export interface Generations {
  read(name: string): Promise<Generation>;
  move(name: string, word: string): Promise<void>;
  place(name: string, word: string, place: string): Promise<void>;
}

export class RefFingerprints {
  /** Fingerprints read in this turn of the event loop: one response asks for them many times, and each costs a system call. */
  private readonly seen = new Map<string, string | undefined>();
  private readonly asked = new Map<string, Promise<string | undefined>>();
  /** Settled on the disk, while the database could not be told. */
  private readonly unpublished = new Set<string>();
  private generations: Generations | undefined;

  /** `cache`: told what is read, for values that are made from references. */
  constructor(private readonly cache?: Pick<Cache, 'noteRead'>) {}

  /** From now on the generations count. */
  share(generations: Generations): void {
    this.generations = generations;
  }

  /**
   * Before references move. Throws where other nodes could not be told, or this one still finds the repository where it lay
   * before a move: then nothing may move.
   */
  async changing(folder: string): Promise<void> {
    const generation = await this.generations?.read(basename(folder));
    if (generation && isElsewhere(folder, generation)) throw new Problem('unavailable', t.later('error.moving'));
    await this.move(folder, changing);
    this.replace(folder, changing);
  }

  /** After they have moved, or not. */
  async changed(folder: string): Promise<void> {
    this.replace(folder, newFingerprint());
    // until the database is told, every node reads the references anew each time
    await this.move(folder, newFingerprint()).catch(() => this.unpublished.add(folder));
  }

  /** A folder that {@link createFingerprint} was called for has come to its place. */
  async placed(folder: string): Promise<void> {
    await this.move(folder, newFingerprint()).catch(() => this.unpublished.add(folder));
  }

  /** The repository was moved, and the link of its folder says where to. */
  async moved(folder: string): Promise<void> {
    this.asked.delete(folder);
    await this.generations?.place(basename(folder), newFingerprint(), linkAt(folder) ?? '');
    this.asked.delete(folder);
  }

  /** Tells the database what it could not be told before. */
  async retry(): Promise<void> {
    for (const folder of this.unpublished) {
      await this.move(folder, newFingerprint());
      this.unpublished.delete(folder);
    }
  }

  /** Undefined: references are moving, or there is no fingerprint; nothing may be kept. */
  read(folder: string): string | undefined | Promise<string | undefined> {
    if (this.generations) {
      this.cache?.noteRead({ tables: ['git_generation'] });
      return this.readShared(folder, this.generations).then((word) => {
        // the table may stay as it is when the link of a moved repository is followed here at last
        if (word === undefined) this.cache?.noteRead({ key: folder, word, read: () => undefined });
        return word;
      });
    }
    const word = this.readLocal(folder);
    this.cache?.noteRead({ key: folder, word, read: () => this.readLocal(folder) });
    return word;
  }

  private readShared(folder: string, generations: Generations): Promise<string | undefined> {
    const running = this.asked.get(folder);
    if (running) return running;
    const answer = generations.read(basename(folder)).then((generation) => {
      const { word } = generation;
      return word === changing || isElsewhere(folder, generation) ? undefined : `generation ${word ?? 'none'}`;
    });
    if (this.asked.size === 0) clearBeforeNextInput(() => this.asked.clear());
    this.asked.set(folder, answer);
    return answer;
  }

  private readLocal(folder: string): string | undefined {
    if (this.seen.has(folder)) return this.seen.get(folder);
    const fingerprint = fileFingerprint(folder);
    if (this.seen.size === 0) clearBeforeNextInput(() => this.seen.clear());
    this.seen.set(folder, fingerprint);
    return fingerprint;
  }

  private async move(folder: string, word: string): Promise<void> {
    this.asked.delete(folder);
    await this.generations?.move(basename(folder), word);
    this.asked.delete(folder);
  }

  private replace(folder: string, text: string): void {
    writeFingerprint(folder, text);
    this.seen.delete(folder);
  }
}

/** Does this node still follow the former link? */
const isElsewhere = (folder: string, { place }: Generation): boolean =>
  place !== undefined && place !== (linkAt(folder) ?? '');

const newFingerprint = () => randomBytes(12).toString('hex');

function writeFingerprint(folder: string, text: string): void {
  const temporary = join(folder, `mortise-refs.${randomBytes(6).toString('hex')}`);
  writeFileSync(temporary, text);
  renameSync(temporary, fileOf(folder));
}

/** For a folder that nobody knows yet. */
export function createFingerprint(folder: string): void {
  writeFingerprint(folder, newFingerprint());
}

/** What stat says of the file; for back-ups too, which look at one disk. */
export function fileFingerprint(folder: string): string | undefined {
  const stat = statSync(fileOf(folder), { bigint: true, throwIfNoEntry: false });
  const isSettled = stat && stat.size !== BigInt(changing.length);
  return isSettled ? `${stat.ino}.${stat.ctimeNs}.${stat.size}` : undefined;
}

/** Types of file systems as statfs(2) numbers them. */
const networked = new Set([
  0x6969, // NFS
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x517b, // SMB
  0x65735546, // FUSE: GlusterFS, S3 and the like
  0x00c36400, // Ceph
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x7461636f, // OCFS2
  0x01161970, // GFS2
  0x5346414f, // AFS
]);

export function isNetworked(folder: string): boolean {
  try {
    return networked.has(statfsSync(folder).type >>> 0);
  } catch {
    return false;
  }
}
