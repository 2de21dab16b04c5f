import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '@mortise/plugin-sdk';
import { repositoryStorages } from '../api.js';
import { checkRepositories } from '../services/doctor.js';
import { gitCore, refGate } from '../services/service-refs.js';
import { RepositoryKit } from './repository-kit.js';

/** Three storages, of which the default takes nothing new, and what tests of them ask. */
export async function startStorages() {
  const folder = await mkdtemp(join(tmpdir(), 'storages-'));
  const kit = await RepositoryKit.start({
    git: { LOOSE_OBJECTS: 1000 },
    'git.storages': { default: '0', fast: `${join(folder, 'fast')} 3`, slow: join(folder, 'slow disk') },
  });
  const { host } = kit;
  return {
    folder,
    kit,
    host,
    storages: host.services.get(repositoryStorages),
    store: host.services.get(gitCore).store,
    git: (id: number, ...args: string[]) =>
      execFileSync('git', args, { cwd: kit.store.path(id), encoding: 'utf8' }).trim(),
    findings: async (fix: boolean): Promise<Finding[]> => {
      const found: Finding[] = [];
      for await (const one of checkRepositories(host.services.get(refGate), { fix })) found.push(one);
      return found;
    },
    /** Folders of repositories that lie there. */
    lying: (root: string) =>
      readdirSync(root)
        .filter((name) => /^[0-9a-f]{3}$/.test(name))
        .flatMap((bucket) =>
          readdirSync(join(root, bucket)).filter((name) => !lstatSync(join(root, bucket, name)).isSymbolicLink()),
        ),
    close: async () => {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
