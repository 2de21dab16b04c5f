import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toText, type Contexts, type Evaluation, type Value, type ValueMap } from '@mortise/actions/workflow';
import { chooseEngine } from '../containers/choose-engine.js';
import { JobContainers } from '../containers/job-containers.js';
import { commandListener } from './workflow-commands.js';
import { baseEnvironment, type Folders } from './base-environment.js';
import { isProtectedVariable, parsePairs, readCommandFile } from './file-commands.js';
import { hashFiles } from './hash-files.js';
import { endProcesses, engineFolder, makeJobFolder, makeWorkId, removeJobFolder } from './job-folders.js';
import { JobLog } from './job-log.js';
import { Masks } from './masks.js';
import { runProgram, type ProcessOptions } from './run-program.js';
import { StepFailure, type JobTask, type RunnerHost, type JobReporter, type StepOutput, type Scope } from './types.js';

/** As much as servers take of a job. */
const maxSummaryBytes = 1_048_576;

/** What the payload of a job says that no step changes. */
interface JobConstants {
  /** `strategy` and `matrix`. */
  readonly contexts: Contexts;
  /** Undefined: the workflow has none, and is known by its file. */
  readonly workflowName: string | undefined;
}

/** How a program of a step runs. */
interface StepProgram {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly scope: Scope;
  readonly output: StepOutput;
  /** On the machine, also where the job has a container: a program of the runner's. */
  readonly isOnHost?: boolean;
}

/** The environment of the runner itself, for its own programs. */
const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Everything that the steps of one job share. */
export class Session {
  readonly task: JobTask;
  readonly host: RunnerHost;
  readonly report: JobReporter;
  readonly log: JobLog;
  readonly folders: Folders;
  readonly github: ValueMap;
  readonly base: Readonly<Record<string, string>>;
  /** Folders in front of PATH, the latest first. */
  readonly paths: string[] = [];
  /** Run when the steps are done, the latest first. */
  readonly posts: {
    readonly name: string;
    readonly step: number;
    readonly run: (signal: AbortSignal) => Promise<void>;
  }[] = [];
  /** The step of the job that runs: what is within it counts as its own. */
  step = 0;
  readonly #summaries = new Map<number, string>();
  readonly #showsDebug: boolean;
  /** `strategy` and `matrix` of the job. */
  readonly #constants: Contexts;
  isCancelled = false;
  /** Users of containers write to the folders of the job, too. */
  #isShared = false;
  containers: JobContainers | undefined;

  constructor(task: JobTask, host: RunnerHost, report: JobReporter, root: string, fixed: JobConstants) {
    this.task = task;
    this.host = host;
    this.report = report;
    this.#constants = fixed.contexts;
    this.folders = {
      root,
      workspace: host.workspace ?? join(root, 'workspace'),
      home: join(root, 'home'),
      temp: join(root, 'temp'),
      actions: join(root, 'actions'),
    };
    const masks = new Masks();
    for (const secret of Object.values(task.secrets)) masks.add(secret);
    for (const key of ['token', 'gitea_runtime_token', 'actions_id_token_request_token'])
      masks.add(toText(task.context[key] ?? ''));
    this.log = new JobLog(report, masks, host.maxLogBytes);
    this.github = {
      ...task.context,
      ...(fixed.workflowName && { workflow: fixed.workflowName }),
      ...(host.serverUrl ? { server_url: host.serverUrl, api_url: `${host.serverUrl}/api/v1` } : {}),
      workspace: this.folders.workspace,
      event_path: join(this.folders.temp, 'event.json'),
    };
    this.base = baseEnvironment(this.github, host, this.folders);
    this.#showsDebug = task.secrets.ACTIONS_STEP_DEBUG === 'true';
  }

  /**
   * Creates the folders of the job, owned by the user that runs it. The folder around them stays the runner's, so that no
   * step can put a link in the place of one.
   */
  async open(): Promise<void> {
    const { runAs, workspace } = this.host;
    const { root, ...inner } = this.folders;
    await makeJobFolder(root, runAs ? 0o711 : 0o700);
    for (const folder of Object.values(inner)) {
      if (folder === workspace) continue;
      await mkdir(folder, { mode: 0o700 });
      if (runAs) await chown(folder, runAs.uid, runAs.gid);
    }
    await this.#write(join(inner.temp, 'event.json'), JSON.stringify(this.github.event ?? {}));
  }

