import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BadRequest, NotFound, writeDurably } from '@mortise/plugin-sdk';
import { formatNumber, markerName, type RestorePoint } from './format.js';
import { ObjectStore } from './store.js';

const lockName = 'lock';
/** A lock that nobody has touched for so long belongs to a process of another machine that died. */
const staleMs = 10 * 60_000;

interface Holder {
  readonly host: string;
  readonly process: number;
}

/** A folder of back-ups: points, and the content that they share. */
export class BackupFolder {
  readonly store: ObjectStore;

  private constructor(
    readonly path: string,
    linked: boolean,
  ) {
    this.store = new ObjectStore(path, { linked });
  }

  static async open(path: string): Promise<BackupFolder> {
    const text = await readFile(join(path, markerName), 'utf8').catch(() => undefined);
    if (text === undefined) throw NotFound(`${path} contains no back-up of Mortise.`);
    const { format } = JSON.parse(text) as { format?: number };
    if (format !== formatNumber) throw BadRequest(`the back-ups in ${path} are of another version of Mortise`);
    return new BackupFolder(path, false);
  }

  /** Opens it, or makes it where there is nothing yet. */
  static async make(path: string, { linked = false } = {}): Promise<BackupFolder> {
    if (existsSync(join(path, markerName))) return BackupFolder.open(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
    if ((await readdir(path)).length) throw BadRequest(`${path} is not empty and holds no back-up of Mortise`);
    await writeDurably(join(path, markerName), `${JSON.stringify({ format: formatNumber, at: Date.now() })}\n`);
    return new BackupFolder(path, linked);
  }

  /** Oldest first. */
  async points(): Promise<RestorePoint[]> {
    const names = await readdir(join(this.path, 'points')).catch(() => [] as string[]);
    const points: RestorePoint[] = [];
    for (const name of names.filter((one) => one.endsWith('.json'))) points.push(await this.point(name.slice(0, -5)));
    return points.sort((a, b) => a.at - b.at);
  }

  async point(id: string): Promise<RestorePoint> {
    if (!/^[\w-]+$/.test(id)) throw BadRequest(`"${id}" is not a valid back-up name.`);
    const text = await readFile(join(this.path, 'points', `${id}.json`), 'utf8').catch(() => undefined);
    if (text === undefined) throw NotFound(`Back-up ${id} does not exist in ${this.path}.`);
    const point = JSON.parse(text) as RestorePoint;
    if (point.format !== formatNumber) throw BadRequest(`the back-up ${id} is of another version of Mortise`);
    return point;
  }

  save(point: RestorePoint): Promise<void> {
    return writeDurably(join(this.path, 'points', `${point.id}.json`), `${JSON.stringify(point, null, 1)}\n`);
  }

  remove({ id }: RestorePoint): Promise<void> {
    return rm(join(this.path, 'points', `${id}.json`), { force: true });
  }

  /** One program at a time changes the folder. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    const file = join(this.path, lockName);
    const content = `${JSON.stringify({ host: hostname(), process: process.pid } satisfies Holder)}\n`;
    await writeDurably(file, content, { exclusive: true }).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      if (!(await isAbandoned(file))) throw BadRequest(`Another process is using ${this.path}.`);
      await rm(file, { force: true });
      await writeDurably(file, content, { exclusive: true });
    });
    const touch = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), 60_000);
    touch.unref();
    try {
      await rm(join(this.path, 'tmp'), { recursive: true, force: true });
      return await work();
    } finally {
      clearInterval(touch);
      await rm(join(this.path, 'tmp'), { recursive: true, force: true });
      await rm(file, { force: true });
    }
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const { stat } = await import('node:fs/promises');
  try {
    const holder = JSON.parse(await readFile(file, 'utf8')) as Holder;
    if (holder.host !== hostname()) return Date.now() - (await stat(file)).mtimeMs > staleMs;
    process.kill(holder.process, 0);
    return holder.process === process.pid;
  } catch (error) {
    return ['ESRCH', 'ENOENT'].includes(String((error as NodeJS.ErrnoException).code));
  }
}
