import type { ParserOptions } from 'htmlparser2';
import type { Attributes, IOptions } from 'sanitize-html';
import { htmlParser, sanitizer } from './libraries.js';

/** Elements inside each other; deeper ones are left out, their text stays. The parser's time grows with this. */
const maxDepth = 200;

const tags =
  'a abbr b blockquote br caption center code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr ' +
  'i img input ins kbd li mark ol p picture pre q s samp section small source span strike strong sub summary sup table ' +
  'tbody td tfoot th thead tr tt ul var video';

const defaultSchemes = ['http', 'https', 'mailto', 'ssh', 'git', 'ftp', 'tel', 'irc', 'xmpp'];

/** What user content may hold; everything else is dropped, scripts with their content. */
export class Sanitizer {
  readonly #options: IOptions;
  readonly #schemes: readonly string[];

  constructor(schemes: readonly string[] = []) {
    this.#schemes = [...defaultSchemes, ...schemes.map((scheme) => scheme.toLowerCase())];
    this.#options = this.#make();
  }

  clean(html: string): string {
    // NUL stands for slots that are filled in later: nobody else writes it.
    return sanitizer()(html.replaceAll('\0', ''), this.#options);
  }

  /** Browsers skip control characters and blanks inside a scheme, so they are skipped here too. */
  #isSafe(address: string): boolean {
    const scheme = /^([^/?#:]*):/.exec(address.replace(/[\u0000-\u0020]+/g, ''))?.[1];
    return scheme === undefined || this.#schemes.includes(scheme.toLowerCase());
  }

  #make(): IOptions {
    return {
      allowedTags: tags.split(' '),
      allowedAttributes: {
        '*': ['id', 'align', 'title', 'dir', 'lang', 'class'],
        a: ['href', 'name', 'rel'],
        img: ['src', 'alt', 'width', 'height', 'loading'],
        source: ['srcset', 'media', 'type'],
        video: ['src', 'controls', 'muted', 'poster', 'width', 'height'],
        input: ['type', 'checked', 'disabled'],
        ol: ['start'],
        details: ['open'],
        td: ['colspan', 'rowspan', 'align', 'style'],
        th: ['colspan', 'rowspan', 'align', 'style'],
      },
      allowedClasses: {
        span: ['hljs-*', 'title_', 'function_', 'class_', 'inherited__', 'invoke__', 'constant_', 'language_'],
        // Of every other element none.
        '*': [],
        code: ['language-*', 'math-display'],
        ul: ['contains-task-list'],
        ol: ['contains-task-list', 'footnotes-list'],
        li: ['task-list-item', 'footnote-item'],
        a: ['footnote-backref'],
        sup: ['footnote-ref'],
        hr: ['footnotes-sep'],
        section: ['footnotes'],
        div: ['markdown-alert', 'markdown-alert-*'],
        p: ['markdown-alert-title'],
      },
      allowedStyles: { '*': { 'text-align': [/^(left|right|center)$/] } },
      allowedSchemes: [...this.#schemes],
      allowedSchemesByTag: { img: ['http', 'https', 'data'] },
      disallowedTagsMode: 'discard',
      exclusiveFilter: (frame) => frame.tag === 'input' && frame.attribs.type !== 'checkbox',
      // The types of the sanitizer name an older parser.
      parser: { Tokenizer: boundedTokenizer() } as unknown as IOptions['parser'],
      transformTags: {
        '*': (tagName: string, attribs: Attributes) => {
          if (attribs.id && !attribs.id.startsWith('user-content-'))
            attribs = { ...attribs, id: `user-content-${attribs.id}` };
          if (attribs.name && !attribs.name.startsWith('user-content-'))
            attribs = { ...attribs, name: `user-content-${attribs.name}` };
          return { tagName, attribs };
        },
        a: (tagName: string, attribs: Attributes) => {
          const href = attribs.href?.trim();
          // A link that may lead nowhere is left as its text. The new tag must be an allowed one: the sanitizer would
          // close some later element by the name of one that it drops.
          if (href !== undefined && !this.#isSafe(href)) return { tagName: 'span', attribs: {} };
          return { tagName, attribs: { ...attribs, ...(href !== undefined && { href, rel: 'nofollow' }) } };
        },
        img: (tagName: string, { src, ...attribs }: Attributes) => ({
          tagName,
          attribs: {
            ...attribs,
            loading: 'lazy',
            ...(src !== undefined && !/^\s*data:(?!image\/)/i.test(src) && { src }),
          },
        }),
        input: (tagName: string, attribs: Attributes) => ({
          tagName,
          attribs: { type: attribs.type ?? '', disabled: '', ...(attribs.checked !== undefined && { checked: '' }) },
        }),
      },
    };
  }
}

type TokenizerClass = NonNullable<ParserOptions['Tokenizer']>;
type Callbacks = ConstructorParameters<TokenizerClass>[1];
/** Of the parser: names of the elements that are open. */
type Parser = Callbacks & { readonly stack: readonly string[] };

let bounded: TokenizerClass | undefined;

/** A tokenizer that tells the parser nothing of tags that open deeper than {@link maxDepth}. */
function boundedTokenizer(): TokenizerClass {
  if (bounded) return bounded;
  const { Tokenizer } = htmlParser();
  bounded = class BoundedTokenizer extends Tokenizer {
    constructor(options: ConstructorParameters<TokenizerClass>[0], callbacks: Callbacks) {
      const parser = callbacks as Parser;
      /** Inside a tag that is left out. */
      let skips = false;
      const unlessSkipped =
        <A extends readonly unknown[]>(call: (...values: A) => void) =>
        (...values: A) => {
          if (!skips) call.apply(parser, values as never);
        };
      const ending = (call: (position: number) => void) => (position: number) => {
        if (!skips) call.call(parser, position);
        skips = false;
      };
      const wrapped: Callbacks = {
        oncdata: (...values) => parser.oncdata(...values),
        onclosetag: (...values) => parser.onclosetag(...values),
        oncomment: (...values) => parser.oncomment(...values),
        ondeclaration: (...values) => parser.ondeclaration(...values),
        onend: () => parser.onend(),
        onprocessinginstruction: (...values) => parser.onprocessinginstruction(...values),
        ontext: (...values) => parser.ontext(...values),
        ontextentity: (...values) => parser.ontextentity(...values),
        onattribdata: unlessSkipped(parser.onattribdata),
        onattribentity: unlessSkipped(parser.onattribentity),
        onattribend: unlessSkipped(parser.onattribend),
        onattribname: unlessSkipped(parser.onattribname),
        onopentagend: ending(parser.onopentagend),
        onselfclosingtag: ending(parser.onselfclosingtag),
        onopentagname(start, end) {
          skips = parser.stack.length >= maxDepth;
          if (!skips) parser.onopentagname(start, end);
        },
      };
      super(options, wrapped);
    }
  };
  return bounded;
}
