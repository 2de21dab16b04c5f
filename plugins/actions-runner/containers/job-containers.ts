import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ValueMap } from '@mortise/actions/workflow';
import type { Launch } from '../engine/run-program.js';
import { StepFailure } from '../engine/types.js';
import { registryOf, type ContainerDefinition } from './container-definition.js';
import { folderLabel, jobLabel, type Engine } from './engine.js';

/** Milliseconds that a service may take until it is healthy, and between two looks. */
const healthTimeoutMs = 5 * 60_000;
const healthIntervalMs = 1000;

interface ContainerHost {
  /** Of the job, the runner's own; nothing in it is the job's. */
  readonly folder: string;
  /** Name of the job. */
  readonly mark: string;
  /** Of the folder in which jobs run. */
  readonly workId: string;
  /** Folders of the machine that containers have under the same path, with `:ro` behind those that they only read. */
  readonly mounts: readonly string[];
  readonly workspace: string;
  /** Lets users of the container that are not its root write to the folders of the job. */
  readonly share: () => Promise<void>;
  readonly log: (line: string) => void;
}

/** A device that a container made in the workspace would be open to the job outside. */
const noDevices = ['--cap-drop', 'MKNOD'];

interface State {
  readonly Running?: boolean;
  readonly Health?: { readonly Status?: string } | null;
  readonly Healthcheck?: { readonly Status?: string } | null;
}

/** The containers of one job: its own, if it has one, and its services. */
export class JobContainers {
  readonly engine: Engine;
  readonly #host: ContainerHost;
  readonly #name: string;
  #hasJob = false;
  #count = 0;
  readonly #built: string[] = [];
  /** Of containers that had the folders of the job. */
  readonly #images = new Set<string>();
  network = '';
  hasBash = false;
  /** Number of the user of the job's container, as it is in there; empty where it does not tell. */
  user = '';
  /** `container` and `services` of the `job` context. */
  readonly context: { container?: ValueMap; services: Record<string, ValueMap> } = { services: {} };

  constructor(engine: Engine, host: ContainerHost) {
    this.engine = engine;
    this.#host = host;
    this.#name = `mortise-${host.mark}`;
  }

  /** Do steps run in a container? */
  get hasJob(): boolean {
    return this.#hasJob;
  }

