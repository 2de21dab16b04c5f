import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SourceFolder, StorageArea, TakeoverContext } from '@mortise/plugin-sdk';
import { openDatabaseFile } from './database-files.js';
import type { SourceDatabase } from './source-database.js';
import { SourceSecrets } from './source-secrets.js';
import type { SourceSettings } from './source-settings.js';

/** Larger pictures would be read into memory for each page that shows them. */
const maxPictureBytes = 16 * 1024 * 1024;

/** Access of mappings to the server that is taken over. */
export class SourceContext implements TakeoverContext {
  readonly #secrets: SourceSecrets;

  constructor(
    private readonly settings: SourceSettings,
    private readonly source: Pick<SourceDatabase, 'isGogs' | 'rowsWith'>,
    readonly isDryRun: boolean,
    private readonly problems: { report(problem: string): void },
  ) {
    this.#secrets = new SourceSecrets(settings.text('security', 'SECRET_KEY') ?? '');
  }

  get isGogs(): boolean {
    return this.source.isGogs;
  }

  databaseFile(path: string): Promise<Readable | undefined> {
    return openDatabaseFile(this.source, path);
  }

  folder(name: SourceFolder): string {
    return this.settings.folder(name);
  }

  setting(section: string, key: string): string | undefined {
    return this.settings.text(section, key);
  }

  decrypt(encrypted: string): string | undefined {
    return this.#secrets.decrypt(encrypted);
  }

  decryptTotp(encrypted: string): string | undefined {
    return this.#secrets.decryptTotp(encrypted);
  }

  async storeFile(path: string, area: StorageArea, key: string): Promise<boolean> {
    try {
      const file = await lstat(path);
      if (!file.isFile()) return this.#notStored(path, 'not a regular file');
      const { size } = file;
      if ((await area.stat(key))?.size !== size) await area.put(key, createReadStream(path));
      return true;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return this.#notStored(path, error.code);
    }
  }

  /** A link may lead to what is not for everybody, and a pipe never ends. */
  async pictureKey(path: string): Promise<string | undefined> {
    try {
      const file = await lstat(path);
      if (!file.isFile() || file.size > maxPictureBytes) return undefined;
      return createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
    } catch {
      return undefined;
    }
  }

  async fileDigest(path: string): Promise<string | undefined> {
    try {
      if (!(await lstat(path)).isFile()) return undefined;
      const hash = createHash('sha256');
      await pipeline(createReadStream(path), hash);
      return hash.digest('hex');
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return undefined;
    }
  }

  #notStored(path: string, reason: string): false {
    this.report(`file ${path} cannot be read (${reason})`);
    return false;
  }

  report(problem: string): void {
    this.problems.report(problem);
  }
}

const isUnreadable = (error: unknown): error is Error & { code: string } =>
  error instanceof Error &&
  'code' in error &&
  ['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EIO'].includes(String(error.code));