  /** Lets users of containers write to the folders of the job, which other users of the machine cannot enter. */
  async #shareFolders(): Promise<void> {
    const { runAs, workspace } = this.host;
    const { root, ...inner } = this.folders;
    if (runAs) {
      await chown(root, process.getuid!(), runAs.gid);
      await chmod(root, 0o710);
    }
    for (const folder of Object.values(inner)) if (folder !== workspace) await chmod(folder, 0o777);
    await chmod(join(inner.temp, 'event.json'), 0o777);
    this.#isShared = true;
  }

  /** Ends what is left of the job's processes and removes its folders. */
  async close(): Promise<void> {
    const inner = Object.entries(this.folders).filter(
      ([name]) => name !== 'root' && !(name === 'workspace' && this.host.workspace),
    );
    await this.containers?.close(inner.map(([, path]) => path));
    await this.end();
    await removeJobFolder(this.folders.root, this.host.runAs);
  }

  /** Ends every process of the job. */
  async end(): Promise<void> {
    await endProcesses(this.folders.root, this.host.runAs);
  }

  /** A file that a step may read and write; gives its path. */
  async file(name: string, content = ''): Promise<string> {
    const path = join(this.folders.temp, `${randomUUID()}-${name}`);
    await this.#write(path, content);
    return path;
  }

  async #write(path: string, content: string): Promise<void> {
    const { runAs } = this.host;
    const file = await open(path, 'wx', 0o700);
    try {
      await file.writeFile(content);
      if (runAs) await file.chown(runAs.uid, runAs.gid);
      if (this.#isShared) await file.chmod(0o777);
    } finally {
      await file.close();
    }
  }

  evaluation(scope: Scope, env: Readonly<Record<string, string>>): Evaluation {
    const { task } = this;
    const status = {
      success: !scope.hasFailed && !this.isCancelled,
      failure: scope.hasFailed,
      cancelled: this.isCancelled,
    };
    const steps = Object.fromEntries(scope.steps) as unknown as Value;
    const contexts: Contexts = {
      ...this.#constants,
      github: { ...this.github, action_path: scope.actionPath },
      env,
      vars: task.vars,
      secrets: scope.depth === 0 ? task.secrets : {},
      needs: task.needs as unknown as Value,
      inputs: scope.inputs,
      steps,
      job: {
        status: this.isCancelled ? 'cancelled' : scope.hasFailed ? 'failure' : 'success',
        ...(this.containers?.context ?? {}),
      },
      runner: {
        os: this.base.RUNNER_OS!,
        arch: this.base.RUNNER_ARCH!,
        name: this.host.runnerName,
        temp: this.folders.temp,
        tool_cache: this.host.toolFolder,
        environment: 'self-hosted',
        debug: this.#showsDebug ? '1' : '',
      },
    };
    return {
      contexts,
      status,
      hashFiles: (patterns) => hashFiles(patterns, this.folders.workspace, this.host.runAs?.uid),
    };
  }

  /** Runs a program for a step, in the container of the job if there is one and the program is not the runner's. */
  async run(program: string, args: readonly string[], options: StepProgram): Promise<number> {
    const { containers, paths } = this;
    return this.#perform(options, async (env, how) => {
      if (!containers?.hasJob || options.isOnHost) {
        // Folders that steps in a container have named are in the container.
        const own = containers?.hasJob ? [] : paths;
        env.PATH = [...own, env.PATH ?? this.base.PATH].join(':');
        const { runAs } = this.host;
        // Names of inputs may have signs that no shell takes for those of variables.
        const isMerged = program !== process.execPath;
        return runProgram({ program, args }, { ...how, env, isMerged, ...(runAs ? { runAs } : {}) });
      }
      const write = (content: string) => this.file('run.sh', content);
      const launch = await containers.inJob([program, ...args], {
        cwd: options.cwd,
        env: this.#within(env),
        paths,
        write,
      });
      return runProgram(launch, { ...how, cwd: this.folders.root, env: ownEnvironment(), isMerged: true });
    });
  }

  /** Runs a step in a separate container. */
  async runImage(
    step: { readonly image: string; readonly entrypoint: string; readonly args: readonly string[] },
    options: StepProgram,
  ): Promise<number> {
    const containers = await this.needContainers();
    return this.#perform(options, async (env, how) => {
      const launch = await containers.step({ ...step, cwd: options.cwd, env: this.#within(env) });
      return runProgram(launch, { ...how, cwd: this.folders.root, env: ownEnvironment(), isMerged: true });
    });
  }

  /** Builds the image of an action; gives its name. */
  async buildImage(folder: string, file: string, { signal }: { signal: AbortSignal }): Promise<string> {
    const { launch, image } = (await this.needContainers()).build(folder, file);
    const how = { cwd: this.folders.root, env: ownEnvironment(), log: this.log, signal, isMerged: true };
    const code = await runProgram(launch, { ...how, onLine: (line) => line });
    if (code !== 0 && !signal.aborted)
      throw new StepFailure(`the image of the action cannot be built: exit code ${code}`);
    return image;
  }

  /** The containers of the job; throws where there is no engine. */
  async needContainers(): Promise<JobContainers> {
    if (this.containers) return this.containers;
    const engine = await chooseEngine(this.host);
    const { root, ...inner } = this.folders;
    const folder = join(root, engineFolder);
    await mkdir(folder, { mode: 0o700 });
    this.containers = new JobContainers(engine, {
      folder,
      mark: basename(root),
      workId: await makeWorkId(this.host.workFolder),
      mounts: [...Object.values(inner), ...(existsSync(this.host.toolFolder) ? [`${this.host.toolFolder}:ro`] : [])],
      workspace: inner.workspace,
      share: () => this.#shareFolders(),
      log: (line) => this.log.write(line),
    });
    return this.containers;
  }

  /** Variables as a container has them: its own folders of programs stay. */
  #within({ PATH: path, ...env }: Readonly<Record<string, string>>): Record<string, string> {
    return path === this.base.PATH || path === undefined ? env : { ...env, PATH: path };
  }

  /** Starts a program with the files by which it may speak to the runner, and takes in what it has said. */
  async #perform(
    options: StepProgram,
    start: (
      env: Record<string, string>,
      how: Pick<ProcessOptions, 'cwd' | 'log' | 'onLine' | 'signal'>,
    ) => Promise<number>,
  ): Promise<number> {
    const { cwd, signal, scope, output } = options;
    const files: Record<string, string> = {};
    for (const name of ['ENV', 'OUTPUT', 'PATH', 'STATE', 'STEP_SUMMARY'])
      files[name] = await this.file(name.toLowerCase());
    const env = { ...this.base, ...options.env };
    for (const [name, path] of Object.entries(files)) env[`GITHUB_${name}`] = env[`GITEA_${name}`] = path;
    const code = await start(env, {
      cwd,
      log: this.log,
      onLine: commandListener(this.log, output, this.#showsDebug),
      signal,
    });
    this.#takeFiles(files, scope, output);
    return code;
  }

  #takeFiles(files: Readonly<Record<string, string>>, scope: Scope, output: StepOutput): void {
    const read = (name: string): string => readCommandFile(files[name]!, this.host.runAs?.uid) ?? '';
    this.#takeSummary(() => read('STEP_SUMMARY'));
    const pairs = (name: string) => parsePairs(read(name), `GITHUB_${name}`);
    for (const [key, value] of pairs('ENV')) this.setVariable(scope, key, value);
    for (const [key, value] of pairs('OUTPUT')) output.outputs[key] = value;
    for (const [key, value] of pairs('STATE')) output.state[key] = value;
    for (const path of read('PATH').split(/\r?\n/)) if (path !== '') this.paths.unshift(path);
  }

  #takeSummary(read: () => string): void {
    let text: string;
    try {
      text = read();
    } catch (error) {
      this.log.write(`##[warning]The summary of the step is left out: ${error instanceof Error ? error.message : ''}`);
      return;
    }
    if (text === '') return;
    const whole = (this.#summaries.get(this.step) ?? '') + this.log.masks.hide(text);
    const others = [...this.#summaries].filter(([step]) => step !== this.step);
    const bytes = others.reduce((sum, [, one]) => sum + Buffer.byteLength(one), Buffer.byteLength(whole));
    if (bytes > maxSummaryBytes) {
      this.log.write(`##[warning]Summaries of a job have at most ${maxSummaryBytes} bytes: this one is left out`);
      return;
    }
    this.#summaries.set(this.step, whole);
    this.report.summary(this.step, whole);
  }

  /** Something is done for the step after all steps. */
  atEnd(name: string, run: (signal: AbortSignal) => Promise<void>): void {
    this.posts.push({ name, step: this.step, run });
  }

  setVariable(scope: Scope, key: string, value: string): void {
    if (isProtectedVariable(key)) this.log.write(`##[warning]${key} cannot be set by a step`);
    else scope.env[key] = value;
  }
}
