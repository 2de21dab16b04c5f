/** One connection: it signs in with a key, then runs commands, several at a time when the client shares it. */
import type { Socket } from 'node:net';
import type { Logger } from '@mortise/plugin-sdk';
import type { AuthContext, Connection as Client, PublicKeyAuthContext, ServerChannel, Session as Channel } from 'ssh2';
import { announceSignatures, askForSignature, endWithReason } from './announcement.js';
import { fingerprintOf } from './host-keys.js';
import type { Identities } from './identities.js';
import { Session, type SessionDeps } from './session.js';
import { isOutdated, proves } from './signature.js';

export interface ConnectionDeps extends SessionDeps {
  readonly identities: Identities;
  readonly userName: string;
  readonly maxSessions: number;
  readonly log: Logger;
}

/** Keys that one client may try; agents of some people hold many. */
const maxAttempts = 20;
const acceptedVariables = new Set(['GIT_PROTOCOL']);

export class Connection {
  private fingerprint = '';
  private attempts = 0;
  private idle: NodeJS.Timeout | undefined;
  private draining = false;
  private readonly sessions = new Set<Session>();
  /** Channels that are open, whether or not they run a command yet. */
  private channels = 0;

  constructor(
    private readonly deps: ConnectionDeps,
    private readonly client: Client,
    private readonly socket: Socket,
    signedIn: () => void,
  ) {
    announceSignatures(client);
    socket.setMaxListeners(0); // each command listens for its end
    client.on('authentication', (context) => {
      this.authenticate(context).catch((error: unknown) => {
        deps.log.error('could not check a public key', { event: 'ssh.key', error: String(error) });
        endWithReason(client, `${deps.siteName} cannot check your key at the moment. Please try again later.`);
      });
    });
    client.once('ready', () => {
      signedIn();
      this.rest();
    });
    client.on('session', (accept, reject) => {
      if (this.draining || this.channels >= deps.maxSessions) return void reject();
      const channel = accept();
      this.channels++;
      channel.once('close', () => this.channels--);
      this.open(channel);
    });
    client.on('error', (error) => deps.log.debug('connection', { error: error.message }));
    socket.once('close', () => {
      clearTimeout(this.idle);
      for (const session of this.sessions) session.terminal.abort();
    });
  }

  get isBusy(): boolean {
    return this.sessions.size > 0;
  }

  /** Ends now when nothing runs, else after the last command. */
  drain(): void {
    this.draining = true;
    if (!this.isBusy) this.client.end();
  }

  /** Tells the clients of running commands, then disconnects them. */
  async cut(): Promise<void> {
    for (const session of this.sessions) session.terminal.end('The server is being restarted; please try again.\n');
    if (this.isBusy) await new Promise((resolve) => setTimeout(resolve, 250));
    this.client.end();
  }

  private async authenticate(context: AuthContext): Promise<void> {
    if (context.method !== 'publickey') return context.reject(['publickey']);
    const offer: PublicKeyAuthContext = context;
    if (offer.username !== this.deps.userName || ++this.attempts > maxAttempts || isOutdated(offer)) {
      if (this.attempts > maxAttempts) this.client.end();
      return context.reject(['publickey']);
    }
    const fingerprint = fingerprintOf(offer.key.data);
    if (!(await this.deps.identities.isKnown(fingerprint))) return context.reject(['publickey']);
    if (!offer.signature) return askForSignature(offer);
    if (!proves(offer)) return context.reject(['publickey']);
    this.fingerprint = fingerprint;
    context.accept();
  }

  private open(channel: Channel): void {
    const environment: Record<string, string> = {};
    let isTerminal = false;
    channel.on('env', (accept, reject, { key, val }) => {
      // optional: absent when the client wants no answer
      if (!acceptedVariables.has(key) || !/^[A-Za-z0-9=:._-]{1,200}$/.test(val)) return void reject?.();
      environment[key] = val;
      (accept as (() => void) | undefined)?.();
    });
    channel.on('pty', (accept) => {
      isTerminal = true;
      (accept as (() => void) | undefined)?.();
    });
    const start = (accept: () => ServerChannel | undefined, work: Work) => {
      const stream = accept();
      if (!stream) return; // it runs a command already, or is being closed
      const session = new Session(this.deps, {
        channel: stream,
        socket: this.socket,
        fingerprint: this.fingerprint,
        remoteAddress: this.socket.remoteAddress ?? '',
        environment,
        isTerminal,
      });
      clearTimeout(this.idle);
      this.sessions.add(session);
      // over when the client says so: to disconnect earlier would cost it what it has not read yet
      void Promise.all([work(session), this.closing(channel)]).finally(() => {
        this.sessions.delete(session);
        if (this.isBusy) return;
        if (this.draining) this.client.end();
        else this.rest();
      });
    };
    channel.on('shell', (accept) => start(accept, (session) => session.greet()));
    channel.on('exec', (accept, _reject, { command }) => start(accept, (session) => session.run(command)));
    channel.on('subsystem', (accept, _reject, { name }) =>
      start(accept, (session) => session.refuse(name === 'sftp' ? 'file transfer' : name)),
    );
  }

  private closing(channel: Channel): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.socket.off('close', done);
        resolve();
      };
      channel.once('close', done);
      this.socket.once('close', done);
    });
  }

  /** Nothing runs: a client that shares its connection may keep it for a while. */
  private rest(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.client.end(), this.deps.idleMs);
    this.idle.unref();
  }
}

type Work = (session: Session) => Promise<void>;
