import type { FileAttributes, PathEntry } from '../api.js';
import { AttributeFiles } from './language-attributes.js';

/** Files that tools write, by name: what they are made from is what people read. */
export const generatedName =
  /\.pb\.go$|_pb2\.py$|\.min\.(?:js|css)$|(^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|packages\.lock\.json|gradle\.lockfile|bun\.lockb?|(?:yarn|[Cc]argo|composer|deno|flake|Gemfile|mix|Pipfile|Podfile|poetry|pubspec|uv)\.lock)$/;

/** Larger `.gitattributes`, and more of them, are passed over, those in outer folders last. */
const maxAttributeBytes = 100_000;
const maxAttributeFiles = 20;
/** That are looked into for one. */
const maxFolders = 1000;

interface Tree {
  readonly entry: (path: string) => Promise<PathEntry | undefined>;
  readonly size: (oid: string) => Promise<number>;
  readonly blob: (oid: string) => Promise<Buffer>;
}

/** What `.gitattributes` in the folders of these files, and their names, say of them. */
export async function attributesOf(tree: Tree, paths: readonly string[]): Promise<Map<string, FileAttributes>> {
  const folders = new Set(paths.flatMap((path) => foldersOf(path)));
  const attributes = new AttributeFiles();
  const outerFirst = [...folders].sort((a, b) => a.length - b.length).slice(0, maxFolders);
  const entries = await Promise.all(outerFirst.map((folder) => tree.entry(`${folder}.gitattributes`)));
  const files = entries.filter((entry) => entry?.type === 'blob' && entry.mode !== '120000') as PathEntry[];
  const read = files.slice(0, maxAttributeFiles);
  const texts = await Promise.all(read.map(({ oid }) => textOf(tree, oid)));
  texts.forEach((text, index) => text && attributes.add(read[index]!.path, text));
  return new Map(
    paths.map((path) => {
      const { generated = generatedName.test(path), vendored = false } = attributes.of(path);
      return [path, { generated, vendored }];
    }),
  );
}

/** `''`, `a/` and `a/b/` of `a/b/c`. */
function foldersOf(path: string): string[] {
  const folders = [''];
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.push(path.slice(0, at + 1));
  return folders;
}

const textOf = async (tree: Tree, oid: string): Promise<string | undefined> =>
  (await tree.size(oid)) > maxAttributeBytes ? undefined : (await tree.blob(oid)).toString('utf8');
