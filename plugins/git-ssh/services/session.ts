/** One command of one connection, from its line to its exit code. */
import type { Socket } from 'node:net';
import { actOrigins, BadRequest, Problem, type Logger, type PointReader } from '@mortise/plugin-sdk';
import type { ServerChannel } from 'ssh2';
import type { SshCommand } from '../contract/git-ssh.js';
import { parseCommand } from './command-line.js';
import { gitCommandNames, type GitCommandName, type GitCommands } from './git-commands.js';
import type { Identities } from './identities.js';
import { Terminal } from './terminal.js';

export interface SessionDeps {
  readonly identities: Identities;
  readonly git: GitCommands;
  readonly commands: PointReader<SshCommand>;
  readonly siteName: string;
  readonly idleMs: number;
  readonly log: Logger;
  /** Counts what was run, by a name from a closed set. */
  count(command: string): void;
}

interface SessionRequest {
  readonly channel: ServerChannel;
  readonly socket: Socket;
  readonly fingerprint: string;
  readonly remoteAddress: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The client asked for a terminal, so lines end with a carriage return too. */
  readonly isTerminal: boolean;
}

/** Failures of commands: git clients show 128 as "the remote ended". */
const refused = 1;

export class Session {
  readonly terminal: Terminal;

  constructor(
    private readonly deps: SessionDeps,
    private readonly request: SessionRequest,
  ) {
    const { channel, socket, isTerminal } = request;
    this.terminal = new Terminal(channel, socket, { idleMs: deps.idleMs, isTerminal });
  }

  /** A person who only wants to know whether the key works. */
  greet(): Promise<void> {
    const { identities, siteName } = this.deps;
    this.deps.count('greeting');
    return this.ended(async () => {
      const name = await identities.nameOf(this.request.fingerprint);
      await this.terminal.write(
        `Hi there, ${plain(name)}! Your key works. ${siteName} serves Git over this connection, but no shell.\n`,
      );
      return 0;
    });
  }

  run(line: string): Promise<void> {
    return this.ended(async () => {
      const { name, args } = parseCommand(line);
      const { identities, git, commands, log } = this.deps;
      const { fingerprint, environment, remoteAddress } = this.request;
      const isGit = (gitCommandNames as readonly string[]).includes(name);
      const command = isGit ? undefined : commands.get(name);
      this.deps.count(isGit || command ? name : 'unknown');
      if (!isGit && !command) throw BadRequest(`Unknown command "${plain(name)}".`);
      const path = args.find((arg) => !arg.startsWith('-'));
      const actor = await identities.actor(fingerprint, path);
      log.debug('command', { name, path, actor: actor.name, kind: actor.kind });
      if (!command) {
        const call = { actor, args, environment, terminal: this.terminal };
        if (name !== 'git-receive-pack') return git.run(name as GitCommandName, call);
        const origin = { actor, remoteAddress, surface: 'ssh', plugin: 'git-ssh' } as const;
        return actOrigins.run(origin, () => git.run(name, call));
      }
      const { terminal } = this;
      const code = await command.run({
        actor,
        args,
        environment,
        remoteAddress,
        fingerprint,
        input: terminal.input,
        signal: terminal.signal,
        write: (data) => terminal.write(data),
        err: (data) => terminal.err(data),
      });
      return code ?? 0;
    });
  }

  /** For file transfer and other subsystems. */
  refuse(what: string): Promise<void> {
    this.deps.count('unknown');
    return this.ended(() =>
      Promise.reject(BadRequest(`${plain(what)} is not supported. This server only supports Git.`)),
    );
  }

  private async ended(work: () => Promise<number>): Promise<void> {
    const { terminal } = this;
    let code = refused;
    try {
      code = await work();
      if (code < 0 || terminal.signal.aborted) code = refused;
    } catch (error) {
      if (!terminal.signal.aborted) await this.reportError(error).catch(() => undefined);
    }
    await terminal.exit(code);
  }

  private reportError(error: unknown): Promise<void> {
    const { log, siteName } = this.deps;
    if (Problem.is(error)) return this.terminal.err(`${siteName}: ${sentence(plain(error.message))}\n`);
    log.error('a command over SSH failed', {
      event: 'ssh.command',
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
    return this.terminal.err(`${siteName}: Internal server error. Try again later.\n`);
  }
}

/** Nothing that a terminal would obey. */
const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '?').slice(0, 500);

/** With a full stop: by `repository does not exist.` some clients know that there is none. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
