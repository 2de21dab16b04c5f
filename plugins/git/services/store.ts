/** Folders of repositories. Paths are made from ids, so renames move nothing (architecture, 5). */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { access, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NotFound, Problem } from '@mortise/plugin-sdk';
import type { CloneOptions, CreateOptions, GitStore, ObjectFormat, RepositoryKind } from '../api.js';
import { GitFailure, withConfiguration, type GitRunner } from './process.js';
import { linkObjects } from './links.js';
import { markChanging, markSettled } from './stamp.js';

const staleMs = 24 * 3600 * 1000;

export class FolderStore implements GitStore {
  readonly temporary: string;
  readonly journal: string;
  /** Called when a folder goes away or is replaced. */
  onRelease: (folder: string) => void = () => undefined;

  constructor(
    readonly root: string,
    private readonly runner: GitRunner,
  ) {
    this.temporary = join(root, '.temporary');
    this.journal = join(root, '.journal');
  }

  path(id: number, kind: RepositoryKind = 'code'): string {
    if (!Number.isSafeInteger(id) || id < 1) throw NotFound('repository');
    const bucket = (id % 1024).toString(16).padStart(3, '0');
    return join(this.root, bucket, kind === 'wiki' ? `${id}.wiki.git` : `${id}.git`);
  }

  async exists(id: number, kind: RepositoryKind = 'code'): Promise<boolean> {
    return access(join(this.path(id, kind), 'HEAD')).then(
      () => true,
      () => false,
    );
  }

  async create(id: number, options: CreateOptions = {}, kind: RepositoryKind = 'code'): Promise<void> {
    if (await this.exists(id, kind)) return;
    const folder = await this.skeleton(options);
    await this.place(folder, this.path(id, kind));
  }

  async copy(from: number, to: number, options: { branch?: string; kind?: RepositoryKind } = {}): Promise<void> {
    const kind = options.kind ?? 'code';
    const source = this.path(from, kind);
    if (!(await this.exists(from, kind))) return this.create(to, {}, kind);
    const format = await objectFormatOf(source);
    const head = (await this.head(from, kind)) || 'main';
    const folder = await this.skeleton({ defaultBranch: options.branch ?? head, objectFormat: format });
    const specs = options.branch
      ? [`+refs/heads/${options.branch}:refs/heads/${options.branch}`]
      : ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
    // all branches: objects come as hard links, and the fetch finds nothing left to copy
    if (!options.branch) await linkObjects(join(source, 'objects'), join(folder, 'objects'));
    await this.runner.run(['fetch', '-q', '--no-write-fetch-head', '--no-tags', '--end-of-options', source, ...specs], {
      cwd: folder,
      environment: withConfiguration(this.runner.environment, [
        ['protocol.file.allow', 'always'],
        ['fetch.unpackLimit', '1'],
      ]),
      timeoutMs: this.runner.limits.cloneMs,
    });
    await this.place(folder, this.path(to, kind));
  }

