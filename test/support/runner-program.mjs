// The usual runner program, built once from its Go module below the user's cache. Gives its path, or undefined with the
// reason on the console where there is no Go or the module cannot be fetched.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const module = 'gitea.com/gitea/runner';
const version = 'v1.0.8';
const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mortise-test-runner', version);
const program = join(home, 'gitea-runner');

const goPrograms = ['go', '/usr/local/go/bin/go'];
const runs = (command, args, options = {}) =>
  spawnSync(command, args, { encoding: 'utf8', timeout: 900_000, ...options });

export function runnerProgram() {
  if (existsSync(program)) return program;
  const go = goPrograms.find((one) => runs(one, ['version']).status === 0);
  const fault = go ? build(go) : 'there is no Go';
  if (fault) console.log(`skipped: the runner program could not be built: ${fault}`);
  return fault ? undefined : program;
}

function build(go) {
  const fetched = runs(go, ['mod', 'download', '-json', `${module}@${version}`], { timeout: 120_000 });
  if (fetched.status !== 0) return (fetched.stderr || fetched.stdout || 'it cannot be fetched').trim().slice(-300);
  const source = mkdtempSync(join(tmpdir(), 'mortise-runner-source-'));
  try {
    // the folder of the cache is read-only
    cpSync(JSON.parse(fetched.stdout).Dir, source, { recursive: true });
    runs('chmod', ['-R', 'u+w', source]);
    mkdirSync(home, { recursive: true });
    const draft = join(home, `draft-${process.pid}`);
    const flags = `-s -w -X ${module}/internal/pkg/ver.version=${version}`;
    // Jobs wait for their steps, not for the runner: not optimized, without what debuggers read and without containers, its
    // hundreds of packages are compiled in two thirds of the time.
    const cheap = ['-gcflags', 'all=-N -l -dwarf=false', '-tags', 'WITHOUT_DOCKER'];
    const made = runs(go, ['build', '-p', '1', '-trimpath', ...cheap, '-ldflags', flags, '-o', draft, '.'], {
      cwd: source,
      env: { ...process.env, GOFLAGS: '-mod=mod', GONOSUMDB: '*', CGO_ENABLED: '0' },
    });
    if (made.status !== 0) return made.stderr.trim().slice(-300);
    // two tests may build at once
    renameSync(draft, program);
    return undefined;
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}
