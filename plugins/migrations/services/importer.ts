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

/** Written in one transaction; others wait no longer than for these. */
const defaultBatchSize = 100;
/** Pages in a row that bring nothing new: then the source repeats itself. */
const maxIdlePages = 100;
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
    if (page?.next === undefined || ++count > maxIdlePages) break;
  }
  return false;
}

/** One step of one import, from where it was. */
class StepRun<T> {
  readonly context: StepContext;
  #progress: StoredStep;
  #idlePages = 0;

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
      await this.#take(page);
      await this.#notify();
      if (page.next === undefined) return;
    }
  }

  async end(state: StepProgress['state'], note = ''): Promise<void> {
    if (note) this.#note(note);
    await this.#save({ state });
    await this.#notify();
  }

  async #take(page: SourcePage<T>): Promise<void> {
    this.#checkPage(page);
    const { items, next, total } = page;
    const { options, store } = this.context;
    const fresh = await this.#unwritten(items);
    this.#idlePages = fresh.length ? 0 : this.#idlePages + 1;
    if (this.#idlePages > maxIdlePages) throw this.#wrong('repeats what it has given already');
    if (this.#progress.done + fresh.length > this.kind.maxItems)
      throw this.#wrong(`has more than ${this.kind.maxItems}`);
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
    await this.kind.afterPage?.(items, this.context);
    await this.#save({ state: 'running', position: next, total: Math.max(known, this.#progress.done) });
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

  /** Without those that are in the repository, that came twice in the page, or that are no records. */
  async #unwritten(items: readonly T[]): Promise<T[]> {
    const byKey = new Map<string, T>();
    let without = 0;
    for (const item of items) {
      const key = this.kind.keyOf(item);
      if (!key) without++;
      if (key && !byKey.has(key)) byKey.set(key, item);
    }
    if (without) this.#note(`Left out, because they have no number or name that can be taken: ${without}`);
    const { store, options } = this.context;
    // issues and pull requests share their numbers
    const kinds =
      this.kind.itemKind === 'issue' || this.kind.itemKind === 'pull'
        ? (['issue', 'pull'] as const)
        : [this.kind.itemKind];
    for (const kind of kinds)
      for (const key of (await store.find(options.repository.id, kind, [...byKey.keys()])).keys()) byKey.delete(key);
    return [...byKey.values()];
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
    if (note.length < 2000 && !note.includes(text))
      this.#progress = { ...this.#progress, note: note ? `${note}\n${text}` : text };
  }

  #wrong(what: string): SourceFailure {
    return new SourceFailure('invalidData', `The source ${what} (${this.kind.step}).`);
  }
}
