/** Runs `git upload-pack`, `git receive-pack` and `git upload-archive` between what a client sends and what it gets. */
import { Readable, type Transform, type Writable } from 'node:stream';
import { Forbidden, NotFound, type Logger } from '@mortise/plugin-sdk';
import {
  isZeroOid,
  type GitProcesses,
  type GitReader,
  type GitRepository,
  type GitStore,
  type RefChange,
  type RefUpdates,
  type UpdateSource,
} from '@mortise/git/api';
import type { BranchAccess, Repositories, RepositoryAccess, RepositoryDefaults } from '@mortise/repositories/api';
import type {
  GitCreation,
  GitExchange,
  GitService,
  GitTransferOptions,
  GitTransfers,
  GitSession,
} from '../contract/git-transport.js';
import type { TransportSettings } from '../settings.js';
import { advertise, advertiseNothing, listRefs, protocolVersion } from './advertise.js';
import { converse, maxRequestBytes } from './conversation.js';
import { redactPath } from './redact-path.js';
import type { PackCache } from './pack-cache.js';
import { packet, parsePackets } from './packet-lines.js';
import { flag, parsePushOptions, readHead, type PushHead } from './push-head.js';
import { endWithReader, GitStarter, type GitRun } from './run.js';
import { limitBytes, peek, putBack } from './streams.js';
import { mayPropose, mayPush } from './sessions.js';

/** Requests that are looked at are below; anything longer goes to git as it comes. */
const maxInspectedBytes = 1024 * 1024;

interface TransferDeps {
  readonly defaults: RepositoryDefaults;
  readonly git: GitProcesses;
  readonly packs: PackCache;
  readonly store: GitStore;
  readonly reader: GitReader;
  readonly updates: RefUpdates;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly branches: BranchAccess;
  readonly settings: Readonly<TransportSettings>;
  readonly log: Logger;
}

export class Transfers implements GitTransfers {
  private readonly starter: GitStarter;

  constructor(private readonly deps: TransferDeps) {
    this.starter = new GitStarter(deps.git, deps.log);
  }

  async advertise(gitSession: GitSession | GitCreation, service: GitService, protocol?: string): Promise<Buffer> {
    if (gitSession.found === 'missing') return advertiseNothing();
    return advertise(this.repositoryOf(gitSession), service, protocolVersion(protocol));
  }

  uploadPack(gitSession: GitSession, options: GitTransferOptions & { stateless: true }): Promise<GitExchange | Buffer>;
  uploadPack(gitSession: GitSession, options: GitTransferOptions & { stateless: false }): Promise<GitExchange>;
  async uploadPack(
    gitSession: GitSession,
    { input, protocol, stateless }: GitTransferOptions & { stateless: boolean },
  ): Promise<GitExchange | Buffer> {
    const repository = this.repositoryOf(gitSession);
    const version = protocolVersion(protocol);
    if (stateless) return this.request(repository, input, version);
    if (version === 2) {
      const first = await advertise(repository, 'upload-pack', version);
      return converse(first, input, (request) => this.request(repository, request, version));
    }
    const run = this.starter.run(['upload-pack', repository.path], input, { environment: protocolOf(version) });
    endWithReader(run);
    return run;
  }

  async uploadArchive(gitSession: GitSession, { input }: GitTransferOptions): Promise<GitExchange> {
    // git would tell the client where it looked: a wiki may have no pages yet
    if (!(await this.deps.store.exists(gitSession.context.repository.id, gitSession.kind)))
      throw NotFound('repository');
    const run = this.starter.run(['upload-archive', this.repositoryOf(gitSession).path], input);
    endWithReader(run);
    return run;
  }

  async receivePack(
    found: GitSession | GitCreation,
    { input, protocol, source }: GitTransferOptions & { source: UpdateSource },
  ): Promise<GitExchange> {
    const { store, updates } = this.deps;
    const stream = Buffer.isBuffer(input) ? Readable.from([input], { objectMode: false }) : input;
    const { head, body } = await readHead(stream);
    if (head.isNothing) return nothing(body);
    const gitSession = found.found === 'missing' ? await this.make(found, head) : found;
    const { repository } = gitSession.context;
    await store.create(
      repository.id,
      {
        defaultBranch: gitSession.kind === 'wiki' ? this.deps.defaults.branch : repository.defaultBranch,
        objectFormat: repository.objectFormat,
      },
      gitSession.kind,
    );
    await updates.repair(repository.id, gitSession.kind);
    const session = updates.openPush({
      repositoryId: repository.id,
      kind: gitSession.kind,
      pusher: gitSession.actor,
      source,
      refs: head.refs,
      isAtomic: head.isAtomic,
      before: async (change, { onlyReceived }) => {
        const current = await this.now(gitSession);
        if (onlyReceived) mayPropose(current);
        else if (!(await this.mayPushTo(current, change))) mayPush(current);
        // git refuses references of pull requests one by one, and forgets that all or nothing was asked for
        if (head.isAtomic && head.refs?.some((ref) => ref.startsWith('refs/pull/')))
          throw Forbidden('References of pull requests are managed by the server.');
      },
    });
    const { MAX_PUSH_SIZE } = this.deps.settings;
    const limit = MAX_PUSH_SIZE > 0 ? ['-c', `receive.maxInputSize=${MAX_PUSH_SIZE}`] : [];
    const output = await redactPath(this.repositoryOf(gitSession).path);
    const run = this.starter.run(
      [...limit, 'receive-pack', '--stateless-rpc', this.repositoryOf(gitSession).path],
      body,
      {
        environment: { ...session.environment, ...protocolOf(protocolVersion(protocol)) },
        stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      },
    );
    session.attach(run.child.stdio[3] as Readable, run.child.stdio[4] as Writable);
    return this.completed(run, () => session.finish(), output);
  }

