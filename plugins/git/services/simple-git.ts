/** `simple-git` for commands around working copies and maintenance, with its guards against unsafe arguments on. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { writeDurablySync } from '@mortise/plugin-sdk';
import type { SimpleGit } from 'simple-git';
import type { PorcelainOptions } from '../contract/processes.js';
import { configurationFile, remoteConfiguration, variables } from './environment.js';
import { GitFailure } from './failure.js';

const require = createRequire(import.meta.url);
/** Loaded with the first of these commands: a start does without. */
const library = () => require('simple-git') as typeof import('simple-git');

/** Answers what git asks for; the words come in the environment, where other users of this machine cannot read them. */
const askScript = `#!/bin/sh
case $1 in
  Username*) printf '%s\\n' "$MORTISE_GIT_USERNAME" ;;
  *) printf '%s\\n' "$MORTISE_GIT_PASSWORD" ;;
esac
`;

/** git with a bound on its address space, which the programs that it starts have too. */
const boundedScript = `#!/bin/sh
ulimit -v "$MORTISE_GIT_MEMORY" 2>/dev/null
exec "$MORTISE_GIT_PROGRAM" "$@"
`;
const remoteMemoryKiB = 4 * 1024 * 1024;

/**
 * Files that these commands need: the guards refuse configuration in arguments and in the environment, so it lies in a
 * file here.
 */
export class PorcelainFiles {
  constructor(private readonly folder: string) {}

  get configuration(): string {
    return this.ensure('config', configurationFile(), 0o600);
  }

  /** For what talks with other servers. */
  get remoteConfiguration(): string {
    return this.ensure('remote', configurationFile(remoteConfiguration), 0o600);
  }

  get askPass(): string {
    return this.ensure('ask', askScript, 0o700);
  }

  get boundedGit(): string {
    return this.ensure('git', boundedScript, 0o700);
  }

  private ensure(kind: string, content: string, mode: number): string {
    const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
    const file = join(this.folder, `${kind}-${digest}`);
    if (read(file) !== content) writeDurablySync(file, content, { mode });
    return file;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

interface PorcelainDeps {
  readonly folder: string;
  readonly executable: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: PorcelainFiles;
  readonly defaultTimeoutMs: number;
  /** Aborted when the host ends. */
  readonly ending: AbortSignal;
  readonly options: PorcelainOptions;
  readonly remote?: RemoteWork;
}

/** Work with another server, whose answers may be anything: bounds, and checks of the objects that come. */
export interface RemoteWork {
  /** For the command's standard input. */
  readonly input?: string;
  onOutput(chunk: Buffer): void;
  /** Standard error, with the progress in it. */
  onMessages(chunk: Buffer): void;
}

const stderrOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8').trim();

export function porcelain(deps: PorcelainDeps): SimpleGit {
  const { GitPluginError, simpleGit } = library();
  const { options, files, remote } = deps;
  const { credentials } = options;
  const environment: Record<string, string> = {
    ...variables(deps.environment),
    GIT_CONFIG_GLOBAL: remote ? files.remoteConfiguration : files.configuration,
    ...(remote && { MORTISE_GIT_PROGRAM: deps.executable, MORTISE_GIT_MEMORY: String(remoteMemoryKiB) }),
    // stands above `protocol.*.allow` of the configuration
    GIT_ALLOW_PROTOCOL: (options.protocols ?? []).join(':') || 'none',
    ...(credentials && {
      GIT_ASKPASS: files.askPass,
      MORTISE_GIT_USERNAME: credentials.username,
      MORTISE_GIT_PASSWORD: credentials.password,
    }),
    ...options.environment,
  };
  const git = simpleGit({
    baseDir: deps.folder,
    binary: remote ? files.boundedGit : deps.executable,
    allowEnvironment: Object.keys(environment).filter((name) => name.startsWith('GIT_')),
    unsafe: {
      allowUnsafeConfigPaths: true,
      allowUnsafeAskPass: true,
      // the file and the command are ours
      ...(remote && { allowUnsafeCustomBinary: true, allowUnsafeSshCommand: true }),
    },
    ...(remote?.input !== undefined && { input: () => remote.input }),
    abort: options.signal ? AbortSignal.any([deps.ending, options.signal]) : deps.ending,
    timeout: { block: options.timeoutMs ?? deps.defaultTimeoutMs, stdOut: false, stdErr: false },
    maxConcurrentProcesses: 1,
    errors: (error, { exitCode, stdErr, stdOut }) => {
      if (exitCode === 0 && !error) return undefined;
      // told to end, out of time, or refused by a guard
      if (error instanceof GitPluginError) return error;
      return new GitFailure('porcelain', exitCode, stderrOf(stdErr) || stderrOf(stdOut));
    },
  }).env(environment);
  if (!remote) return git;
  return git.outputHandler((_command, output, messages) => {
    output.on('data', (chunk: Buffer) => remote.onOutput(chunk));
    messages.on('data', (chunk: Buffer) => remote.onMessages(chunk));
  });
}
