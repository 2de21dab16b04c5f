import type { Accounts } from '@mortise/accounts/api';
import { SourceFailure, type SourcePage } from '../contract/source.js';
import type { ImportOptions, RepositoryImporter, StepProgress } from '../contract/importer.js';
import { commentStep } from '../steps/comments.js';
import { issueStep } from '../steps/issues.js';
import { labelStep } from '../steps/labels.js';
import { milestoneStep } from '../steps/milestones.js';
import { projectStep } from '../steps/projects.js';
import { pullStep } from '../steps/pulls.js';
import { releaseStep } from '../steps/releases.js';
import { reviewStep } from '../steps/reviews.js';
import type { ImporterDeps, ImportStepKind, StepContext } from '../steps/step.js';
import { AuthorMap } from './authors.js';
import { shapeError } from './record-shape.js';
import { ProgressStore, type StoredStep } from './progress-store.js';
import { cleanLine, cleanList } from './sanitize.js';

/** Written in one transaction; others wait no longer than for these. */
const defaultBatchSize = 100;
/** Pages in a row of what was seen before: then the source repeats itself. */
const maxRepeatedPages = 100;
/** Pages in a row of which nothing is taken: a source leaves out what is no issue, confidential or not asked for. */
const maxEmptyPages = 10_000;
const maxPosition = 1000;
const maxTotal = 2_000_000_000;
/** Items of one page that anybody looks at. */
const maxPageItems = 10_000;

/** Writes what a source gives, a batch at a time, each with the position behind it. */
export class Importer implements RepositoryImporter {
  readonly #store: ProgressStore;

  constructor(private readonly deps: ImporterDeps & { readonly accounts: Accounts }) {
    this.#store = new ProgressStore(deps.database);
  }

  async run(options: ImportOptions): Promise<readonly StepProgress[]> {
    const authors = new AuthorMap(this.deps.accounts, options.authors, options.actor.id);
    await this.#step(labelStep, options, authors);
    await this.#step(milestoneStep, options, authors);
    await this.#step(releaseStep, options, authors);
    await this.#step(issueStep, options, authors);
    await this.#step(pullStep, options, authors);
    await this.#step(commentStep, options, authors);
    await this.#step(reviewStep, options, authors);
    await this.#step(projectStep, options, authors);
    return this.#store.steps(options.repository.id);
  }

  forget(repositoryId: number): Promise<void> {
    return this.#store.forgetItems(repositoryId);
  }

  async #step<T>(kind: ImportStepKind<T>, options: ImportOptions, authors: AuthorMap): Promise<void> {
    const { repository, reader } = options;
    const stored = await this.#store.step(repository.id, kind.step);
    if (stored.state === 'done' || stored.state === 'skipped') return;
    const isWanted = kind.kinds.some((one) => options.kinds.has(one));
    const run = new StepRun(kind, { deps: this.deps, store: this.#store, authors, options }, stored);
    if (!isWanted) return;
    const absent = (note: string) => run.end('skipped', kind.isRare ? '' : note);
    const pages = kind.pages(reader, run.context, stored.position);
    if (!pages) return absent('The source has none.');
    const unavailable = kind.unavailable?.(run.context);
    try {
      if (unavailable) return await run.end('skipped', (await hasItems(pages)) ? unavailable : '');
      await run.read(pages);
    } catch (error) {
      if (!SourceFailure.is(error) || error.reason !== 'notOffered') throw error;
      return absent(error.message);
    }
    await kind.finish?.(run.context);
    return run.end('done');
  }
}

async function hasItems(pages: AsyncIterable<SourcePage<unknown>>): Promise<boolean> {
  let count = 0;
  for await (const page of pages) {
    if (page?.items?.length) return true;
    if (page?.next === undefined || ++count > maxRepeatedPages) break;
  }
  return false;
}

/** One step of one import, from where it was. */
class StepRun<T> {
  readonly context: StepContext;
  #progress: StoredStep;
  #repeatedPages = 0;
  /** Positions behind pages of which nothing was taken, since the last one of which something was. */
  readonly #emptyPositions = new Set<string | undefined>();

