/** One piece of work with one other server: the way there, git's commands, and what their failures mean. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Forbidden, type Outbound } from '@mortise/plugin-sdk';
import { remoteProblem, type RemoteAddress, type RemoteProgress } from '../api.js';
import type { RemoteOptions, RemoteRefs } from '../contract/remotes.js';
import { failureOf } from './failure.js';
import type { GitRunner } from './git-runner.js';
import { Relay, type RelayConnection, type RelayTarget } from './remote-relay.js';
import type { RemoteHosts } from './remote-address.js';
import { remoteFailure, type FailureContext } from './remote-failure.js';
import { t } from '../texts/index.js';

interface SessionDeps {
  readonly runner: GitRunner;
  readonly outbound: Outbound;
  readonly hosts: RemoteHosts;
  /** A folder of its own for each session is made here. */
  readonly temporary: string;
  readonly skipTlsVerify: boolean;
}

interface SessionLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const maxListBytes = 64 * 1024 * 1024;
/** Of what git says the end matters. */
const maxMessages = 64 * 1024;
/** More of them no reasonable repository has. */
const maxRefs = 200_000;

export class RemoteSession {
  /** Where `ls-remote`, `fetch` and `push` go. */
  #url = '';
  #environment: Record<string, string> = {};
  #protocols: string[] = [];
  readonly #relay: Relay;
  readonly #end = new AbortController();
  #isLate = false;
  /** An empty folder that goes with the session. */
  readonly folder: string;

