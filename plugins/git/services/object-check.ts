/**
 * The checks of `git receive-pack` for what the server itself writes: files of the API and of pages, patches, merges,
 * wikis, templates. Their objects go through the same `git index-pack --strict` as pushed ones, in a folder of their own.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Invalid, Problem, type Text } from '@mortise/plugin-sdk';
import { isZeroOid, type GitChild, type GitReader, type RefUpdate, type RepositoryKind } from '../api.js';
import { toleratedFsckFaults, withAlternates } from './environment.js';
import { GitFailure } from './failure.js';
import type { GitRunner } from './git-runner.js';
import { firstLine } from './stderr-excerpt.js';
import type { FolderStore } from './store.js';
import { t } from '../texts/index.js';

interface ObjectCheckDeps {
  readonly runner: GitRunner;
  readonly store: FolderStore;
  readonly reader: GitReader;
}

const strict = `--strict=${toleratedFsckFaults.map((fault) => `${fault}=ignore`).join(',')}`;
/** What is kept of the messages of git. */
const maxMessageBytes = 16 * 1024;

export class ObjectCheck {
  constructor(private readonly deps: ObjectCheckDeps) {}

  /** Refuses updates that lead to objects which a push could not bring; what references lead to already is not asked again. */
  async check(repositoryId: number, kind: RepositoryKind, updates: readonly RefUpdate[]): Promise<void> {
    const repository = this.deps.reader.open(repositoryId, kind);
    const tips = new Set((await repository.refs()).map(({ oid }) => oid));
    const wanted = new Set(updates.map((update) => update.new).filter((oid) => !isZeroOid(oid) && !tips.has(oid)));
    // what is not there is refused when the reference moves
    for (const oid of wanted) if (!(await repository.info(oid))) wanted.delete(oid);
    if (wanted.size === 0) return;
    const revisions = [...wanted, ...[...tips].map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
    await this.#checkNew(this.deps.store.path(repositoryId, kind), revisions);
  }

  async #checkNew(folder: string, revisions: string): Promise<void> {
    const { runner, store } = this.deps;
    const timeoutMs = runner.limits.writeMs;
    const aside = join(store.temporary, `check-${randomUUID()}`);
    await mkdir(join(aside, 'pack'), { recursive: true });
    try {
      const pack = runner.stream(['pack-objects', '--revs', '--stdout', '-q', '--window=0'], {
        cwd: folder,
        input: revisions,
        timeoutMs,
      });
      const child = runner.start(['index-pack', strict, '--stdin'], {
        cwd: folder,
        environment: { GIT_OBJECT_DIRECTORY: aside, ...withAlternates([join(folder, 'objects')]) },
        timeoutMs,
      });
      const ended = resultOf(child);
      // a check that ends early closes its input, and its own words say more
      const failure = await pipeline(pack, child.stdin).then(
        () => undefined,
        (error: unknown) => error,
      );
      const { code, messages } = await ended;
      // the pack was whole: it ends with its checksum
      if (code === 0) return;
      const reason = faultIn(messages);
      if (reason) throw Invalid(t.later('error.unsafeObject', { reason }));
      if (code === undefined) throw new Problem('unavailable', t.later('error.slow'));
      if (failure instanceof GitFailure || Problem.is(failure)) throw failure;
      throw new GitFailure('index-pack', code, messages);
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }
}

/** Without a code: it was killed. */
function resultOf(child: GitChild): Promise<{ code: number | undefined; messages: string }> {
  let messages = '';
  child.stdout.resume();
  child.stderr.on('data', (chunk: Buffer) => {
    if (messages.length < maxMessageBytes) messages += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? undefined, messages }));
  });
}

/** `error: object <id>: hasDotgit: contains '.git'` (git-fsck(1), "FSCK MESSAGES"). */
function faultIn(messages: string): Text | string | undefined {
  const [, id, words = ''] = /^error: object [0-9a-f]+: (\w+): (.*)$/m.exec(messages) ?? [];
  if (!id) return undefined;
  return id === 'hasDotgit' ? t.later('fault.hasDotgit') : firstLine(words);
}
