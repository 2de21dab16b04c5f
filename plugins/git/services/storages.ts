/**
 * The disks that repositories lie on. In the folder of the site each repository has one name, `<bucket>/<id>.git`: the
 * repository itself, or a symbolic link to where it lies on another disk. Every process reads the place from there, so
 * moving a repository is replacing its link (decision 0063).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { access, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { Problem } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

export interface GitStorage {
  readonly name: string;
  /** Absolute path. */
  readonly root: string;
  /** Share of new repositories, beside the weights of the others. */
  readonly weight: number;
}

/** The name of `[repository] ROOT` among the storages. */
export const defaultStorage = 'default';

/** Below the folder of the site: a link for each storage, so that disks can be mounted elsewhere. */
const mountsFolder = '.storages';

/** In a storage that was used: where the disk is not mounted, its folder is there but this file is not. */
const markFile = '.mortise-storage';

/** Of folders whose repository is reached by a link: `17-0a1b2c3d.git`. */
const placedPattern = /^(\d+)(\.wiki)?-[0-9a-f]{8}\.git$/;

export class Storages {
  /** The default one comes first. */
  readonly list: readonly GitStorage[];

  constructor(
    readonly root: string,
    others: readonly GitStorage[] = [],
    defaultWeight = 1,
  ) {
    this.list = [{ name: defaultStorage, root, weight: defaultWeight }, ...others];
    const twice = this.list.find((one) => this.list.some((other) => other !== one && isBelow(one.root, other.root)));
    if (twice) throw new Error(`the storage ${twice.name} of [git.storages] lies in the folder of another one`);
  }

  /** Makes what is missing of the folders. */
  prepare(): void {
    for (const storage of this.list) mkdirSync(storage.root, { recursive: true });
    if (this.isSingle) return;
    const mounts = join(this.root, mountsFolder);
    mkdirSync(mounts, { recursive: true });
    for (const { name, root } of this.list) {
      const mount = join(mounts, name);
      if (linkAt(mount) === undefined) writeFileSync(join(root, markFile), `${name}\n`);
      pointTo(mount, name === defaultStorage ? '..' : root);
    }
  }

  /** There is only the folder of the site. */
  get isSingle(): boolean {
    return this.list.length === 1;
  }

  find(name: string): GitStorage | undefined {
    return this.list.find((storage) => storage.name === name);
  }

  /** The name of the storage that the folder lies on, also of one that the settings name no longer. */
  storageNameOf(folder: string): string {
    const link = linkAt(folder);
    return link === undefined ? defaultStorage : (link.split('/').at(-3) ?? '');
  }

  /** Differs as soon as the folder lies elsewhere. */
  linkOf(folder: string): string {
    return this.isSingle ? '' : (linkAt(folder) ?? '');
  }

  /** A storage for a new repository, at random by weight; `preferred` where that one takes new ones. */
  choose(preferred: string = ''): GitStorage {
    const open = this.list.filter((storage) => storage.weight > 0 && this.isMounted(storage));
    const total = open.reduce((sum, { weight }) => sum + weight, 0);
    let left = Math.random() * total;
    const chosen = open.find(({ name }) => name === preferred) ?? open.find(({ weight }) => (left -= weight) < 0);
    return chosen ?? (this.list[0] as GitStorage);
  }

  /** Is its disk mounted? */
  isMounted({ root }: GitStorage): boolean {
    return this.isSingle || existsSync(join(root, markFile));
  }

  /** Where folders are made before they come to their place on the storage. */
  temporaryOf(storage: GitStorage): string {
    return join(storage.root, '.temporary');
  }

  /** The temporary folder on the disk that the repository lies on. */
  temporaryBeside(folder: string): string {
    const storage = this.isSingle ? undefined : this.find(this.storageNameOf(folder));
    return this.temporaryOf(storage ?? (this.list[0] as GitStorage));
  }

  /** A new name for the repository of a folder (`…/<bucket>/<id>.git`) on a storage. */
  newPlace(folder: string, storage: GitStorage): string {
    const name = basename(folder).replace(/\.git$/, `-${randomBytes(4).toString('hex')}.git`);
    return join(storage.root, basename(dirname(folder)), name);
  }

  /** What the link of a repository says when it lies at that place. */
  linkTarget(storage: GitStorage, place: string): string {
    return join('..', mountsFolder, storage.name, relative(storage.root, place));
  }

  /** Gives a folder that came to a place of the storage its name. False: there is a repository of the name. */
  async link(folder: string, storage: GitStorage, place: string): Promise<boolean> {
    try {
      await symlink(this.linkTarget(storage, place), folder);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    }
  }
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep);

/** What the link says; undefined: it is no link. */
export function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EINVAL' || code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** `17-0a1b2c3d.git` → `17.git`; undefined: it is no such name. */
export function repositoryFolderName(name: string): string | undefined {
  const [, id, wiki = ''] = placedPattern.exec(name) ?? [];
  return id && `${id}${wiki}.git`;
}

/** Is there a repository? Unavailable where a link leads to none: its disk is away. */
export async function hasRepository(folder: string): Promise<boolean> {
  const hasHead = () =>
    access(join(folder, 'HEAD')).then(
      () => true,
      () => false,
    );
  if (await hasHead()) return true;
  if (linkAt(folder) === undefined) return false;
  // a move may have ended between the two looks
  if (await hasHead()) return true;
  throw new Problem('unavailable', t.later('error.storageAway'));
}

/**
 * Removes a folder, or the folder that a link leads to and then the link: a kill in between leaves a link that says so.
 * False: the disk that the link leads to is away, and the link stays for another try.
 */
export async function removeRepository(path: string): Promise<boolean> {
  const link = linkAt(path);
  if (link !== undefined) {
    const place = join(dirname(path), link);
    if (!existsSync(join(dirname(dirname(place)), markFile))) return false;
    await rm(place, { recursive: true, force: true, maxRetries: 3 });
  }
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
  return true;
}

/** Makes a link, or replaces one that leads elsewhere. */
function pointTo(link: string, target: string): void {
  if (linkAt(link) === target) return;
  const temporary = `${link}.${randomBytes(6).toString('hex')}`;
  symlinkSync(target, temporary);
  renameSync(temporary, link);
}
