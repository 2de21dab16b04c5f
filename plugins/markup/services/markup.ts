import { createHash } from 'node:crypto';
import { anonymous, Invalid, networkOf, type PointReader, type Site } from '@mortise/plugin-sdk';
import type { SafeHtml } from '../api.js';
import type {
  CodePiece,
  FileRendererModule,
  HighlightedCode,
  Markup,
  MarkupContext,
  MarkupRequest,
  ReferenceContext,
  TextKind,
  Viewer,
} from '../contract/markup.js';
import { escapeHtml } from '../contract/escape.js';
import type { Emoji } from '../worker/emoji.js';
import type { RenderedText, RenderOptions, RenderTask } from '../worker/tasks.js';
import { assemble } from './assemble.js';
import { Busy } from '@mortise/plugin-sdk/threads';
import type { CommandInput, RenderCommand } from './render-command.js';
import type { ActiveKind, LinkOf, References } from './references.js';
import { unavailable, type RenderPool } from './render-pool.js';

const modes = ['comment', 'gfm', 'markdown', 'wiki', 'file', ''];

/** Characters; larger texts are shown as they were written, without asking a thread. */
const maxRendered = 1 << 20;
/** Texts that one visitor has in the queue at once; what would be too many there stays plain. */
const maxAtOnce = 20;
/** Characters of one piece of code; beyond it is plain. */
const maxHighlighted = 512 << 10;
/** Characters of all pieces of one turn. */
const maxHighlightedAtOnce = 2 << 20;

interface MarkupDeps {
  readonly site: Site;
  readonly renderers: PointReader<FileRendererModule>;
  readonly references: References;
  readonly renderPool: RenderPool;
  readonly commands: readonly RenderCommand[];
  /** Has a queue of its own. */
  readonly commandPool: RenderPool;
  readonly runCommand: (command: RenderCommand, input: CommandInput) => Promise<string>;
  /** Lower case, with the dot. */
  readonly markdownExtensions: readonly string[];
  readonly hardBreaksIn: (kind: TextKind) => boolean;
  readonly math: boolean;
  readonly schemes: readonly string[];
  readonly emoji: Emoji;
}

/** A format of the threads, or a command that makes HTML for them. */
type Format = RenderTask['format'] | { readonly command: RenderCommand };

/** What texts of one place are rendered with. */
interface Setup {
  readonly format: Format;
  readonly fileName: string;
  readonly context: MarkupContext;
  readonly referenceContext: ReferenceContext;
  readonly active: readonly ActiveKind[];
  readonly options: RenderOptions;
  /** Of what is kept, before the hash of the text. */
  readonly key: string;
  /** Whose turn it is. */
  readonly visitor: string;
}

/** One of many texts of a page. */
interface ScopedText {
  readonly text: string;
  /** Hash of the text. */
  readonly digest: string;
  readonly idScope: string | undefined;
}

/** Renders and highlights; results are kept under the hash of what went in. */
export class MarkupService implements Markup {
  constructor(private readonly deps: MarkupDeps) {}

  async render(text: string, context: MarkupContext = {}): Promise<SafeHtml> {
    return this.#orPlain(text, this.#render({ name: 'markdown' }, '', text, context));
  }