  constructor(
    private readonly kind: ImportStepKind<T>,
    context: Omit<StepContext, 'note'>,
    stored: StoredStep,
  ) {
    this.#progress = stored;
    this.context = { ...context, note: (text) => this.#note(text) };
  }

  async read(pages: AsyncIterable<SourcePage<T>>): Promise<void> {
    const { options } = this.context;
    for await (const page of pages) {
      options.signal.throwIfAborted();
      const isFull = await this.#take(page);
      await this.#notify();
      if (isFull || page.next === undefined) return;
    }
  }

  async end(state: StepProgress['state'], note = ''): Promise<void> {
    if (note) this.#note(note);
    await this.#save({ state });
    await this.#notify();
  }

  /** True: no more of the step are taken. */
  async #take(page: SourcePage<T>): Promise<boolean> {
    this.#checkPage(page);
    const { items, next, total, leftOut } = page;
    const { options, store } = this.context;
    for (const text of cleanList(leftOut, maxPageItems)) this.#note(cleanLine(text));
    const { fresh: unwritten, isRepeated } = await this.#unwritten(items);
    const fresh = unwritten.slice(0, Math.max(0, this.kind.maxItems - this.#progress.done));
    const isFull = fresh.length < unwritten.length;
    if (isFull) this.#note(`The source has more than ${this.kind.maxItems}: the others are left out.`);
    const doneBefore = this.#progress.done;
    const known = Number.isSafeInteger(total) ? Math.min(Math.max(0, total!), maxTotal) : this.#progress.total;
    const { batchSize = defaultBatchSize } = this.kind;
    for (let at = 0; at < fresh.length; at += batchSize) {
      options.signal.throwIfAborted();
      const batchItems = fresh.slice(at, at + batchSize);
      const batch = await this.kind.prepare(batchItems, this.context);
      await this.context.deps.database.write(async () => {
        await options.check?.();
        const written = await batch.write();
        await store.record(options.repository.id, written);
        const done = this.#progress.done + written.length;
        await store.save(options.repository.id, {
          ...this.#progress,
          state: 'running',
          done,
          total: Math.max(known, done),
        });
      });
      this.#progress = await store.step(options.repository.id, this.kind.step);
    }
    this.#countIdle(this.#progress.done > doneBefore, isRepeated, next);
    await this.kind.afterPage?.(items, this.context);
    await this.#save({ state: 'running', position: next, total: Math.max(known, this.#progress.done) });
    return isFull;
  }

  /** Lists end: those that give the same again, and those of which nothing is taken for too long, are no lists. */
  #countIdle(isTaken: boolean, isRepeated: boolean, next: string | undefined): void {
    this.#repeatedPages = isRepeated ? this.#repeatedPages + 1 : 0;
    if (this.#repeatedPages > maxRepeatedPages) throw this.#wrong('repeats what it has given already');
    if (isTaken) return this.#emptyPositions.clear();
    if (this.#emptyPositions.has(next) || this.#emptyPositions.size >= maxEmptyPages)
      throw this.#wrong('gives pages that lead nowhere');
    this.#emptyPositions.add(next);
  }

  /** A source is a plugin that may be wrong: what it gives is looked at before anything reads it. */
  #checkPage(page: SourcePage<T>): void {
    const error = shapeError(page, {}, 'the page');
    if (error) throw this.#wrong(`gives what cannot be read: ${error}`);
    const { items, next } = page;
    if (!Array.isArray(items) || items.length > maxPageItems) throw this.#wrong('gives pages that are too large');
    if (
      next !== undefined &&
      (typeof next !== 'string' || next.length > maxPosition || next === this.#progress.position)
    )
      throw this.#wrong('gives pages that lead nowhere');
    for (const [index, item] of items.entries()) {
      const wrong = shapeError(item, this.kind.shape ?? {});
      if (wrong) throw this.#wrong(`gives records that cannot be read: number ${index + 1} of a page: ${wrong}`);
    }
  }

  /**
   * Without those that are in the repository, that came twice in the page, or that are no records. `isRepeated`: all were
   * written before.
   */
  async #unwritten(items: readonly T[]): Promise<{ readonly fresh: T[]; readonly isRepeated: boolean }> {
    const byKey = new Map<string, T>();
    let without = 0;
    for (const item of items) {
      const key = this.kind.keyOf(item);
      if (!key) without++;
      if (key && byKey.has(key) && key === this.kind.nameOf?.(item))
        this.#note(`Several are called ${key}: they are one here`);
      if (key && !byKey.has(key)) byKey.set(key, item);
    }
    if (without) this.#note(`Left out, because they have no number or name that can be taken: ${without}`);
    const { store, options } = this.context;
    const { itemKind } = this.kind;
    const count = byKey.size;
    for (const key of (await store.find(options.repository.id, itemKind, [...byKey.keys()])).keys()) byKey.delete(key);
    const isRepeated = count > 0 && byKey.size === 0;
    if (itemKind === 'issue' || itemKind === 'pull') await this.#leaveOutTaken(byKey, itemKind);
    return { fresh: [...byKey.values()], isRepeated };
  }

  /** Issues and pull requests share their numbers. */
  async #leaveOutTaken(byKey: Map<string, T>, kind: 'issue' | 'pull'): Promise<void> {
    const { store, options } = this.context;
    const other = kind === 'issue' ? 'pull' : 'issue';
    for (const key of (await store.find(options.repository.id, other, [...byKey.keys()])).keys()) {
      byKey.delete(key);
      this.#note(
        kind === 'pull'
          ? `Pull request #${key}: left out, because an issue has its number`
          : `Issue #${key}: left out, because a pull request has its number`,
      );
    }
  }

  async #save(changes: Partial<StoredStep>): Promise<void> {
    const { deps, store, options } = this.context;
    await deps.database.write(async () => {
      await options.check?.();
      await store.save(options.repository.id, { ...this.#progress, ...changes });
    });
    this.#progress = { ...this.#progress, ...changes };
  }

  async #notify(): Promise<void> {
    const { store, options } = this.context;
    await options.onProgress?.(await store.steps(options.repository.id));
  }

  #note(text: string): void {
    const { note } = this.#progress;
    if (text && note.length < 2000 && !note.includes(text))
      this.#progress = { ...this.#progress, note: note ? `${note}\n${text}` : text };
  }

  #wrong(what: string): SourceFailure {
    return new SourceFailure('invalidData', `The source ${what} (${this.kind.step}).`);
  }
}