  async cloneFrom(id: number, address: string, options: CloneOptions = {}): Promise<void> {
    const kind = options.kind ?? 'code';
    const allowed = options.local ? ['file'] : ['http', 'https', 'git'];
    if (!options.local && !/^(https?|git):\/\//.test(address))
      throw new Problem('invalid', 'only http, https and git addresses can be cloned');
    const url = new URL(options.local ? 'http://local/' : address);
    if (options.username !== undefined) url.username = encodeURIComponent(options.username);
    if (options.password !== undefined) url.password = encodeURIComponent(options.password);
    const folder = join(this.temporary, randomUUID());
    await mkdir(this.temporary, { recursive: true });
    try {
      await this.runner.run(
        [
          'clone',
          '-q',
          '--bare',
          ...(options.mirror ? ['--mirror'] : []),
          '--template=',
          '--no-hardlinks',
          '--end-of-options',
          options.local ? address : url.href,
          folder,
        ],
        {
          environment: withConfiguration(
            this.runner.environment,
            allowed.map((name) => [`protocol.${name}.allow`, 'always'] as const),
          ),
          timeoutMs: options.timeoutMs ?? this.runner.limits.cloneMs,
        },
      );
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      if (error instanceof GitFailure) throw new Problem('invalid', `cannot clone: ${withoutSecrets(error.stderr)}`);
      throw error;
    }
    const format = await objectFormatOf(folder);
    await writeFile(join(folder, 'config'), configurationText(format)); // no address with a password stays behind
    await rm(join(folder, 'FETCH_HEAD'), { force: true });
    await this.place(folder, this.path(id, kind));
  }

  async fetchObjects(from: number, to: number, oids: readonly string[], kind: RepositoryKind = 'code'): Promise<void> {
    if (from === to || !oids.length) return;
    const target = this.path(to, kind);
    await this.runner.run(
      ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--end-of-options', this.path(from, kind), ...oids],
      {
        cwd: target,
        environment: withConfiguration(this.runner.environment, [['protocol.file.allow', 'always']]),
        timeoutMs: this.runner.limits.writeMs,
      },
    );
  }

  async delete(id: number, kind: RepositoryKind = 'code'): Promise<void> {
    const folder = this.path(id, kind);
    await mkdir(this.temporary, { recursive: true });
    const aside = join(this.temporary, `deleted-${randomUUID()}`);
    try {
      await rename(folder, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    this.onRelease(folder);
    await rm(aside, { recursive: true, force: true, maxRetries: 3 });
  }

  async head(id: number, kind: RepositoryKind = 'code'): Promise<string> {
    return readHead(this.path(id, kind));
  }

  async setHead(id: number, branch: string, kind: RepositoryKind = 'code'): Promise<void> {
    const folder = this.path(id, kind);
    await this.create(id, { defaultBranch: branch }, kind);
    if ((await readHead(folder)) === branch) return;
    markChanging(folder);
    const temporary = join(folder, `HEAD.${randomUUID()}.tmp`);
    await writeFile(temporary, `ref: refs/heads/${branch}\n`);
    await rename(temporary, join(folder, 'HEAD'));
    markSettled(folder);
  }

  async size(id: number, kind: RepositoryKind = 'code'): Promise<number> {
    return folderSize(this.path(id, kind));
  }

  /** Takes away what a kill left in the temporary folder; younger things may belong to another process. */
  async sweep(): Promise<number> {
    let removed = 0;
    for (const name of await readdir(this.temporary).catch(() => [] as string[])) {
      const path = join(this.temporary, name);
      const age =
        Date.now() -
        (await stat(path).then(
          (s) => s.mtimeMs,
          () => Date.now(),
        ));
      if (!name.startsWith('deleted-') && age < staleMs) continue;
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
      removed++;
    }
    return removed;
  }

  /** An empty repository under a temporary name, made of plain files. */
  async skeleton(options: CreateOptions): Promise<string> {
    const folder = join(this.temporary, randomUUID());
    await mkdir(join(folder, 'objects', 'pack'), { recursive: true });
    await Promise.all([
      mkdir(join(folder, 'objects', 'info'), { recursive: true }),
      mkdir(join(folder, 'refs', 'heads'), { recursive: true }),
      mkdir(join(folder, 'refs', 'tags'), { recursive: true }),
      mkdir(join(folder, 'info'), { recursive: true }),
      writeFile(join(folder, 'HEAD'), `ref: refs/heads/${options.defaultBranch || 'main'}\n`),
      writeFile(join(folder, 'config'), configurationText(options.objectFormat ?? 'sha1')),
    ]);
    return folder;
  }

  private async place(folder: string, target: string): Promise<void> {
    await mkdir(join(target, '..'), { recursive: true });
    markSettled(folder);
    try {
      await rename(folder, target);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error; // another process made it meanwhile
    }
  }
}

export function configurationText(format: ObjectFormat): string {
  const version = format === 'sha256' ? 1 : 0;
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${version ? '[extensions]\n\tobjectformat = sha256\n' : ''}`;
}

export async function objectFormatOf(folder: string): Promise<ObjectFormat> {
  const text = await readFile(join(folder, 'config'), 'utf8').catch(() => '');
  return /objectformat\s*=\s*sha256/i.test(text) ? 'sha256' : 'sha1';
}

export async function readHead(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'HEAD'), 'utf8').catch(() => '');
  return /^ref: refs\/heads\/(.+)$/m.exec(text)?.[1]?.trim() ?? '';
}

async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory()
        ? folderSize(path)
        : stat(path).then(
            (found) => found.size,
            () => 0,
          );
    }),
  );
  return sizes.reduce((total, size) => total + size, 0);
}

const withoutSecrets = (text: string) => text.replace(/\/\/[^@/\s]*@/g, '//').slice(0, 500);

/** Writes the one hook script under both names that git looks for. */
export function installHooks(folder: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ['pre-receive', 'proc-receive', 'post-receive']) {
    const file = join(folder, name);
    writeFileSync(file, script);
    chmodSync(file, 0o755);
  }
}
