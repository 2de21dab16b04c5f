/** Runs `git upload-pack` and `git receive-pack` between the request and the response, as streams. */
import { spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadRequest, type Logger } from '@mortise/plugin-sdk';
import type { GitProcesses, GitRepository, PushSession } from '@mortise/git/api';
import { listRefs } from './advertise.js';
import type { PackCache } from './pack-cache.js';

/** Requests that ask for references are far below; anything longer is for git itself. */
const longestListing = 1024 * 1024;

/** Reads until there is enough (or all there is); the rest is still to come from the source. */
export async function peek(
  source: Readable,
  enough: (head: Buffer) => boolean,
): Promise<{ head: Buffer; ended: boolean }> {
  const chunks: Buffer[] = [];
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = source.read() as Buffer | null;
    if (chunk) {
      chunks.push(chunk);
      head = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      chunks.splice(0, chunks.length, head);
      if (enough(head)) return { head, ended: false };
      continue;
    }
    if (source.readableEnded || source.destroyed) return { head, ended: true };
    await new Promise<void>((resolve, reject) => {
      const done = () => {
        source.off('readable', done).off('end', done).off('close', done).off('error', failed);
        resolve();
      };
      const failed = (error: Error) => {
        source.off('readable', done).off('end', done).off('close', done);
        reject(error);
      };
      source.once('readable', done).once('end', done).once('close', done).once('error', failed);
    });
  }
}

/** Bodies up to this length, when they say it, are read whole: nearly everything but packs. */
export const shortBody = 64 * 1024;

export function readShort(source: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    source.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > longestListing) source.destroy(BadRequest('the body is too long'));
    });
    source.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    source.once('error', (error) => reject(BadRequest(`the body cannot be read: ${error.message}`)));
    source.once('close', () => reject(BadRequest('the body ended too early')));
  });
}

/** The body without its compression; 400 when it is not what its header says. */
export async function unpacked(source: Readable, encoding: string | undefined): Promise<Readable> {
  if (!encoding || encoding === 'identity') return source;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw BadRequest('unknown content encoding');
  const { head } = await peek(source, (bytes) => bytes.length >= 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) throw BadRequest('the body is not compressed');
  source.unshift(head);
  const gunzip = createGunzip();
  gunzip.on('error', () => undefined); // whoever reads hears it too; nobody reading must not end the server
  source.once('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

export class Transfers {
  constructor(
    private readonly git: GitProcesses,
    private readonly packs: PackCache,
    private readonly log: Logger,
  ) {}

  /** A fetch; `ls-refs` of version 2 is answered without a process. */
  async uploadPack(
    repository: GitRepository,
    body: Readable | Buffer,
    protocol: string | undefined,
    version: 0 | 1 | 2,
  ): Promise<Readable | Buffer> {
    if (version !== 2) return this.fetch(repository, body, protocol);
    const whole = Buffer.isBuffer(body) ? body : undefined;
    const isListing = (head: Buffer) => /^00(13|14)command=ls-refs/.test(head.toString('latin1', 0, 20));
    // a listing is read to its end, anything else goes to git as it comes
    const { head, ended } = whole
      ? { head: whole, ended: true }
      : await peek(
          body as Readable,
          (bytes) => (!isListing(bytes) && bytes.length >= 20) || bytes.length > longestListing,
        );
    if (isListing(head)) {
      const answer = await listRefs(repository, head);
      if (answer) return answer;
    }
    if (!ended) (body as Readable).unshift(head);
    return this.fetch(repository, ended ? head : body, protocol);
  }

  private async fetch(
    repository: GitRepository,
    body: Readable | Buffer,
    protocol: string | undefined,
  ): Promise<Readable> {
    const cached = await this.packs.environment(this.git, repository.path);
    const child = spawn(
      this.git.executable,
      [...this.git.arguments, 'upload-pack', '--stateless-rpc', repository.path],
      {
        env: { ...this.git.environment, ...cached, ...(protocol ? { GIT_PROTOCOL: protocol } : {}) },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    const output = new PassThrough();
    child.stdin.on('error', () => undefined);
    child.stderr.on('data', (chunk: Buffer) =>
      this.log.debug('upload-pack', { text: chunk.toString('utf8').slice(0, 500) }),
    );
    if (Buffer.isBuffer(body)) child.stdin.end(body);
    else {
      body.once('error', () => child.stdin.destroy());
      body.pipe(child.stdin);
    }
    child.stdout.pipe(output);
    child.once('error', (error) => output.destroy(error));
    output.once('close', () => {
      if (child.exitCode === null) child.kill('SIGTERM'); // the client has gone
    });
    return output;
  }

  /** A push. Once its body is here it is completed, whether or not the client stays. */
  receivePack(
    repository: GitRepository,
    body: Readable,
    options: { protocol?: string; session: PushSession; maxBytes: number },
  ): Readable {
    const { session } = options;
    const limit: string[] = options.maxBytes > 0 ? ['-c', `receive.maxInputSize=${options.maxBytes}`] : [];
    const child = spawn(
      this.git.executable,
      [...this.git.arguments, ...limit, 'receive-pack', '--stateless-rpc', repository.path],
      {
        env: {
          ...this.git.environment,
          ...session.environment,
          ...(options.protocol ? { GIT_PROTOCOL: options.protocol } : {}),
        },
        stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      },
    );
    session.attach(child.stdio[3] as Readable, child.stdio[4] as Writable);
    const stdin = child.stdio[0] as Writable;
    const stdout = child.stdio[1] as Readable;
    const stderr = child.stdio[2] as Readable;
    const output = new PassThrough();
    stdin.on('error', () => undefined);
    stderr.on('data', (chunk: Buffer) =>
      this.log.debug('receive-pack', { text: chunk.toString('utf8').slice(0, 500) }),
    );
    body.once('error', () => stdin.destroy());
    body.once('close', () => {
      if (!body.readableEnded) stdin.destroy(); // cut off: git sees an early end
    });
    body.pipe(stdin);
    stdout.pipe(output, { end: false });
    output.once('close', () => stdout.resume());
    child.once('error', (error) => output.destroy(error));
    child.once('close', () => {
      session
        .finish()
        .catch((error: unknown) => this.log.error('a push could not be completed', { error: String(error) }))
        .finally(() => output.end());
    });
    return output;
  }
}
