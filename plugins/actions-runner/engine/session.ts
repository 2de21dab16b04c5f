import { randomUUID } from 'node:crypto';
import { chown, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { toText, type Contexts, type Evaluation, type Value, type ValueMap } from '@mortise/actions/workflow';
import { commandOf, type WorkflowCommand } from './commands.js';
import { baseEnvironment, type Folders } from './environment.js';
import { isProtectedVariable, parsePairs, readCommandFile } from './file-commands.js';
import { hashFiles } from './hash-files.js';
import { JobLog } from './log.js';
import { Masks } from './masks.js';
import { endMarked, runProgram } from './process.js';
import type { JobTask, Place, Report, Scope } from './types.js';

/** What a step has said by commands and files. */
export interface Said {
  readonly outputs: Record<string, string>;
  readonly state: Record<string, string>;
}

/** Everything that the steps of one job share. */
export class Session {
  readonly task: JobTask;
  readonly place: Place;
  readonly report: Report;
  readonly log: JobLog;
  readonly folders: Folders;
  readonly github: ValueMap;
  readonly base: Readonly<Record<string, string>>;
  /** Folders in front of PATH, the latest first. */
  readonly paths: string[] = [];
  /** Run when the steps are done, the latest first. */
  readonly posts: { readonly name: string; readonly run: (signal: AbortSignal) => Promise<void> }[] = [];
  readonly #mark = randomUUID();
  readonly #showsDebug: boolean;
  /** `strategy` and `matrix` of the job. */
  readonly #fixed: Contexts;
  isCancelled = false;

  constructor(task: JobTask, place: Place, report: Report, root: string, fixed: Contexts) {
    this.task = task;
    this.place = place;
    this.report = report;
    this.#fixed = fixed;
    this.folders = {
      root,
      workspace: place.workspace ?? join(root, 'workspace'),
      home: join(root, 'home'),
      temp: join(root, 'temp'),
      actions: join(root, 'actions'),
    };
    const masks = new Masks();
    for (const secret of Object.values(task.secrets)) masks.add(secret);
    for (const key of ['token', 'gitea_runtime_token', 'actions_id_token_request_token'])
      masks.add(toText(task.context[key] ?? ''));
    this.log = new JobLog(report, masks, place.mostLogBytes);
    this.github = {
      ...task.context,
      ...(place.serverUrl ? { server_url: place.serverUrl, api_url: `${place.serverUrl}/api/v1` } : {}),
      workspace: this.folders.workspace,
      event_path: join(this.folders.temp, 'event.json'),
    };
    this.base = baseEnvironment(this.github, place, this.folders, this.#mark);
    this.#showsDebug = task.secrets.ACTIONS_STEP_DEBUG === 'true';
  }

  /**
   * Makes the folders of the job, whose owner is whoever runs it. The folder around them stays the runner's, so that no
   * step can put a link in the place of one.
   */
  async open(): Promise<void> {
    const { runAs, workspace } = this.place;
    const { root, ...inner } = this.folders;
    await mkdir(root, { recursive: true, mode: runAs ? 0o711 : 0o700 });
    for (const folder of Object.values(inner)) {
      if (folder === workspace) continue;
      await mkdir(folder, { mode: 0o700 });
      if (runAs) await chown(folder, runAs.uid, runAs.gid);
    }
    await this.#write(join(inner.temp, 'event.json'), JSON.stringify(this.github.event ?? {}));
  }

  /** Ends what is left of the job's processes and removes its folders. */
  async close(): Promise<void> {
    await endMarked('MORTISE_JOB', this.#mark);
    await rm(this.folders.root, { recursive: true, force: true, maxRetries: 3 });
  }

  /** A file that a step may read and write; gives its path. */
  async file(name: string, content = ''): Promise<string> {
    const path = join(this.folders.temp, `${randomUUID()}-${name}`);
    await this.#write(path, content);
    return path;
  }

  async #write(path: string, content: string): Promise<void> {
    const { runAs } = this.place;
    const file = await open(path, 'wx', 0o700);
    try {
      await file.writeFile(content);
      if (runAs) await file.chown(runAs.uid, runAs.gid);
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
      ...this.#fixed,
      github: { ...this.github, action_path: scope.actionPath },
      env,
      vars: task.vars,
      secrets: scope.depth === 0 ? task.secrets : {},
      needs: task.needs as unknown as Value,
      inputs: scope.inputs,
      steps,
      job: { status: this.isCancelled ? 'cancelled' : scope.hasFailed ? 'failure' : 'success' },
      runner: {
        os: this.base.RUNNER_OS!,
        arch: this.base.RUNNER_ARCH!,
        name: this.place.runnerName,
        temp: this.folders.temp,
        tool_cache: this.place.toolFolder,
        environment: 'self-hosted',
        debug: this.#showsDebug ? '1' : '',
      },
    };
    return { contexts, status, hashFiles: (patterns) => hashFiles(patterns, this.folders.workspace) };
  }

  /** Runs a program for a step and takes in what it says by commands and files. Gives its exit code. */
  async run(
    program: string,
    args: readonly string[],
    options: { cwd: string; env: Readonly<Record<string, string>>; signal: AbortSignal; scope: Scope; said: Said },
  ): Promise<number> {
    const { cwd, signal, scope, said } = options;
    const files: Record<string, string> = {};
    for (const name of ['ENV', 'OUTPUT', 'PATH', 'STATE', 'STEP_SUMMARY'])
      files[name] = await this.file(name.toLowerCase());
    const env = { ...this.base, ...options.env };
    env.PATH = [...this.paths, env.PATH ?? this.base.PATH].join(':');
    for (const [name, path] of Object.entries(files)) env[`GITHUB_${name}`] = env[`GITEA_${name}`] = path;
    const onLine = this.#listener(scope, said);
    const { runAs } = this.place;
    // Names of inputs may have signs that no shell takes for those of variables.
    const isMerged = program !== process.execPath;
    const how = { cwd, env, log: this.log, onLine, signal, isMerged, ...(runAs ? { runAs } : {}) };
    const code = await runProgram(program, args, how);
    this.#takeFiles(files, scope, said);
    return code;
  }

  #takeFiles(files: Readonly<Record<string, string>>, scope: Scope, said: Said): void {
    for (const [key, value] of parsePairs(readCommandFile(files.ENV!), 'GITHUB_ENV'))
      this.setVariable(scope, key, value);
    for (const [key, value] of parsePairs(readCommandFile(files.OUTPUT!), 'GITHUB_OUTPUT')) said.outputs[key] = value;
    for (const [key, value] of parsePairs(readCommandFile(files.STATE!), 'GITHUB_STATE')) said.state[key] = value;
    for (const path of readCommandFile(files.PATH!).split(/\r?\n/)) if (path !== '') this.paths.unshift(path);
  }

  setVariable(scope: Scope, key: string, value: string): void {
    if (isProtectedVariable(key)) this.log.write(`##[warning]${key} cannot be set by a step`);
    else scope.env[key] = value;
  }

  /** What is done with a line of output: commands are obeyed, and some are not shown. */
  #listener(scope: Scope, said: Said): (line: string) => string | undefined {
    let stopped: string | undefined;
    return (line) => {
      const command = line.includes('::') ? commandOf(line) : undefined;
      if (stopped !== undefined) {
        if (line.trim() === `::${stopped}::`) stopped = undefined;
        return line;
      }
      if (!command) return line;
      if (command.name === 'stop-commands') {
        stopped = command.value;
        return line;
      }
      return this.#obey(command, line, scope, said);
    };
  }

  #obey({ name, properties, value }: WorkflowCommand, line: string, scope: Scope, said: Said): string | undefined {
    switch (name) {
      case 'add-mask':
        this.log.masks.add(value);
        return '::add-mask::***';
      case 'set-output':
        if (properties.name) said.outputs[properties.name] = value;
        return undefined;
      case 'save-state':
        if (properties.name) said.state[properties.name] = value;
        return undefined;
      case 'set-env':
      case 'add-path':
        return `##[error]::${name}:: is switched off: write to the file GITHUB_${name === 'set-env' ? 'ENV' : 'PATH'}`;
      case 'debug':
        return this.#showsDebug ? line : undefined;
      case 'echo':
      case 'add-matcher':
      case 'remove-matcher':
        return undefined;
      default:
        return line;
    }
  }
}