  /** Once its body is here a push is completed, whether or not the client stays; it hears the end when all is stored. */
  private completed(run: GitRun, finish: () => Promise<unknown>, output: Transform): GitExchange {
    run.output.pipe(output, { end: false });
    output.once('close', () => run.output.resume());
    run.output.once('error', (error) => output.destroy(error));
    const done = run.done.then(async (code) => {
      try {
        await finish();
        return code;
      } catch (error) {
        this.deps.log.error('could not complete a push', { event: 'git.push', error: String(error) });
        return code || 1;
      } finally {
        output.end();
      }
    });
    return { output, done, stderrExcerpt: run.stderrExcerpt };
  }

  /** One request; `ls-refs` of version 2 is answered without a process, what was asked before from the cache. */
  private async request(
    repository: GitRepository,
    input: Readable | Buffer,
    version: 0 | 1 | 2,
  ): Promise<GitExchange | Buffer> {
    const read = Buffer.isBuffer(input)
      ? { head: input, ended: true }
      : await peek(input, (bytes) => bytes.length > maxInspectedBytes);
    if (!read.ended)
      return this.fetch(repository, limitBytes(putBack(input as Readable, read), maxRequestBytes), version);
    if (version === 2 && /^00(13|14)command=ls-refs/.test(read.head.toString('latin1', 0, 20))) {
      const answer = await listRefs(repository, read.head);
      if (answer) return answer;
    }
    const refused = version === 2 ? await unreadable(repository, read.head) : undefined;
    if (refused) return packet(`ERR upload-pack: not our ref ${refused}`);
    let run: GitRun | undefined;
    const shared = await this.deps.packs.open(
      {
        repository: repository.path,
        state: (await repository.state()) ?? null,
        protocol: String(version),
        body: read.head,
      },
      () => {
        const started = (run = this.start(repository, read.head, version));
        return { output: started.output, done: started.done, kill: () => void started.child.kill('SIGTERM') };
      },
    );
    if (!shared) return this.fetch(repository, read.head, version);
    return { output: shared, done: run?.done ?? Promise.resolve(0), stderrExcerpt: run?.stderrExcerpt ?? (() => '') };
  }

  private fetch(repository: GitRepository, input: Readable | Buffer, version: 0 | 1 | 2): GitExchange {
    const run = this.start(repository, input, version);
    endWithReader(run);
    return run;
  }

  private start(repository: GitRepository, input: Readable | Buffer, version: 0 | 1 | 2): GitRun {
    return this.starter.run(['upload-pack', '--stateless-rpc', repository.path], input, {
      environment: protocolOf(version),
    });
  }

  /** The options of the push that makes a repository decide about it; on any other push they mean nothing. */
  private async make({ owner, name, actor }: GitCreation, head: PushHead): Promise<GitSession> {
    const options = parsePushOptions(head.options);
    const isPrivate = flag(options, 'repo.private') ?? this.deps.settings.DEFAULT_PUSH_CREATE_PRIVATE;
    const isTemplate = flag(options, 'repo.template') ?? false;
    const repository = await this.deps.repositories.create(owner, { name, isPrivate, isTemplate }, actor);
    const context = await this.deps.access.context(actor, repository);
    return { found: 'repository', actor, context, kind: 'code', service: 'receive-pack' };
  }

  /** A push may take hours: what the actor may at its end counts, not at its beginning. */
  /** Those who may only read the repository may push to some of its branches. */
  private async mayPushTo({ actor, context, kind }: GitSession, { updates }: RefChange): Promise<boolean> {
    if (kind !== 'code' || context.may('write', 'code')) return false;
    const branches = await this.deps.branches.branchesOf(actor, context.repository);
    return (
      branches.size > 0 &&
      updates.length > 0 &&
      updates.every(({ ref, old, new: next }) => {
        const isThere = !isZeroOid(old) && !isZeroOid(next);
        return isThere && ref.startsWith('refs/heads/') && branches.has(ref.slice(11));
      })
    );
  }

  private async now(gitSession: GitSession): Promise<GitSession> {
    const repository = await this.deps.repositories.byId(gitSession.context.repository.id);
    if (!repository) throw NotFound('repository');
    return { ...gitSession, context: await this.deps.access.context(gitSession.actor, repository) };
  }

  private repositoryOf({ context, kind }: GitSession): GitRepository {
    return this.deps.reader.open(context.repository.id, kind);
  }
}

/**
 * A commit that is wanted by its id and that no reference leads to. In version 2 git itself would hand it out; a request
 * beyond a megabyte, which names tens of thousands of objects, is left to git.
 */
async function unreadable(repository: GitRepository, body: Buffer): Promise<string | undefined> {
  const words = (parsePackets(body) ?? []).map((one) => (typeof one === 'string' ? one : ''));
  const wants = new Set(words.flatMap((word) => /^want ([0-9a-f]{40,64})$/.exec(word)?.[1] ?? []));
  for (const oid of wants) if (!(await repository.isReadable(oid))) return oid;
  return undefined;
}

const protocolOf = (version: 0 | 1 | 2): Record<string, string> =>
  version ? { GIT_PROTOCOL: `version=${version}` } : {};

function nothing(body: Readable): GitExchange {
  body.resume();
  return { output: Readable.from([], { objectMode: false }), done: Promise.resolve(0), stderrExcerpt: () => '' };
}
