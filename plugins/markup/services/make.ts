import { createRequire } from 'node:module';
import type * as Gemoji from 'gemoji';
import type { Cache, Logger, PointReader, Site } from '@mortise/plugin-sdk';
import { FairQueue, ThreadPool, defaultThreads } from '@mortise/plugin-sdk/threads';
import type { FileRendererModule, MarkupReference, TextKind } from '../contract/markup.js';
import { listOf, type MarkdownSettings, type RenderSettings } from '../settings.js';
import { Emoji, namesOf, type EmojiNames } from '../worker/emoji.js';
import { MarkupService } from './markup.js';
import { runRenderCommand, type RenderCommand } from './render-command.js';
import { References } from './references.js';
import { RenderPool, type failed, type RenderPoolDeps } from './render-pool.js';
import type { HighlightedText, RenderedText } from '../worker/tasks.js';

export interface MakeDeps {
  readonly site: Site;
  readonly cache: Cache;
  readonly log: Logger;
  readonly renderers: PointReader<FileRendererModule>;
  readonly references: PointReader<MarkupReference>;
  readonly settings: RenderSettings & MarkdownSettings;
  readonly commands: readonly RenderCommand[];
  /** Of the threads: `worker/main.js`. */
  readonly entry: URL;
  readonly count?: RenderPoolDeps['count'];
}

const require = createRequire(import.meta.url);
let knownEmoji: EmojiNames | undefined;
/** Loaded at the first use. */
const emojiNames = () => (knownEmoji ??= namesOf(require('gemoji') as typeof Gemoji));

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
  // a slow command keeps no other text waiting
  const commandQueue = new FairQueue({
    running: settings.RENDER_COMMANDS,
    runningPerVisitor: Math.max(1, settings.RENDER_COMMANDS - 1),
    waiting: 64,
    waitingPerVisitor: 16,
    maxWait: 10_000,
  });
  const pool = {
    threads,
    log,
    count: parts.count,
    rendered: cache.memory<RenderedText | typeof failed>('markup.rendered'),
    highlighted: cache.memory<HighlightedText | typeof failed>('markup.highlighted'),
  };
  const renderPool = new RenderPool({ ...pool, queue });
  const stopping = new AbortController();
  const commandLimits = {
    milliseconds: settings.RENDER_COMMAND_TIME_LIMIT,
    memory: settings.RENDER_COMMAND_MEMORY_LIMIT,
    signal: stopping.signal,
  };
  const markup = new MarkupService({
    site,
    renderPool,
    commands: parts.commands,
    commandPool: new RenderPool({ ...pool, queue: commandQueue }),
    runCommand: (command, input) => runRenderCommand(command, input, commandLimits),
    renderers: parts.renderers,
    references: new References(parts.references, (kind) => optionsOf[kind].includes('short-issue-pattern'), log),
    markdownExtensions: listOf(settings.FILE_EXTENSIONS),
    math: settings.ENABLE_MATH,
    schemes: listOf(settings.CUSTOM_URL_SCHEMES).map((scheme) => scheme.replace(/:?\/*$/, '')),
    emoji: new Emoji(emojiNames),
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
      commandQueue.close();
      stopping.abort();
      await threads.close();
    },
  };
}
export type MarkupServices = ReturnType<typeof makeMarkup>;