  async renderAll(texts: readonly string[], context: MarkupContext = {}, unscoped = 0): Promise<SafeHtml[]> {
    const setup = await this.#setUp({ name: 'markdown' }, '', context);
    const scopeOf = idScopes();
    const scoped = texts.map((text, at): ScopedText => {
      const digest = hash(text);
      return { text, digest, idScope: at < unscoped ? context.idScope : scopeOf(digest) };
    });
    const html: SafeHtml[] = [];
    for (let at = 0; at < texts.length; at += maxAtOnce)
      html.push(...(await this.#renderTogether(setup, scoped.slice(at, at + maxAtOnce))));
    return html;
  }

  async renderFile(fileName: string, text: string, context: MarkupContext = {}): Promise<SafeHtml | undefined> {
    const format = this.#formatOf(fileName);
    return format && this.#orPlain(text, this.#render(format, fileName, text, context));
  }

  renderMessage(text: string, context: MarkupContext = {}): Promise<SafeHtml> {
    const kind = context.kind ?? 'comment';
    return this.#orPlain(text, this.#render({ name: 'message' }, '', text, { ...context, kind }), escapeHtml);
  }

  findEmoji(text: string, limit: number): { name: string; emoji: string }[] {
    return this.deps.emoji.find(text.toLowerCase(), limit);
  }

  emojify(text: string): string {
    return this.deps.emoji.replace(text);
  }

  canRender(fileName: string): boolean {
    return this.#formatOf(fileName) !== undefined;
  }

  async highlight(fileName: string, text: string, viewer?: Viewer): Promise<HighlightedCode> {
    return (await this.highlightAll([{ fileName, text }], viewer))[0]!;
  }

  async highlightAll(pieces: readonly CodePiece[], viewer?: Viewer): Promise<readonly HighlightedCode[]> {
    let size = 0;
    const wanted = pieces.flatMap((piece, index) => {
      if (piece.text.length > maxHighlighted || (size += piece.text.length) > maxHighlightedAtOnce) return [];
      const fileName = baseName(piece.fileName);
      return [{ fileName, text: piece.text, key: `${fileName.toLowerCase()} ${hash(piece.text)}`, index }];
    });
    const results: HighlightedCode[] = [];
    if (wanted.length > 0) {
      const highlighted = await this.deps.renderPool.highlight(wanted, visitorOf(viewer)).catch((error: unknown) => {
        if (error instanceof Busy) return [];
        throw error;
      });
      wanted.forEach(({ index }, at) => {
        const made = highlighted[at];
        if (made) results[index] = { lines: made.html.split('\n'), language: made.language };
      });
    }
    return pieces.map(({ text }, index) => results[index] ?? { lines: escapedLines(text) });
  }

  async renderRequest(request: MarkupRequest): Promise<SafeHtml> {
    const { text, mode = '', filePath = '' } = request;
    if (!modes.includes(mode)) throw Invalid(`Unknown mode: ${mode}.`);
    const format = mode === 'file' ? this.#formatOf(filePath) : { name: 'markdown' };
    if (!format)
      throw Invalid(
        filePath ? `Files such as ${filePath} cannot be rendered.` : 'A file path is required in this mode.',
      );
    try {
      const html = await this.#render(format, mode === 'file' ? filePath : '', text, this.#contextOf(request));
      return html ?? plainHtml(text);
    } catch (error) {
      throw error instanceof Busy ? unavailable() : error;
    }
  }

  async sanitize(html: string): Promise<SafeHtml> {
    if (html.length > maxRendered) return plainHtml(html);
    try {
      return (await this.deps.renderPool.run({ kind: 'sanitize', html }, visitorOf(undefined))) as SafeHtml;
    } catch {
      return plainHtml(html);
    }
  }

  /** Undefined: not within the limits. */
  async #render(format: Format, fileName: string, text: string, context: MarkupContext): Promise<SafeHtml | undefined> {
    if (text.length > maxRendered) return undefined;
    const setup = await this.#setUp(format, fileName, context);
    const rendered = await this.#rendered(setup, text, hash(text));
    if (!rendered) return undefined;
    const link = await this.deps.references.resolve(rendered.references, setup.active, setup.referenceContext);
    return this.#assemble(setup, rendered, link, context.idScope);
  }

  /** Their references are looked up at once; what is too much, or comes while too many wait, stays plain. */
  async #renderTogether(setup: Setup, texts: readonly ScopedText[]): Promise<SafeHtml[]> {
    const rendered = await Promise.all(
      texts.map(({ text, digest }) =>
        this.#rendered(setup, text, digest).catch((error: unknown) => {
          if (error instanceof Busy) return undefined;
          throw error;
        }),
      ),
    );
    const links = await this.deps.references.resolveAll(
      rendered.map((one) => one?.references ?? []),
      setup.active,
      setup.referenceContext,
    );
    return texts.map(({ text, idScope }, at) => {
      const one = rendered[at];
      return one ? this.#assemble(setup, one, links[at]!, idScope) : plainHtml(text);
    });
  }

  async #setUp(format: Format, fileName: string, context: MarkupContext): Promise<Setup> {
    const { site, references } = this.deps;
    const kind = context.kind ?? 'document';
    const referenceContext = { kind, actor: context.viewer?.actor ?? anonymous, repository: context.repository };
    const active = await references.in(referenceContext);
    const options: RenderOptions = {
      hardBreaks: this.deps.hardBreaksIn(kind),
      lean: false,
      math: this.deps.math,
      schemes: this.deps.schemes,
      frontMatter: fileName !== '',
      forPage: !context.absolute,
      rootUrl: site.rootUrl,
      patterns: 'command' in format && !format.command.findsReferences ? [] : active.map(({ pattern }) => pattern),
    };
    const key = `${formatKey(format, fileName, context)} ${hash(JSON.stringify(options))}`;
    return { format, fileName, context, referenceContext, active, options, key, visitor: visitorOf(context.viewer) };
  }

  /** Undefined: not within the limits. `digest` is the hash of the text. */
  async #rendered(setup: Setup, text: string, digest: string): Promise<RenderedText | undefined> {
    if (text.length > maxRendered) return undefined;
    const { format, fileName, options, key, visitor } = setup;
    const task = { kind: 'render', fileName: baseName(fileName), text, options } as const;
    if ('command' in format) {
      const input = { ...commandPlace(fileName, setup.context), text };
      const run = () => this.deps.runCommand(format.command, input);
      return this.deps.commandPool.render(`${key} ${digest}`, { ...task, format: { name: 'html' } }, visitor, run);
    }
    return this.deps.renderPool.render(`${key} ${digest}`, { ...task, format }, visitor);
  }

  #assemble({ context }: Setup, rendered: RenderedText, link: LinkOf, idScope: string | undefined): SafeHtml {
    const { site } = this.deps;
    return assemble(rendered, {
      rootUrl: site.rootUrl,
      repository: context.repository,
      linkBase: context.linkBase,
      imageBase: context.imageBase,
      basePath: context.absolute ? site.rootUrl : site.basePath,
      ...(context.page !== undefined && { page: context.page }),
      ...(idScope !== undefined && { idScope }),
      link,
      address: (href) => (/^[a-z]+:/i.test(href) ? href : context.absolute ? site.url(href) : site.path(href)),
    }) as SafeHtml;
  }

  async #orPlain(
    text: string,
    rendering: Promise<SafeHtml | undefined>,
    plain: (text: string) => string = plainHtml,
  ): Promise<SafeHtml> {
    try {
      return (await rendering) ?? (plain(text) as SafeHtml);
    } catch (error) {
      if (error instanceof Busy) return plain(text) as SafeHtml;
      throw error;
    }
  }

  #formatOf(fileName: string): Format | undefined {
    const extension = extensionOf(fileName);
    if (!extension) return undefined;
    if (this.deps.markdownExtensions.includes(extension)) return { name: 'markdown' };
    const format = formats.get(extension);
    if (format) return { name: format };
    const command = this.deps.commands.find((one) => one.extensions.includes(extension));
    if (command) return { command };
    const renderer = this.deps.renderers.list().find((one) => one.extensions.includes(extension));
    return renderer && { module: renderer.module.href };
  }

  /** Links of answers are whole addresses, for they are shown elsewhere. */
  #contextOf({ mode, context = '', wiki, viewer }: MarkupRequest): MarkupContext {
    const { site } = this.deps;
    const kind = wiki || mode === 'wiki' ? 'wiki' : mode === 'comment' ? 'comment' : 'document';
    const path = (context.startsWith(`${site.rootUrl}/`) ? context.slice(site.rootUrl.length) : context).replace(
      /^\/+|\/+$/g,
      '',
    );
    const [owner, name, ...rest] = path.split('/');
    if (!owner || !name || /[^\w.-]/.test(owner + name)) return { kind, viewer, absolute: true };
    const repositoryPath = `/${owner}/${name}`;
    const inside = kind === 'wiki' ? `${repositoryPath}/wiki` : rest.length ? `/${path}` : repositoryPath;
    return {
      kind,
      viewer,
      absolute: true,
      repository: `${owner}/${name}`,
      linkBase: site.url(inside),
      imageBase: site.url(inside.replace(/^(\/[^/]+\/[^/]+)\/src\//, '$1/media/')),
    };
  }
}

