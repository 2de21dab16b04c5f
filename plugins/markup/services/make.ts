import type { Cache, Logger, PointReader, Site } from '@mortise/plugin-sdk';
import { FairQueue, ThreadPool, defaultThreads } from '@mortise/plugin-sdk/threads';
import type { FileRendererModule, MarkupReference, TextKind } from '../contract/markup.js';
import { listOf, type MarkdownSettings, type RenderSettings } from '../settings.js';
import { Emoji } from '../worker/emoji.js';
import { MarkupService } from './markup.js';
import { References } from './references.js';
import { RenderPool, type RenderPoolDeps } from './render-pool.js';

export interface MakeDeps {
  readonly site: Site;
  readonly cache: Cache;
  readonly log: Logger;
  readonly renderers: PointReader<FileRendererModule>;
  readonly references: PointReader<MarkupReference>;
  readonly settings: RenderSettings & MarkdownSettings;
  /** Of the threads: `worker/main.js`. */
  readonly entry: URL;
  readonly count?: RenderPoolDeps['count'];
}

/** The service with the threads behind it, which its owner closes. */
export function makeMarkup({ site, cache, log, settings, ...parts }: MakeDeps) {
  const threads = new ThreadPool(parts.entry, {
    threads: settings.RENDER_THREADS || defaultThreads(),
    memory: settings.RENDER_MEMORY_LIMIT,
    time: settings.RENDER_TIME_LIMIT,
  });
  const running = threads.limits.threads;
  const queue = new FairQueue({
    running,
    runningPerVisitor: Math.max(1, running - 1),
    waiting: 256,
    waitingPerVisitor: 64,
    maxWait: 10_000,
  });
  const optionsOf: Readonly<Record<TextKind, readonly string[]>> = {
    comment: listOf(settings.RENDER_OPTIONS_COMMENT),
    wiki: listOf(settings.RENDER_OPTIONS_WIKI),
    document: listOf(settings.RENDER_OPTIONS_REPO_FILE),
  };
  const renderPool = new RenderPool({
    threads,
    queue,
    log,
    count: parts.count,
    rendered: cache.memory('markup.rendered'),
    highlighted: cache.memory('markup.highlighted'),
  });
  const markup = new MarkupService({
    site,
    renderPool,
    renderers: parts.renderers,
    references: new References(parts.references, (kind) => optionsOf[kind].includes('short-issue-pattern'), log),
    markdownExtensions: listOf(settings.FILE_EXTENSIONS),
    math: settings.ENABLE_MATH,
    schemes: listOf(settings.CUSTOM_URL_SCHEMES).map((scheme) => scheme.replace(/:?\/*$/, '')),
    emoji: new Emoji(),
    hardBreaksIn: (kind) => optionsOf[kind].includes('new-line-hard-break'),
  });
  return {
    markup,
    waiting: () => queue.waiting,
    /** Starts a thread before the first reader needs it; where one came sooner, a second one would only be in the way. */
    warm: async () => {
      if (!threads.isStarted) await threads.run({ kind: 'warm' });
    },
    close: async () => {
      queue.close();
      await threads.close();
    },
  };
}
export type MarkupServices = ReturnType<typeof makeMarkup>;
