// A server as it is after its first start, with the administrator `root`: made once a run and copied by each test that
// starts one, since the first command, the migrations and the host keys cost more than the start itself.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';

/** What of a work folder is the same for every server. Repositories, logs and what is on its way are not. */
const shared = ['config/secret', 'ssh', 'data/mortise.db'];
/** Named by what they are made from. */
const caches = ['cache/assets'];

/** Set by the runner; alone, a test makes its server by itself. */
const folderOf = (engine) => {
  const folder = process.env.MORTISE_TEST_TEMPLATES && join(process.env.MORTISE_TEST_TEMPLATES, engine);
  return folder && existsSync(join(folder, 'ready')) ? folder : undefined;
};

const client = (program, args, options) => {
  const { hostname, port } = new URL(process.env.MORTISE_TEST_MYSQL);
  const done = spawnSync(program, ['-h', hostname, '-P', port, '-u', 'root', ...args], {
    maxBuffer: 1 << 28,
    ...options,
  });
  if (done.status !== 0) throw new Error(`${program}: ${done.error ?? done.stderr}`);
  return done.stdout;
};

function copyAll(paths, from, to) {
  for (const path of paths) {
    if (!existsSync(join(from, path))) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    cpSync(join(from, path), join(to, path), { recursive: true, preserveTimestamps: true });
  }
}

/** Makes the template out of a work folder whose server has stopped. */
export function keepTemplate(engine, workDir, database) {
  const folder = join(process.env.MORTISE_TEST_TEMPLATES, engine);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyAll([...shared, ...caches], workDir, join(folder, 'work'));
  if (database) writeFileSync(join(folder, 'rows.sql'), client('mariadb-dump', ['--skip-comments', database]));
  writeFileSync(join(folder, 'ready'), '');
}

/** Lays it into a fresh work folder and an empty database. Gives whether there is one. */
export function layTemplate(engine, workDir, database) {
  const folder = folderOf(engine);
  if (!folder) return false;
  copyAll([...shared, ...caches], join(folder, 'work'), workDir);
  if (database) client('mariadb', [database], { input: readFileSync(join(folder, 'rows.sql')) });
  return true;
}

/** Hands on what a server bundled for browsers that none had before. */
export function handOnAssets(engine, workDir) {
  const folder = folderOf(engine);
  const made = join(workDir, 'cache/assets');
  if (!folder || !existsSync(made)) return;
  const kept = join(folder, 'work/cache/assets');
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(made)) {
    // one that was just being written has a number behind it
    if (/\.\d+$/.test(name) || existsSync(join(kept, name))) continue;
    const beside = join(folder, `.${randomBytes(6).toString('hex')}`);
    try {
      copyFileSync(join(made, name), beside);
      renameSync(beside, join(kept, name));
    } catch {
      rmSync(beside, { force: true });
    }
  }
}