/** Endings of what is rendered without the help of other plugins, beside those of Markdown. */
const formats = new Map(
  Object.entries({
    '.csv': 'csv',
    '.tsv': 'tsv',
    '.rst': 'rst',
    '.rest': 'rst',
    '.org': 'org',
    '.adoc': 'asciidoc',
    '.asciidoc': 'asciidoc',
  }),
);

/** A name of its own for each text of a page: the same whenever the page shows the same. */
function idScopes(): (digest: string) => string {
  const seen = new Map<string, number>();
  return (digest) => {
    const name = digest.slice(0, 8);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name}-${count}` : name;
  };
}

const hash = (text: string) => createHash('sha1').update(text).digest('hex');
const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const extensionOf = (fileName: string) => {
  const name = baseName(fileName);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot).toLowerCase();
};

/** What a command is told of the place of a file. */
const commandPlace = (
  fileName: string,
  { linkBase = '', imageBase = '' }: MarkupContext,
): Omit<CommandInput, 'text'> => ({
  extension: extensionOf(fileName),
  sourcePrefix: linkBase,
  rawPrefix: imageBase,
});

/** What else than the text and the options makes the result. */
function formatKey(format: Format, fileName: string, context: MarkupContext): string {
  if ('module' in format) return format.module;
  if ('name' in format) return format.name;
  return `command ${format.command.name} ${hash(JSON.stringify(commandPlace(fileName, context)))}`;
}

/** As the threads would leave it: a last line feed ends the last line. */
const escapedLines = (text: string) => escapeHtml(text.replace(/\r\n/g, '\n').replace(/\n$/, '')).split('\n');
const plainHtml = (text: string) => `<pre class="markup-plain">${escapeHtml(text)}</pre>` as SafeHtml;

/** Whose turn it is: an account, or the network of a visitor; an IPv6 network is a /64. */
function visitorOf(viewer: Viewer | undefined): string {
  if (!viewer) return 'site';
  const { actor, remoteAddress = '' } = viewer;
  if (actor.kind === 'user') return `user ${actor.id}`;
  return networkOf(remoteAddress) || 'site';
}
