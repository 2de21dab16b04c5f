/** Whether a reference leads to a commit; what none leads to is not read by its id. */
import type { GitCaches } from './caches.js';
import type { GitRunner } from './git-runner.js';
import type { RefTable } from './ref-table.js';

const maxCandidates = 100;
const maxSteps = 20;

export class Reachable {
  constructor(
    private readonly folder: string,
    private readonly key: string,
    private readonly runner: GitRunner,
    private readonly caches: GitCaches,
    private readonly environment?: Readonly<Record<string, string>>,
  ) {}

  /** Of a commit that is there. */
  async has(oid: string, table: RefTable): Promise<boolean> {
    let at = oid;
    // a reference led there once: it still does when what that reference named then is still led to
    for (let steps = 0; steps < maxSteps; steps++) {
      if (isTip(at, table)) return true;
      const known = this.caches.results.get(this.keyOf(at))?.value as string | undefined;
      if (known === undefined) break;
      at = known;
    }
    const tip = await this.caches.result(`${this.key}leads\0${table.version}\0${at}`, () => this.find(at, table));
    if (tip === undefined) return at === oid ? false : this.hasNot(oid, table);
    for (const one of new Set([at, oid])) this.caches.results.set(this.keyOf(one), { value: tip }, { size: 200 });
    return true;
  }

  /** The one commit among all that begin so and that references lead to; undefined when there are several or none. */
  async expand(prefix: string, table: RefTable): Promise<string | undefined> {
    const output = await this.run(['rev-parse', `--disambiguate=${prefix}`]);
    const oids = output.split('\n').filter(Boolean);
    if (oids.length > maxCandidates) return undefined;
    const types = await this.run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], `${oids.join('\n')}\n`);
    const led: string[] = [];
    for (const line of types.split('\n')) {
      const [oid = '', type] = line.split(' ');
      if (type === 'commit' && (await this.has(oid, table))) led.push(oid);
    }
    return led.length === 1 ? led[0] : undefined;
  }

  /** The former reference has gone: asked for itself. */
  private async hasNot(oid: string, table: RefTable): Promise<boolean> {
    this.caches.results.delete(this.keyOf(oid));
    return this.has(oid, table);
  }

  /** What the reference names through which the commit is reached. */
  private async find(oid: string, table: RefTable): Promise<string | undefined> {
    const head = table.byRef.get(`refs/heads/${table.head}`)?.oid;
    if (head && (await this.isAncestor(oid, head))) return head;
    const output = await this.run(['for-each-ref', '--count=1', '--format=%(objectname)', `--contains=${oid}`]);
    return output.trim() || undefined;
  }

  private async isAncestor(oid: string, head: string): Promise<boolean> {
    const args = ['merge-base', '--is-ancestor', oid, head];
    const options = { cwd: this.folder, environment: this.environment, okCodes: [0, 1, 128] };
    return (await this.runner.run(args, options)).code === 0;
  }

  private run(args: readonly string[], input?: string): Promise<string> {
    const options = { cwd: this.folder, environment: this.environment, okCodes: [0, 128, 129], input };
    return this.runner.text(args, options);
  }

  private keyOf(oid: string): string {
    return `${this.key}led\0${oid}`;
  }
}

const isTip = (oid: string, { tips }: RefTable): boolean => tips.has(oid);
