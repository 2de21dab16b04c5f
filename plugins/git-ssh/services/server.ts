/** Listens, bounds what is not signed in yet, and lets commands end when the server stops. */
import { createServer, type Server as Listener, type Socket } from 'node:net';
import type { ProxyProtocol, Site } from '@mortise/plugin-sdk';
import type { Server as SshListener } from 'ssh2';
import type { SshSettings } from '../settings.js';
import type { Addresses } from './addresses.js';
import { algorithms } from './algorithms.js';
import { Callers, type Caller } from './callers.js';
import { Connection, type ConnectionDeps } from './connection.js';
import { loadHostKeys } from './host-keys.js';
import { ssh2 } from './library.js';

/** The port may be held by a process that is just ending. */
const retryMs = 10_000;
const keepAliveMs = 30_000;
/** Who has not signed in after that makes room when others come: some idle connections would keep out everybody. */
const patienceMs = 1000;

interface ServerDeps extends Omit<ConnectionDeps, 'userName' | 'maxSessions' | 'idleMs'> {
  readonly site: Site;
  readonly settings: Readonly<SshSettings>;
  readonly addresses: Addresses;
  /** Where connections come by way of a proxy that says whose they are. */
  readonly proxyProtocol: ProxyProtocol | undefined;
}

export class SshServer {
  /** Not signed in yet, the oldest first, and since when. */
  private readonly waiting = new Map<Socket, number>();
  private readonly connections = new Map<Socket, Connection>();
  private readonly callers: Callers<Caller>;
  private listener: Listener | undefined;
  private retry: NodeJS.Timeout | undefined;
  private stopped = false;
  private complained = false;

  constructor(private readonly deps: ServerDeps) {
    this.callers = new Callers(deps.settings.SSH_MAX_IDLE_PER_ADDRESS, patienceMs);
  }

  get connectionCount(): number {
    return this.connections.size;
  }

  async start(): Promise<void> {
    const { settings, site, addresses } = this.deps;
    addresses.keys = await loadHostKeys(site.workDir, settings.SSH_SERVER_HOST_KEYS);
    const server = new (ssh2().Server)({
      hostKeys: addresses.keys.map(({ privateKey }) => privateKey),
      ident: 'Mortise',
      keepaliveInterval: keepAliveMs,
      keepaliveCountMax: 3,
      algorithms: algorithms({
        kex: settings.SSH_SERVER_KEY_EXCHANGES,
        cipher: settings.SSH_SERVER_CIPHERS,
        hmac: settings.SSH_SERVER_MACS,
      }),
    } as ConstructorParameters<typeof SshListener>[0]);
    server.on('connection', (client, { ip, port }) => {
      const socket = this.socketOf(ip, port);
      if (!socket) return void client.end();
      const limits = {
        userName: settings.BUILTIN_SSH_SERVER_USER,
        maxSessions: settings.SSH_MAX_SESSIONS,
        idleMs: settings.SSH_IDLE_TIMEOUT,
      };
      const connection = new Connection({ ...this.deps, ...limits }, client, socket, () => this.waiting.delete(socket));
      this.connections.set(socket, connection);
      socket.once('close', () => this.connections.delete(socket));
    });
    this.listener = createServer({ noDelay: true }, (socket) => void this.admit(socket, server));
    await this.listen();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.retry);
    this.listener?.close();
    for (const socket of this.waiting.keys()) socket.destroy();
    for (const connection of this.connections.values()) connection.drain();
    const until = Date.now() + this.deps.settings.SSH_DRAIN_TIME;
    const busy = () => [...this.connections.values()].some((connection) => connection.isBusy);
    while (busy() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 25));
    await Promise.all([...this.connections.values()].map((connection) => connection.cut()));
    for (let wait = 0; this.connections.size && wait < 20; wait++)
      await new Promise((resolve) => setTimeout(resolve, 25));
    for (const socket of this.connections.keys()) socket.destroy();
  }

  private async admit(socket: Socket, server: SshListener): Promise<void> {
    const { proxyProtocol } = this.deps;
    if (proxyProtocol && !(await proxyProtocol.take(socket))) return;
    if (this.stopped) return void socket.destroy();
    this.greet(socket, server);
  }

  private greet(socket: Socket, server: SshListener): void {
    const { settings } = this.deps;
    socket.on('error', () => undefined);
    const { connections } = this;
    const address = socket.remoteAddress ?? '';
    const caller: Caller = {
      get isIdle() {
        return !connections.get(socket)?.isBusy;
      },
      destroy: () => socket.destroy(),
    };
    if (!this.callers.enter(address, caller)) return void socket.destroy();
    socket.once('close', () => this.callers.leave(address, caller));
    if (!this.hasCapacity()) return void socket.destroy();
    this.waiting.set(socket, Date.now());
    const timer = setTimeout(() => {
      if (this.waiting.has(socket)) socket.destroy();
    }, settings.SSH_LOGIN_GRACE_TIME);
    timer.unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.waiting.delete(socket);
    });
    server.injectSocket(socket);
  }

  /** For one more; the one that has waited longest may have to go for it. */
  private hasCapacity(): boolean {
    if (this.waiting.size < this.deps.settings.SSH_MAX_UNAUTHENTICATED) return true;
    const [oldest, since] = this.waiting.entries().next().value as [Socket, number];
    if (Date.now() - since < patienceMs) return false;
    this.waiting.delete(oldest);
    oldest.destroy();
    return true;
  }

  private socketOf(ip: string, port: number): Socket | undefined {
    for (const socket of this.waiting.keys())
      if (socket.remotePort === port && socket.remoteAddress === ip) return socket;
    return undefined;
  }

  /** A port that is taken does not keep the web from being served: it is said, and tried again. */
  private listen(): Promise<void> {
    const { settings, addresses, log } = this.deps;
    const listener = this.listener as Listener;
    const port = settings.SSH_LISTEN_PORT === '' ? settings.SSH_PORT : settings.SSH_LISTEN_PORT;
    return new Promise((resolve) => {
      const done = () => {
        listener.off('error', failed).off('listening', heard);
        resolve();
      };
      const failed = (error: NodeJS.ErrnoException) => {
        done();
        if (!this.complained)
          log.error('could not listen on the SSH port; retrying', {
            event: 'ssh.listen',
            port,
            reason: error.code ?? error.message,
          });
        this.complained = true;
        this.retry = setTimeout(() => !this.stopped && void this.listen(), retryMs);
        this.retry.unref();
      };
      const heard = () => {
        done();
        listener.on('error', (error) =>
          log.error('the SSH server failed', { event: 'ssh.server', error: error.message }),
        );
        const address = listener.address();
        if (address && typeof address === 'object') addresses.boundPort = address.port;
        if (this.complained) log.info('listening on the SSH port again', { event: 'ssh.listening', port });
      };
      listener.once('error', failed).once('listening', heard);
      listener.listen({ port, ...(settings.SSH_LISTEN_HOST ? { host: settings.SSH_LISTEN_HOST } : {}) });
    });
  }
}
