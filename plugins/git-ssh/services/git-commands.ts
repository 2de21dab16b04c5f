/** What git clients run: `git-upload-pack`, `git-receive-pack`, `git-upload-archive`. */
import { BadRequest, Forbidden, type Actor } from '@mortise/plugin-sdk';
import type { GitCreation, GitExchange, GitTransfers, GitSession, GitSessions } from '@mortise/git-transport/api';
import { repositoryPath } from './command-line.js';
import type { Terminal } from './terminal.js';

interface GitCall {
  readonly actor: Actor;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly terminal: Terminal;
}

export const gitCommandNames = ['git-upload-pack', 'git-receive-pack', 'git-upload-archive'] as const;
export type GitCommandName = (typeof gitCommandNames)[number];

export class GitCommands {
  constructor(
    private readonly gitSessions: GitSessions,
    private readonly transfers: GitTransfers,
    private readonly shown: (path: string) => string,
  ) {}

  async run(name: GitCommandName, call: GitCall): Promise<number> {
    const { terminal } = call;
    const gitSession = await this.gitSession(name, call);
    const exchange = await this.start(name, gitSession, call);
    await terminal.pump(exchange.output);
    return exchange.done;
  }

  private async start(
    name: GitCommandName,
    gitSession: GitSession | GitCreation,
    { terminal, environment }: GitCall,
  ): Promise<GitExchange> {
    const { transfers } = this;
    const { input } = terminal;
    const protocol = environment['GIT_PROTOCOL'];
    if (name === 'git-receive-pack') {
      await terminal.write(await transfers.advertise(gitSession, 'receive-pack', protocol));
      return transfers.receivePack(gitSession, { input, protocol, source: 'ssh' });
    }
    if (gitSession.found === 'missing') throw BadRequest('The repository does not exist.');
    if (name === 'git-upload-archive') return transfers.uploadArchive(gitSession, { input });
    return transfers.uploadPack(gitSession, { input, protocol, stateless: false });
  }

  private async gitSession(
    name: GitCommandName,
    { actor, args, terminal }: GitCall,
  ): Promise<GitSession | GitCreation> {
    // further arguments are options of older clients (--strict, --timeout): nothing that they may decide here
    const paths = args.filter((arg) => !arg.startsWith('-'));
    if (paths.length !== 1) throw BadRequest(`Usage: ${name} OWNER/NAME.git`);
    const { owner, repo } = repositoryPath(paths[0] as string);
    const service = name === 'git-receive-pack' ? 'receive-pack' : 'upload-pack';
    if (service === 'receive-pack' && actor.scopes?.repository === 'read') throw Forbidden('This key is read-only.');
    const gitSession = await this.gitSessions.open({ actor, owner, repo, service });
    if (gitSession.found !== 'moved') return gitSession;
    const path = `${gitSession.owner}/${gitSession.name}${gitSession.kind === 'wiki' ? '.wiki' : ''}`;
    await terminal.err(`This repository has moved. Please use its new address from now on:\n  ${this.shown(path)}\n`);
    const there = await this.gitSessions.open({
      actor,
      owner: gitSession.owner,
      repo: `${path.split('/')[1] ?? ''}.git`,
      service,
    });
    if (there.found === 'moved') throw BadRequest('The repository was moved again. Try again.');
    return there;
  }
}
