/** A git server of another site for tests: `git http-backend` behind HTTP, with ways to misbehave. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '@mortise/plugin-sdk/testing';

const run = promisify(execFile);

export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => boolean | undefined;

export class RemoteServer {
  /** Answers in place of git when it gives true. */
  misbehave: Misbehaviour | undefined;
  /** Asked for where it is set. */
  login: { readonly username: string; readonly password: string } | undefined;
  readonly requests: { readonly url: string; readonly authorization: string | undefined }[] = [];

  private constructor(
    private readonly root: string,
    private readonly server: Server,
  ) {}

  static async start(): Promise<RemoteServer> {
    const root = await mkdtemp(join(tmpdir(), 'remote-'));
    const server = createServer();
    const remote = new RemoteServer(root, server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => remote.#answer(request, response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return remote;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(name: string): string {
    return `http://127.0.0.1:${this.port}/${name}.git`;
  }

  folder(name: string): string {
    return join(this.root, `${name}.git`);
  }

  /** A bare repository that takes pushes. */
  async repository(name: string): Promise<string> {
    await mkdir(this.folder(name), { recursive: true });
    await this.git(name, 'init', '-q', '--bare', '-b', 'main', '.');
    await this.git(name, 'config', 'http.receivepack', 'true');
    return this.folder(name);
  }

  async git(name: string, ...args: string[]): Promise<string> {
    const env = { ...gitEnvironment(this.root), GIT_CONFIG_NOSYSTEM: '1' };
    return (await run('git', args, { cwd: this.folder(name), env, maxBuffer: 1 << 26 })).stdout.trim();
  }

  /** One more commit with these files on a branch; gives its id. */
  async commit(name: string, branch: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
    const tree = join(this.root, 'work');
    await rm(tree, { recursive: true, force: true });
    await mkdir(tree);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), content);
    }
    await this.git(name, '--work-tree', tree, 'add', '-A', '--force', '.');
    const written = await this.git(name, 'write-tree');
    const parent = await this.git(name, 'rev-parse', '-q', '--verify', `refs/heads/${branch}`).catch(() => '');
    const oid = await this.git(name, 'commit-tree', written, ...(parent ? ['-p', parent] : []), '-m', 'more');
    await this.git(name, 'update-ref', `refs/heads/${branch}`, oid);
    return oid;
  }

  /**
   * Does something once, while the first request of this kind (`POST /spring.git/git-upload-pack`) waits for its answer; gives
   * what waits for the end of it, and throws where nobody asked.
   */
  during(pattern: RegExp, work: () => Promise<unknown>): () => Promise<unknown> {
    let done: Promise<unknown> | undefined;
    this.misbehave = (request, response) => {
      if (done || !pattern.test(`${request.method} ${request.url}`)) return undefined;
      done = work().finally(() => this.#serve(request, response));
      return true;
    };
    return async () => {
      if (!done) throw new Error(`nobody asked the source for ${pattern}`);
      return done;
    };
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.root, { recursive: true, force: true });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push({ url: request.url ?? '', authorization: request.headers.authorization });
    if (!this.misbehave?.(request, response)) this.#serve(request, response);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    // whoever asked has gone away meanwhile
    if (request.destroyed) return;
    const { login } = this;
    const wanted = login && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
    if (wanted && request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end('no');
      return;
    }
    this.#backend(request, response);
  }

  /** A program by the common gateway interface (RFC 3875). */
  #backend(request: IncomingMessage, response: ServerResponse): void {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const child = spawn('git', ['http-backend'], {
      env: {
        ...gitEnvironment(this.root),
        GIT_PROJECT_ROOT: this.root,
        GIT_HTTP_EXPORT_ALL: '1',
        REQUEST_METHOD: request.method,
        PATH_INFO: path,
        QUERY_STRING: query,
        REMOTE_USER: 'test',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        ...(request.headers['content-length'] && { CONTENT_LENGTH: request.headers['content-length'] }),
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    child.stdin.on('error', () => undefined);
    request.pipe(child.stdin);
    // a body that is cut off ends for the program, too
    request.once('close', () => child.stdin.end());
    let head = Buffer.alloc(0);
    let isOpen = false;
    child.stdout.on('data', (chunk: Buffer) => {
      if (isOpen) return void response.write(chunk);
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      isOpen = true;
      const lines = head.subarray(0, end).toString('latin1').split('\r\n');
      const headers = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
      const status = headers.find(([name]) => name === 'Status')?.[1];
      response.writeHead(status ? Number.parseInt(status, 10) : 200, Object.fromEntries(headers));
      response.write(head.subarray(end + 4));
    });
    child.once('close', () => response.end());
  }
}
