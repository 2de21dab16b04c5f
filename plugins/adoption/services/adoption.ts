import { lstat, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Conflict, NotFound, compileGlob, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader, GitStore } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryCreator } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/**
 * Folders `<owner>/<name>.git` that an operator has put into the adoption folder, because repositories themselves lie
 * under numbers. Adopting copies what git needs (no hooks, no configuration) and then takes the folder away.
 */
export class AdoptionService {
  constructor(
    private readonly deps: {
      accounts: Accounts;
      repositories: Repositories;
      making: RepositoryCreator;
      store: GitStore;
      reader: GitReader;
      /** The adoption folder. */
      root: string;
      defaultBranch: string;
    },
  ) {}

  /** `owner/name` of the folders there are, by name; `pattern` with `*`, or a part of it. */
  async list(pattern: string, limit: number, offset: number): Promise<{ items: string[]; total: number }> {
    const found: string[] = [];
    const wanted = pattern.toLowerCase();
    const glob = /[*?]/.test(wanted) ? compileGlob(wanted.includes('/') ? wanted : `*/${wanted}`) : undefined;
    const fits = (path: string) => glob?.matches(path) ?? path.includes(wanted);
    for (const owner of await folders(this.deps.root)) {
      if (!/^[\w.-]+$/.test(owner)) continue;
      for (const folder of await folders(join(this.deps.root, owner))) {
        const name = /^(.+)\.git$/.exec(folder)?.[1];
        if (name && this.deps.making.isName(name) && fits(`${owner}/${name}`.toLowerCase()))
          found.push(`${owner}/${name}`);
      }
    }
    found.sort();
    return { items: found.slice(offset, offset + limit), total: found.length };
  }

  /** Those under one name. */
  async ofOwner(owner: string, limit: number, offset: number): Promise<{ items: string[]; total: number }> {
    const { items } = await this.list(`${owner}/`, Infinity, 0);
    const own = items.filter((path) => path.toLowerCase().startsWith(`${owner.toLowerCase()}/`));
    return { items: own.slice(offset, offset + limit), total: own.length };
  }

  async adopt(ownerName: string, name: string, actor: Actor): Promise<Repository> {
    const { accounts, repositories, making, store, defaultBranch } = this.deps;
    const folder = await this.#find(ownerName, name);
    const owner = await accounts.byName(ownerName);
    if (!owner) throw NotFound('user');
    if (await repositories.byPath(ownerName, name)) throw Conflict(t.later('error.nameTaken'));
    let derived: Parameters<Repositories['setDerived']>[1] = {};
    const made = await making.establish(
      owner,
      {
        name,
        isPrivate: true,
        defaultBranch,
        objectFormat: await formatOf(folder),
        units: making.units(),
        overLimit: true,
      },
      actor,
      async (row) => {
        await store.cloneFrom(row.id, folder, { mirror: true, local: true });
        derived = await this.#derive(row.id);
      },
      (row) => repositories.setDerived(row.id, derived),
    );
    await this.#takeAway(folder);
    return (await repositories.byId(made.id)) ?? made;
  }

  /** What the copy holds; its HEAD names a branch that there is. */
  async #derive(id: number): Promise<Parameters<Repositories['setDerived']>[1]> {
    const { reader, store } = this.deps;
    const facts = reader.open(id);
    const [head, branches] = await Promise.all([facts.head(), facts.branches()]);
    const branch = branches.some(({ name }) => name === head.branch) ? head.branch : branches[0]?.name;
    if (!branch) return {};
    if (branch !== head.branch) await store.setHead(id, branch);
    return { ...(await this.deps.making.derive(id, branch)), defaultBranch: branch };
  }

  async remove(ownerName: string, name: string): Promise<void> {
    await this.#takeAway(await this.#find(ownerName, name));
  }

  async #find(owner: string, name: string): Promise<string> {
    const { items } = await this.list('', Infinity, 0);
    const wanted = `${owner}/${name}`.toLowerCase();
    const path = items.find((one) => one.toLowerCase() === wanted);
    if (!path) throw NotFound(t.later('error.missing'));
    return join(this.deps.root, `${path}.git`);
  }

  /** Out of sight first, so that a kill in between leaves no half of it in the list. */
  async #takeAway(folder: string): Promise<void> {
    const bin = join(this.deps.root, '.removed');
    await mkdir(bin, { recursive: true });
    const renamed = join(bin, `${Date.now()}-${process.pid}`);
    await rename(folder, renamed);
    await rm(renamed, { recursive: true, force: true });
  }
}

/** What the folder's own configuration says its object ids are. */
async function formatOf(folder: string): Promise<'sha1' | 'sha256'> {
  const text = await readFile(join(folder, 'config'), 'utf8').catch(() => '');
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(text) ? 'sha256' : 'sha1';
}

/** Real folders only: a link could lead anywhere. */
async function folders(path: string): Promise<string[]> {
  const stat = await lstat(path).catch(() => undefined);
  if (!stat?.isDirectory()) return [];
  const entries = await readdir(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map((entry) => entry.name);
}
