import type { GitReader, GitWriter, TreeChange } from '@mortise/git/api';
import { compileGlob } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';

/** Lists the files whose words are filled in, by pattern; taken over by no repository. */
const listFiles = ['.mortise/template', '.gitea/template', '.github/template'];
const maxFileBytes = 1024 * 1024;
const maxFiles = 5000;
/** Beyond this much text the rest is taken over as it is. */
const maxBytes = 64 * 1024 * 1024;

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

/**
 * Words joined by `connector`: also where capitals begin one, and before digits that small letters follow. Other signs,
 * such as dots, stay as they are.
 */
const joined = (text: string, connector: '_' | '-') =>
  text
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})|(\p{Ll})(?=\p{Lu})|(\p{N})(?=\p{Lu})/gu, '$&_')
    .replace(/(\p{L})(\p{N}+\p{Ll}[\p{Ll}\p{N}]*)/gu, '$1_$2')
    .replace(/[-_\s]+/g, connector)
    .toLowerCase();

/** Words put together with a capital each; `begin` writes the first. */
function camel(text: string, begin: (word: string) => string): string {
  const [, leading = '', rest = ''] = /^([-_\s]*)(.*)$/s.exec(text) ?? [];
  const [first = '', ...more] = rest
    .split(/[-_\s](?=[^-_\s])/)
    .map((word) => word.replace(/^\p{Lu}+/u, (capitals) => capitals.toLowerCase()));
  return leading + begin(first) + more.map(capital).join('');
}

const titleCase = new Intl.Segmenter('en', { granularity: 'word' });

/** Forms of a word: `REPO_NAME_SNAKE` and so on. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  SNAKE: (text) => joined(text, '_'),
  KEBAB: (text) => joined(text, '-'),
  CAMEL: (text) => camel(text, (word) => word),
  PASCAL: (text) => camel(text, capital),
  LOWER: (text) => text.toLowerCase(),
  UPPER: (text) => text.toUpperCase(),
  TITLE: (text) => [...titleCase.segment(text)].map(({ segment }) => capital(segment.toLowerCase())).join(''),
};

export interface Addresses {
  readonly html: (repository: Repository) => string;
  readonly clone: (repository: Repository) => string;
  readonly ssh: (repository: Repository) => string;
}

/** `$REPO_NAME`, `${TEMPLATE_OWNER_UPPER}` and the like in a text; words that are not known stay. */
export function templateVariables(made: Repository, template: Repository, { html, clone, ssh }: Addresses) {
  const now = new Date().toISOString();
  const [year = '', month = '', day = ''] = now.slice(0, 10).split('-');
  const of = (prefix: string, repository: Repository): [string, string, boolean][] => [
    [`${prefix}_NAME`, repository.name, true],
    [`${prefix}_DESCRIPTION`, repository.description, false],
    [`${prefix}_OWNER`, repository.ownerName, true],
    [`${prefix}_LINK`, new URL(html(repository)).pathname, false],
    [`${prefix}_HTTPS_URL`, clone(repository), false],
    [`${prefix}_SSH_URL`, ssh(repository), false],
  ];
  const known = new Map<string, string>([
    ['YEAR', year],
    ['MONTH', month],
    ['DAY', day],
  ]);
  for (const [name, value, hasForms] of [...of('REPO', made), ...of('TEMPLATE', template)]) {
    known.set(name, value);
    if (hasForms) for (const [form, make] of Object.entries(forms)) known.set(`${name}_${form}`, make(value));
  }
  return (text: string, written: (value: string) => string = (value) => value): string =>
    text.replace(/\$(?:\{([A-Z_]+)\}|([A-Z_]+))/g, (whole, braced?: string, bare?: string) => {
      const value = known.get(braced ?? bare ?? '');
      return value === undefined ? whole : written(value);
    });
}

/** May a filled-in path be written? Words can bring in what is no path. */
const isPath = (path: string) =>
  path.length <= 4096 &&
  path
    .split('/')
    .every(
      (part) =>
        part !== '' && part !== '.' && part !== '..' && !/[\u0000-\u001f\\:]/.test(part) && !/^\.git$/i.test(part),
    );

/** Byte by byte, so that a file in another encoding stays as it is around the words. */
const fillBytes = (content: Buffer, fill: ReturnType<typeof templateVariables>): Buffer =>
  Buffer.from(
    fill(content.toString('latin1'), (value) => Buffer.from(value).toString('latin1')),
    'latin1',
  );

/** The changes that make the new tree of the template's; objects of both are in `into`. */
export async function fillIn(
  deps: { reader: GitReader; writer: GitWriter },
  into: number,
  commit: string,
  fill: ReturnType<typeof templateVariables>,
): Promise<string> {
  const git = deps.reader.open(into);
  const { tree } = await git.commit(commit);
  const lists = [];
  for (const path of listFiles) {
    const entry = await git.entry(commit, path);
    if (entry?.type === 'blob') lists.push({ path, text: (await git.blob(entry.oid, maxFileBytes)).toString('utf8') });
  }
  if (lists.length === 0) return tree;
  const patterns = lists
    .flatMap(({ text }) => text.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line && !line.startsWith('#') && line.length <= 500)
    .slice(0, 200)
    .flatMap((line) => compileGlob(line.replace(/^\.?\//, '')) ?? []);
  const { entries } = await git.treeRecursive(commit, { limit: maxFiles });
  const taken = new Set(entries.map((entry) => entry.path));
  const changes: TreeChange[] = lists.map(({ path }) => ({ path, remove: true }));
  let remaining = maxBytes;
  for (const entry of entries) {
    if (entry.type !== 'blob' || entry.mode === '120000' || listFiles.includes(entry.path)) continue;
    if (!patterns.some((pattern) => pattern.matches(entry.path))) continue;
    const size = entry.size ?? 0;
    remaining -= size;
    const content = size <= maxFileBytes && remaining > 0 ? await git.blob(entry.oid, maxFileBytes) : undefined;
    const isText = content && !content.includes(0);
    const path = fill(entry.path);
    const moved = path !== entry.path && isPath(path) && !taken.has(path);
    if (moved) {
      taken.add(path);
      changes.push({ path: entry.path, remove: true });
    }
    const target = moved ? path : entry.path;
    if (isText) changes.push({ path: target, content: fillBytes(content, fill), mode: entry.mode });
    else if (moved) changes.push({ path: target, oid: entry.oid, mode: entry.mode });
  }
  return deps.writer.writeTree(into, tree, changes);
}
