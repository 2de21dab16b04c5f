import { createHash } from 'node:crypto';
import {
  compileGlob,
  type Matcher,
  NotFound,
  parseSize,
  Unauthorized,
  type Actor,
  type Cache,
  type Locks,
  type Logger,
  type MemoryCache,
  type Outbound,
} from '@mortise/plugin-sdk';
import { proxyBase, type ProxySource, type ProxyDocument, type TokenProxySettings } from '../../api.js';
import type { ProxyDocumentRequest, ProxyFileRequest, ProxySources } from '../../contract/proxy-sources.js';
import type { PackageSettings } from '../../settings.js';
import { packageChallenge } from '../access.js';
import { SourceClient } from './source-client.js';
import { ByteBudget } from './byte-budget.js';
import { ProxyDocuments, longBytes, type DocumentDeps } from './proxy-documents.js';
import { ProxyFiles } from './proxy-files.js';
import type { ProxyCache } from './proxy-cache.js';
import { LongDocuments } from './long-documents.js';
import { ConcurrencyLimit } from './concurrency-limit.js';

interface ProxySourceDeps {
  readonly cache: Cache;
  readonly outbound: Outbound;
  readonly proxyCache: ProxyCache;
  readonly locks: Locks;
  readonly settings: Readonly<PackageSettings>;
  /** For files on their way. */
  readonly folder: string;
  /** Formats that have an upstream: they are added. */
  readonly formats: Set<string>;
  readonly log: Logger;
}

interface Page {
  readonly text: Buffer;
  readonly tag: string;
}

const maxDocuments = 16;
const maxFiles = 32;
const documentWaitMs = 120_000;
const maxDocumentMs = 30_000;

/** Upstream registries of formats: what all of them share. */
export class ProxySourceService implements ProxySources {
  private readonly documents: ProxyDocuments;
  private readonly files: ProxyFiles;
  private readonly tokens: MemoryCache<string>;
  private readonly pages: MemoryCache<Page>;
  private readonly longPages = new LongDocuments();

  constructor(private readonly deps: ProxySourceDeps) {
    const { cache, proxyCache, locks, settings, folder, log } = deps;
    const freshMs = settings.UPSTREAM_FRESH_SECONDS * 1000;
    this.documents = new ProxyDocuments({
      cache: proxyCache,
      memory: cache.memory('packages.upstreamDocuments') as DocumentDeps['memory'],
      missing: cache.memory<true>('packages.upstreamMissing', { ttl: Math.max(1, freshMs) }),
      limit: new ConcurrencyLimit(maxDocuments, documentWaitMs),
      limits: { freshMs, staleMs: settings.UPSTREAM_STALE_HOURS * 3_600_000 },
      timeoutMs: Math.min(maxDocumentMs, settings.UPSTREAM_TIMEOUT_SECONDS * 1000),
      log,
    });
    this.files = new ProxyFiles({
      cache: proxyCache,
      locks,
      limit: new ConcurrencyLimit(maxFiles, settings.UPSTREAM_TIMEOUT_SECONDS * 1000),
      budget: new ByteBudget(parseSize(settings.UPSTREAM_TRANSFER_SIZE)),
      folder,
      maxBytes: parseSize(settings.UPSTREAM_FILE_SIZE),
      timeoutMs: settings.UPSTREAM_TIMEOUT_SECONDS * 1000,
      log,
    });
    this.tokens = cache.memory<string>('packages.upstreamTokens');
    this.pages = cache.memory<Page>('packages.upstreamPages');
  }

  open(format: string, settings: Readonly<TokenProxySettings>): ProxySource | undefined {
    if (!settings.UPSTREAM) return undefined;
    this.deps.formats.add(format);
    const { outbound, log } = this.deps;
    const client = new SourceClient(outbound, settings, this.tokens, log);
    let ownNames: readonly Matcher[] | undefined;
    return {
      address: client.root,
      needsSignIn: !this.deps.settings.UPSTREAM_ANONYMOUS,
      // compiled with the first name, not at the start
      admit: (actor, name) =>
        this.admit(actor, name.toLowerCase(), (ownNames ??= patternsIn(settings.UPSTREAM_OWN_NAMES))),
      document: (wanted: ProxyDocumentRequest) => this.documents.get(client, format, wanted),
      page: (document, baseUrl) => this.page(document, baseUrl),
      content: (document, baseUrl) => this.content(document, baseUrl),
      file: (request, wanted: ProxyFileRequest) => this.files.answer(client, format, request, wanted),
    };
  }

  private admit(actor: Actor, name: string, ownNames: readonly Matcher[]): void {
    const isSignedIn = actor.kind === 'user' || actor.kind === 'task';
    if (!isSignedIn && !this.deps.settings.UPSTREAM_ANONYMOUS)
      throw Unauthorized('Sign in for packages of other registries.', packageChallenge);
    if (ownNames.some((pattern) => pattern.matches(name))) throw NotFound('package');
  }

  /** What killed processes left behind. */
  sweep(): Promise<void> {
    return this.files.sweep();
  }

  private content(document: ProxyDocument, baseUrl: string): ReturnType<ProxySource['content']> {
    if (document.body.length > longBytes)
      return { content: this.longPages.open(document.body, baseUrl), tag: tagOf(document, baseUrl) };
    const { text, tag } = this.page(document, baseUrl);
    return { content: text, tag };
  }

  private page(document: ProxyDocument, baseUrl: string): Page {
    const own = tagOf(document, baseUrl);
    const known = this.pages.get(own);
    if (known) return known;
    const page = {
      text: Buffer.from(document.body.toString('utf8').replaceAll(proxyBase, () => baseUrl)),
      tag: own,
    };
    this.pages.set(own, page, { size: page.text.length + 256 });
    return page;
  }
}

const tagOf = ({ tag }: ProxyDocument, baseUrl: string): string =>
  createHash('sha256').update(`${tag} ${baseUrl}`).digest('hex').slice(0, 40);

/** What is no pattern stands for itself. */
const patternsIn = (list: string): readonly Matcher[] =>
  list
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .map((name) => compileGlob(name) ?? { matches: (text) => text === name });
