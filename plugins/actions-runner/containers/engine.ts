import { spawn } from 'node:child_process';

interface EngineOutput {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Characters of output that are returned. */
const maxOutput = 4_000_000;
/** Milliseconds. */
const callTimeoutMs = 60_000;

const knownEngines = ['docker', 'podman'];

/** Labels by which containers and networks of jobs are known: the job, and the id of the folder in which jobs run. */
export const jobLabel = 'mortise.job';
export const folderLabel = 'mortise.folder';

/** A program that runs containers, with the command line of docker. */
export class Engine {
  private constructor(
    readonly program: string,
    readonly isPodman: boolean,
  ) {}

  /**
   * The engine that works here and fits: `auto` looks for docker, then podman; `off` and a program that does not answer give
   * none.
   */
  static async find(
    wanted: string,
    fits: (engine: Engine) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<Engine | undefined> {
    for (const program of wanted === 'auto' ? knownEngines : wanted === 'off' || wanted === '' ? [] : [wanted]) {
      // A client may be there without a service.
      if ((await call(program, ['ps', '--quiet'])).code !== 0) continue;
      const engine = new Engine(program, /podman/i.test((await call(program, ['--version'])).out));
      if (await fits(engine)) return engine;
    }
    return undefined;
  }

  /** Is root of its containers another than that of the machine? */
  async isConfined(): Promise<boolean> {
    const { code, out } = await this.try(['info', '--format', '{{json .}}']);
    if (code !== 0) return false;
    try {
      const { SecurityOptions, host } = JSON.parse(out) as {
        readonly SecurityOptions?: readonly string[] | null;
        readonly host?: { readonly security?: { readonly rootless?: boolean } };
      };
      const named = (SecurityOptions ?? []).some((option) => /^name=(?:rootless|userns)(?:,|$)/.test(option));
      return named || host?.security?.rootless === true;
    } catch {
      return false;
    }
  }

  /** Gives what it says, also where it fails. */
  async try(args: readonly string[], options: { input?: string; signal?: AbortSignal } = {}): Promise<EngineOutput> {
    return call(this.program, args, options);
  }

  /** Gives what it prints; throws with its words where it fails. */
  async call(args: readonly string[], options: { input?: string; signal?: AbortSignal } = {}): Promise<string> {
    const { code, out, err } = await this.try(args, options);
    options.signal?.throwIfAborted();
    if (code !== 0) throw new Error(`${this.program} ${args[0] ?? ''}: ${(err || out).trim().slice(-1000)}`);
    return out.trim();
  }

  /** Ends and removes the containers and networks with a label, with what they keep. */
  async remove(label: string): Promise<void> {
    const ids = async (...args: string[]) =>
      (await this.try([...args, '--quiet', '--filter', `label=${label}`])).out.split('\n').filter(Boolean);
    const containers = await ids('ps', '--all');
    if (containers.length > 0)
      await this.try(['rm', '--force', '--volumes', ...(this.isPodman ? ['--time', '0'] : []), ...containers]);
    const networks = await ids('network', 'ls');
    if (networks.length > 0) await this.try(['network', 'rm', ...networks]);
  }

  /** Removes what jobs of a work folder have left whose own folder is gone: their runner was killed. */
  async removeAbandoned(workId: string, running: () => Promise<readonly string[]>): Promise<void> {
    const jobs = new Set<string>();
    const filter = ['--filter', `label=${folderLabel}=${workId}`, '--format'];
    // A job that was killed early has a network alone.
    for (const args of [
      ['ps', '--all', ...filter, '{{.Names}}'],
      ['network', 'ls', ...filter, '{{.Name}}'],
    ])
      for (const [, job = ''] of (await this.try(args)).out.matchAll(
        /^mortise-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/gm,
      ))
        jobs.add(job);
    if (jobs.size === 0) return;
    for (const job of await running()) jobs.delete(job);
    for (const job of jobs) await this.remove(`${jobLabel}=${job}`);
  }
}

function call(
  program: string,
  args: readonly string[],
  { input, signal }: { input?: string; signal?: AbortSignal } = {},
): Promise<EngineOutput> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // What has a signal takes the time that it needs.
      ...(signal ? {} : { timeout: callTimeoutMs }),
      killSignal: 'SIGKILL',
      ...(signal ? { signal } : {}),
    });
    let [out, err] = ['', ''];
    child.stdout!.on('data', (chunk: Buffer) => (out = (out + chunk.toString('utf8')).slice(-maxOutput)));
    child.stderr!.on('data', (chunk: Buffer) => (err = (err + chunk.toString('utf8')).slice(-maxOutput)));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.once('error', (error) => resolve({ code: 127, out, err: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 137, out, err }));
  });
}
