import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An engine with one image, made from what the machine has: nothing is fetched. */
export interface RealEngine {
  readonly program: string;
  readonly image: string;
  close(): void;
}

const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path));
const tools = 'sh cat echo env id kill ls nc rm sleep tail test wget'.split(' ');

/**
 * Podman with folders of its own, or undefined where it does not work. It runs in mounts of its own, without the second
 * kind of control groups, which some machines mix with the first.
 */
export async function realEngine(folder: string): Promise<RealEngine | undefined> {
  if (process.getuid?.() !== 0 || !busybox || spawnSync('podman', ['--version']).status !== 0) return undefined;
  const at = (name: string) => join(folder, name);
  writeFileSync(
    at('containers.conf'),
    '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\npids_limit = 0\n',
  );
  const hide = 'umount /sys/fs/cgroup/unified 2>/dev/null; echo ready; exec sleep 600';
  const holder = spawn('unshare', ['--mount', 'sh', '-c', hide], { stdio: ['ignore', 'pipe', 'ignore'] });
  const isReady = await new Promise<boolean>((resolve) => {
    holder.once('error', () => resolve(false));
    holder.once('exit', () => resolve(false));
    holder.stdout!.once('data', () => resolve(true));
  });
  if (!isReady) return undefined;
  const program = at('podman');
  const options = `--root '${at('root')}' --runroot '${at('run')}' --storage-driver vfs --cgroup-manager cgroupfs --events-backend file`;
  writeFileSync(
    program,
    `#!/bin/sh\nexport CONTAINERS_CONF='${at('containers.conf')}'\nexec nsenter --target ${holder.pid} --mount podman ${options} "$@"\n`,
  );
  chmodSync(program, 0o755);
  const engine = { program, image: 'localhost/tools:1', close: () => close(program, holder, folder) };
  if (makeImage(engine, at('image')) && canRun(engine)) return engine;
  engine.close();
  return undefined;
}

function makeImage({ program, image }: RealEngine, folder: string): boolean {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'tmp'));
  copyFileSync(busybox!, join(folder, 'bin/busybox'));
  for (const tool of tools) symlinkSync('busybox', join(folder, 'bin', tool));
  const input = execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 64 * 1_048_576 });
  const serve = 'CMD ["sh", "-c", "while :; do echo pong | nc -l -p 8080; done"]';
  return spawnSync(program, ['import', '--change', serve, '-', image], { input }).status === 0;
}

const canRun = ({ program, image }: RealEngine): boolean => {
  const network = `probe-${process.pid}`;
  const run = (...args: string[]) => spawnSync(program, args, { timeout: 30_000 }).status === 0;
  const works = run('network', 'create', network) && run('run', '--rm', '--network', network, image, 'echo');
  return run('network', 'rm', '--force', network) && works;
};

function close(program: string, holder: ChildProcess, folder: string): void {
  spawnSync(program, ['rm', '--all', '--force', '--time', '0']);
  holder.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