  /** Starts services and the container of the job, and waits until services that tell of their health are healthy. */
  async start(
    job: ContainerDefinition | undefined,
    services: ReadonlyMap<string, ContainerDefinition>,
    signal: AbortSignal,
  ): Promise<void> {
    const { engine } = this;
    this.network = this.#name;
    await engine.call(['network', 'create', ...this.#labels(), this.network], { signal });
    for (const one of [...services.values(), ...(job ? [job] : [])]) await this.#pull(one, signal);
    for (const [id, service] of services) await this.#startService(id, service, signal);
    if (job) await this.#startJob(job, signal);
    for (const id of services.keys()) await this.#untilHealthy(id, signal);
  }

  async #startService(id: string, service: ContainerDefinition, signal: AbortSignal): Promise<void> {
    const { engine } = this;
    const name = this.#service(id);
    this.#host.log(`Starting the service ${id}: ${service.image}`);
    const args = ['run', '--detach', '--name', name, ...this.#common(service), '--network-alias', id];
    for (const port of service.ports) args.push('--publish', port);
    const container = await engine.call([...args, ...(await this.#variables(service.env)), service.image], { signal });
    const ports: Record<string, string> = {};
    if (service.ports.length > 0)
      for (const line of (await engine.call(['port', name], { signal })).split('\n')) {
        const match = /^(\d+)\/\w+ -> .*:(\d+)$/.exec(line.trim());
        if (match) ports[match[1]!] = match[2]!;
      }
    this.context.services[id] = { id: container.slice(0, 64), network: this.network, ports };
  }

  async #startJob(job: ContainerDefinition, signal: AbortSignal): Promise<void> {
    const { engine } = this;
    this.#host.log(`Starting the container of the job: ${job.image}`);
    const args = ['run', '--detach', '--name', this.#name, ...this.#common(job)];
    for (const port of job.ports) args.push('--publish', port);
    for (const mount of this.#host.mounts) args.push('--volume', mountOf(mount));
    args.push(...(await this.#variables(job.env)), '--entrypoint', 'tail', job.image, '-f', '/dev/null');
    this.#images.add(job.image);
    const container = await engine.call(args, { signal });
    this.#hasJob = true;
    this.context.container = { id: container.slice(0, 64), network: this.network };
    this.hasBash = (await engine.try(['exec', this.#name, 'sh', '-c', 'command -v bash'], { signal })).code === 0;
    if (await this.#mayWrite(signal)) return;
    await this.#host.share();
    if (await this.#mayWrite(signal)) return;
    this.#host.log(
      `##[warning]The container runs as user ${this.user || 'of its image'}, who may not write to the workspace: steps that do will fail. An image whose user is root can`,
    );
  }

  /** Notes who the user of the container is. An image without a shell cannot be asked; its steps will tell. */
  async #mayWrite(signal: AbortSignal): Promise<boolean> {
    const ask = 'echo "user $(id -u 2>/dev/null)"; test -w "$0" && test -x "$0" || echo closed';
    const { out } = await this.engine.try(['exec', this.#name, 'sh', '-c', ask, this.#host.workspace], { signal });
    this.user = /^user (\d+)$/m.exec(out)?.[1] ?? '';
    return !/^closed$/m.test(out);
  }

  async #untilHealthy(id: string, signal: AbortSignal): Promise<void> {
    const { engine } = this;
    const name = this.#service(id);
    for (const end = Date.now() + healthTimeoutMs; ;) {
      signal.throwIfAborted();
      // Podman looks only when it is told to, where the system has no timers for it.
      if (engine.isPodman) await engine.try(['healthcheck', 'run', name], { signal });
      const [found] = JSON.parse(await engine.call(['inspect', name], { signal })) as readonly { State?: State }[];
      const state = found?.State ?? {};
      const health = (state.Health ?? state.Healthcheck)?.Status ?? '';
      if (state.Running === true && ['', 'none', 'healthy'].includes(health)) return;
      if (state.Running !== true || health === 'unhealthy' || Date.now() > end) {
        const { out, err } = await engine.try(['logs', '--tail', '100', name]);
        for (const line of `${out}${err}`.split('\n')) this.#host.log(line);
        const why =
          state.Running !== true ? 'has ended' : health === 'unhealthy' ? 'is not healthy' : 'is not ready in time';
        throw new StepFailure(`the service "${id}" ${why}`);
      }
      await new Promise((resolve) => setTimeout(resolve, healthIntervalMs));
    }
  }

  /** A program in the container of the job. Variables are passed in a file, since other users can read a command line. */
  async inJob(
    command: readonly string[],
    {
      cwd,
      env,
      paths,
      write,
    }: {
      readonly cwd: string;
      readonly env: Readonly<Record<string, string>>;
      readonly paths: readonly string[];
      /** Makes a file that the container reads. */
      readonly write: (content: string) => Promise<string>;
    },
  ): Promise<Launch> {
    const path = paths.length > 0 ? `export PATH=${[...paths.map(quoted), '"$PATH"'].join(':')}\n` : '';
    const pairs = Object.entries(env).map(([name, value]) => quoted(`${name}=${value}`));
    // The first process of a step leads its group.
    const leader = await write('');
    const file = await write(`echo $$ > ${quoted(leader)}\n${path}exec env ${pairs.join(' ')} "$@"\n`);
    const { engine } = this;
    return {
      program: engine.program,
      args: ['exec', '--workdir', cwd, this.#name, 'sh', file, ...command],
      // A client that is ended leaves what it has started.
      kill: (name) => {
        const ending = 'leader=$(cat "$0") && test "$leader" -gt 1 && kill -s "$1" -- "-$leader"';
        void engine.try(['exec', this.#name, 'sh', '-c', ending, leader, name.slice(3)]);
      },
    };
  }

  /** Runs a separate container for one step. */
  async step(options: {
    readonly image: string;
    readonly entrypoint: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  }): Promise<Launch> {
    const { engine } = this;
    const name = `${this.#name}-step-${this.#count++}`;
    this.#images.add(options.image);
    const args = ['run', '--rm', '--name', name, ...this.#labels(), ...noDevices, '--workdir', options.cwd];
    if (this.network !== '') args.push('--network', this.network);
    for (const mount of this.#host.mounts) args.push('--volume', mountOf(mount));
    args.push(...(await this.#variables(options.env)));
    if (options.entrypoint !== '') args.push('--entrypoint', options.entrypoint);
    return {
      program: engine.program,
      args: [...args, options.image, ...options.args],
      kill: (signal) => {
        void engine.try(signal === 'SIGKILL' ? ['rm', '--force', name] : ['kill', '--signal', signal.slice(3), name]);
      },
    };
  }

  /** Builds the image of an action and gives the command line for it, and its name. */
  build(folder: string, file: string): { launch: Launch; image: string } {
    const image = `${this.#name}-${this.#count++}:action`;
    this.#built.push(image);
    const args = ['build', ...this.#labels(), '--tag', image, '--file', file, folder];
    return { launch: { program: this.engine.program, args }, image };
  }

  /**
   * Ends and removes everything; files that only containers may remove go first. Where the job has none, one of an image of
   * its steps is started for them, unless the runner is root and removes everything itself.
   */
  async close(folders: readonly string[], isRoot = process.getuid?.() === 0): Promise<void> {
    const { engine } = this;
    const clear = 'for folder; do rm -rf "$folder"/* "$folder"/.[!.]* "$folder"/..?*; done';
    const args = ['-c', clear, 'sh', ...folders];
    const inJob = ['exec', '--user', '0', this.#name, 'sh', ...args];
    const isClear = this.#hasJob && (await engine.try(inJob)).code === 0;
    for (const image of isClear || isRoot ? [] : this.#images) {
      const mounts = folders.flatMap((folder) => ['--volume', mountOf(folder)]);
      const own = ['--rm', ...this.#labels(), ...noDevices, '--network', 'none', '--user', '0', ...mounts];
      if ((await engine.try(['run', ...own, '--entrypoint', 'sh', image, ...args])).code === 0) break;
    }
    await engine.remove(`${jobLabel}=${this.#host.mark}`);
    if (this.#built.length > 0) await engine.try(['rmi', '--force', ...this.#built]);
  }

  async #pull({ image, credentials }: ContainerDefinition, signal: AbortSignal): Promise<void> {
    const { engine } = this;
    if ((await engine.try(['image', 'inspect', image], { signal })).code === 0) return;
    this.#host.log(`Fetching the image ${image}`);
    if (!credentials) {
      await engine.call(['pull', '--quiet', image], { signal });
      return;
    }
    // Kept for this job only.
    const cached = engine.isPodman
      ? { before: [], after: ['--authfile', join(this.#host.folder, 'registries.json')] }
      : { before: ['--config', join(this.#host.folder, 'registries')], after: [] };
    const { username, password } = credentials;
    const login = ['login', ...cached.after, '--username', username, '--password-stdin', registryOf(image)];
    await engine.call([...cached.before, ...login], { input: password, signal });
    await engine.call([...cached.before, 'pull', ...cached.after, '--quiet', image], { signal });
  }

  #common({ volumes, options }: ContainerDefinition): string[] {
    const mounted = volumes.flatMap((volume) => ['--volume', volume]);
    return [...this.#labels(), ...noDevices, '--network', this.network, ...mounted, ...options];
  }

  #labels(): string[] {
    const { mark, workId } = this.#host;
    return ['--label', `${jobLabel}=${mark}`, '--label', `${folderLabel}=${workId}`];
  }

  readonly #service = (id: string): string => `${this.#name}-${id}`;

  /** Arguments that give variables by a file. Its lines have no ends within, which the engine cannot take. */
  async #variables(env: Readonly<Record<string, string>>): Promise<string[]> {
    const lines: string[] = [];
    for (const [name, value] of Object.entries(env))
      if (!/[\r\n]/.test(`${name}${value}`)) lines.push(`${name}=${value}`);
      else this.#host.log(`##[warning]The variable ${name} has several lines, and is not given to the container`);
    if (lines.length === 0) return [];
    const file = join(this.#host.folder, `variables-${this.#count++}`);
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    return ['--env-file', file];
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const mountOf = (mount: string): string => {
  const path = mount.replace(/:ro$/, '');
  return mount === path ? `${path}:${path}` : `${path}:${path}:ro`;
};
