/** A bundle needs a reference; it gets one in a throw-away repository that borrows the objects. */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ObjectFormat } from '../contract/names.js';
import type { GitRunner } from './git-runner.js';

export function bundle(
  deps: { runner: GitRunner; temporary: string },
  repository: string,
  commit: string,
  format: Promise<ObjectFormat>,
): Readable {
  const output = new PassThrough();
  const make = async () => {
    await mkdir(deps.temporary, { recursive: true });
    const folder = await mkdtemp(join(deps.temporary, 'bundle-'));
    try {
      await deps.runner.run(['init', '-q', '--bare', '--template=', `--object-format=${await format}`, folder]);
      await mkdir(join(folder, 'objects', 'info'), { recursive: true });
      await writeFile(join(folder, 'objects', 'info', 'alternates'), `${join(repository, 'objects')}\n`);
      await writeFile(join(folder, 'refs', 'heads', 'main'), `${commit}\n`);
      await writeFile(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
      await pipeline(
        deps.runner.stream(['bundle', 'create', '-q', '-', 'HEAD', 'refs/heads/main'], { cwd: folder }),
        output,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
  make().catch((error: Error) => output.destroy(error));
  return output;
}