  private constructor(
    private readonly deps: SessionDeps,
    private readonly address: RemoteAddress,
    private readonly options: RemoteOptions,
    limits: SessionLimits,
  ) {
    this.folder = join(deps.temporary, `remote-${randomUUID()}`);
    this.#relay = new Relay({
      open: (target, path, signal) => this.#open(target, path, signal),
      maxBytes: limits.maxBytes,
      idleMs: Math.min(limits.timeoutMs, deps.runner.limits.writeMs),
    });
  }

  /** Runs the work, and ends with it whatever it has started. */
  static async run<T>(
    deps: SessionDeps,
    address: RemoteAddress,
    options: RemoteOptions,
    limits: SessionLimits,
    work: (session: RemoteSession) => Promise<T>,
  ): Promise<T> {
    deps.hosts.allowedFor(address.host);
    const session = new RemoteSession(deps, address, options, limits);
    const stop = () => session.#stop();
    const timer = setTimeout(() => session.#stopLate(), limits.timeoutMs);
    options.signal?.addEventListener('abort', stop, { once: true });
    try {
      if (options.signal?.aborted) throw remoteProblem('aborted', t.later('error.remote.aborted'));
      await session.#start();
      return await work(session);
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
      session.#stop();
      await rm(session.folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  #stopLate(): void {
    this.#isLate = true;
    this.#stop();
  }

  #stop(): void {
    this.#end.abort();
    this.#relay.close();
  }

  async #start(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const { protocol, host, port } = this.address;
    this.#protocols = [protocol];
    if (protocol === 'ssh') return this.#startSsh();
    if (protocol === 'git') {
      this.#url = `git://127.0.0.1:${await this.#relay.startForward(host, port)}${pathOf(this.address)}`;
      this.#environment = { GIT_OVERRIDE_VIRTUAL_HOST: port === 9418 ? host : `${host}:${port}` };
      return;
    }
    const proxy = await this.#relay.startProxy();
    this.#protocols = ['http', 'https'];
    this.#url = this.address.url;
    this.#environment = {
      http_proxy: proxy,
      https_proxy: proxy,
      ALL_PROXY: proxy,
      no_proxy: '',
      GIT_HTTP_PROXY_AUTHMETHOD: 'basic',
      ...(this.deps.skipTlsVerify && { GIT_SSL_NO_VERIFY: '1' }),
    };
  }

  async #startSsh(): Promise<void> {
    const { host, port, username, url } = this.address;
    const { privateKey = '', knownHosts = '' } = this.options.credentials ?? {};
    const forward = await this.#relay.startForward(host, port);
    const user = username ? `${username}@` : '';
    this.#url = url.includes('://')
      ? `ssh://${user}127.0.0.1:${forward}${pathOf(this.address)}`
      : `${user}127.0.0.1:${url.slice(url.indexOf(':') + 1)}`;
    await writeFile(join(this.folder, 'known_hosts'), knownHosts, { mode: 0o600 });
    await writeFile(join(this.folder, 'key'), privateKey.endsWith('\n') ? privateKey : `${privateKey}\n`, {
      mode: 0o600,
    });
    const settings = {
      BatchMode: 'yes',
      IdentitiesOnly: 'yes',
      IdentityAgent: 'none',
      PreferredAuthentications: 'publickey',
      StrictHostKeyChecking: 'accept-new',
      UserKnownHostsFile: quoted(join(this.folder, 'known_hosts')),
      GlobalKnownHostsFile: '/dev/null',
      HostKeyAlias: port === 22 ? host : `[${host}]:${port}`,
      CheckHostIP: 'no',
      UpdateHostKeys: 'no',
      ConnectTimeout: '30',
    };
    const words = Object.entries(settings).map(([name, value]) => `-o ${shellWord(`${name}=${value}`)}`);
    this.#environment = {
      GIT_SSH_COMMAND: ['ssh -F /dev/null', '-p', forward, '-i', shellWord(join(this.folder, 'key')), ...words].join(
        ' ',
      ),
      GIT_SSH_VARIANT: 'ssh',
    };
  }

  /** Credentials go to the server that they were given for, also where it leads to another one. */
  async #open(target: RelayTarget, path: string, signal: AbortSignal): Promise<RelayConnection> {
    const { deps } = this;
    const { protocol, host, port } = target;
    if (this.#credentials && !isServerOf(this.address, target))
      throw Forbidden(t.later('error.remote.redirect', { host }));
    const options = { allowedHosts: deps.hosts.allowedFor(host), signal };
    if (protocol === 'tcp')
      return { socket: await deps.outbound.connect({ host, port, ...options }), target: '', headers: {} };
    const name = host.includes(':') ? `[${host}]` : host;
    return deps.outbound.connectHttp(`${protocol}://${name}:${port}${path || '/'}`, options);
  }

  get #credentials(): { username: string; password: string } | undefined {
    const { username, password } = { ...this.options.credentials };
    const [name, word] = [username ?? this.address.username, password ?? this.address.password];
    return this.address.protocol !== 'ssh' && (name || word) ? { username: name, password: word } : undefined;
  }

  /** One command; gives its output also when it fails and `okCode` says that it is an answer. */
  async git(
    folder: string,
    args: readonly string[],
    options: {
      input?: string;
      maxOutput?: number;
      isAnswer?: (output: string) => boolean;
      environment?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    let messages = '';
    let isLong = false;
    const git = this.deps.runner.porcelain(
      folder,
      {
        protocols: this.#protocols,
        timeoutMs: this.deps.runner.limits.cloneMs,
        signal: this.#end.signal,
        credentials: this.#credentials,
        environment: { ...this.#environment, ...options.environment },
      },
      {
        input: options.input,
        onOutput: (chunk) => {
          size += chunk.length;
          if (size <= (options.maxOutput ?? maxListBytes)) return void chunks.push(chunk);
          isLong = true;
          this.#stop();
        },
        onMessages: (chunk) => {
          const text = chunk.toString('utf8');
          messages = `${messages}${text}`.slice(-maxMessages);
          const progress = progressIn(text);
          if (progress) this.options.onProgress?.(progress);
        },
      },
    );
    try {
      await git.raw(args.map((arg) => (arg === urlPlace ? this.#url : arg)));
    } catch (error) {
      const output = Buffer.concat(chunks).toString('utf8');
      const isOver = this.#end.signal.aborted || this.#relay.failure;
      if (!isOver && failureOf(error) && options.isAnswer?.(output)) return output;
      throw remoteFailure(error, messages, this.#context(isLong));
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  #context(isLong: boolean): FailureContext {
    const { password = '', privateKey = '' } = this.options.credentials ?? {};
    return {
      address: this.address,
      url: this.#url,
      secrets: [password, privateKey, this.address.password, this.#relay.password],
      isLate: this.#isLate,
      isAborted: this.options.signal?.aborted ?? false,
      isTooLarge: isLong || this.#relay.isTooLarge,
      isIdle: this.#relay.isIdle,
      relayFailure: this.#relay.failure,
    };
  }

  /** A server that is silent is given up long before one that sends objects: whoever imports may be waiting. */
  async list(): Promise<RemoteRefs> {
    const timer = setTimeout(() => this.#stopLate(), this.deps.runner.limits.readMs);
    let output: string;
    try {
      output = await this.git(this.folder, ['ls-remote', '--symref', '--end-of-options', urlPlace]);
    } finally {
      clearTimeout(timer);
    }
    let head: string | undefined;
    const refs: { ref: string; oid: string }[] = [];
    for (const line of output.split('\n')) {
      const [first = '', ref = ''] = line.split('\t');
      if (ref === 'HEAD') head = /^ref: refs\/heads\/(.+)$/.exec(first)?.[1] ?? head;
      else if (/^[0-9a-f]{40,64}$/.test(first) && ref.startsWith('refs/') && !ref.endsWith('^{}'))
        refs.push({ ref, oid: first });
    }
    if (refs.length === 0 && this.#protocols.includes('https')) await this.#checkIsRepository();
    if (refs.length > maxRefs) throw remoteProblem('tooLarge', t.later('error.remote.refs', { count: maxRefs }));
    return { head, refs, ...(await this.knownHosts()) };
  }

  /** To git a page of the web is a list without references: only packets show that somebody there speaks its protocol. */
  async #checkIsRepository(): Promise<void> {
    const packets = join(this.folder, 'packets');
    await this.git(this.folder, ['ls-remote', '--end-of-options', urlPlace], {
      environment: { GIT_TRACE_PACKET: packets },
    });
    if (!(await readFile(packets, 'utf8').catch(() => '')))
      throw remoteProblem('notFound', t.later('error.remote.noRepository'));
  }

  /** What ssh has learnt of the host. */
  async knownHosts(): Promise<{ knownHosts?: string }> {
    if (this.address.protocol !== 'ssh') return {};
    const lines = await readFile(join(this.folder, 'known_hosts'), 'utf8').catch(() => '');
    return lines.trim() ? { knownHosts: lines } : {};
  }
}

/** The last that git says of its work: `Receiving objects:  42% (1234/2939), 1.20 MiB | 2.40 MiB/s`. */
function progressIn(text: string): RemoteProgress | undefined {
  const [, stage, done, total] =
    [...text.matchAll(/(Counting|Compressing|Receiving|Resolving|Writing) \w+: +\d+% \((\d+)\/(\d+)\)/g)].at(-1) ?? [];
  return stage ? { stage: stage.toLowerCase(), done: Number(done), total: Number(total) } : undefined;
}

/** The server of an address; one of http may lead to its own https. */
function isServerOf(address: RemoteAddress, { host, port }: RelayTarget): boolean {
  if (host.toLowerCase() !== address.host.toLowerCase()) return false;
  return port === address.port || (address.protocol === 'http' && address.port === 80 && port === 443);
}

/** Stands for the address in arguments of {@link RemoteSession.git}. */
export const urlPlace = '\0url';

const pathOf = ({ url }: RemoteAddress): string => {
  const { pathname, search } = new URL(url.replace(/^\w+:/, 'http:'));
  return `${pathname}${search}`;
};
/** In a configuration of ssh. */
const quoted = (path: string): string => `"${path}"`;
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
