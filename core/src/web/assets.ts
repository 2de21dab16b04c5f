import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HttpParts } from '../contracts.js';
import { stylesheetSource } from './stylesheet.js';

export interface Asset {
  readonly hash: string;
  readonly name: string;
  readonly body: Buffer;
  readonly contentType: string;
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const digest = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 20);

/**
 * Style sheet, the script of every page, and islands, bundled by esbuild when first used and kept on disk between starts in production. Addresses
 * contain the hash of the content, so browsers keep them for good.
 */
export class Assets {
  private readonly made = new Map<string, Promise<Asset>>();
  private readonly served = new Map<string, Asset>();

  constructor(
    private readonly islands: HttpParts['islands'],
    private readonly cacheFolder: string,
    private readonly keep: boolean,
    private readonly version: string,
  ) {}

  stylesheet(): Promise<Asset> {
    return this.once('stylesheet', 'mortise.css', async () => {
      const source = await stylesheetSource();
      return {
        key: source,
        build: () =>
          withBundler(
            async ({ transform }) =>
              (await transform(source, { loader: 'css', minify: true, target: 'es2022', logLevel: 'silent' })).code,
          ),
      };
    });
  }

  /** What every page does in the browser. */
  script(): Promise<Asset> {
    return this.once('script', 'mortise.js', async () => {
      const source = await readFile(new URL('./menus.js', import.meta.url), 'utf8');
      return {
        key: source,
        build: () =>
          withBundler(
            async ({ transform }) =>
              (await transform(source, { loader: 'js', minify: true, target: 'es2022', logLevel: 'silent' })).code,
          ),
      };
    });
  }

  /** The bundle of a registered island; undefined for a name that nobody registered. */
  island(name: string): Promise<Asset> | undefined {
    const island = this.islands.find((one) => one.name === name);
    if (!island) return undefined;
    const path = fileURLToPath(island.source);
    const isStyle = path.endsWith('.css');
    return this.once(`island ${name}`, `${name.replace(/[^\w-]/g, '-')}.${isStyle ? 'css' : 'js'}`, async () => ({
      key: path + (await readFile(path, 'utf8')),
      build: () => bundle(path),
    }));
  }

  find(hash: string, name: string): Asset | undefined {
    return this.served.get(`${hash}/${name}`);
  }

  /**
   * Makes an asset that another process named in a page; its hash may differ only when the files differ.
   */
  async findOrMake(hash: string, name: string): Promise<Asset | undefined> {
    const found = this.find(hash, name);
    if (found) return found;
    if (name === 'mortise.css') await this.stylesheet();
    else if (name === 'mortise.js') await this.script();
    else
      await this.island(
        this.islands.find(
          (one) =>
            `${one.name.replace(/[^\w-]/g, '-')}.${one.source.pathname.endsWith('.css') ? 'css' : 'js'}` === name,
        )?.name ?? '',
      );
    return this.find(hash, name);
  }

  private once(
    id: string,
    name: string,
    prepare: () => Promise<{ key: string; build: () => Promise<string> }>,
  ): Promise<Asset> {
    let asset = this.made.get(id);
    if (!asset) {
      asset = this.make(name, prepare).catch((error: unknown) => {
        this.made.delete(id);
        throw error;
      });
      this.made.set(id, asset);
    }
    return asset;
  }

  private async make(
    name: string,
    prepare: () => Promise<{ key: string; build: () => Promise<string> }>,
  ): Promise<Asset> {
    const { key, build } = await prepare();
    const body = Buffer.from(
      this.keep ? await this.cached(`${digest(this.version + key)}-${name}`, build) : await build(),
    );
    const asset = { hash: digest(body), name, body, contentType: types[name.split('.').pop()!]! };
    this.served.set(`${asset.hash}/${name}`, asset);
    return asset;
  }

  private async cached(file: string, build: () => Promise<string>): Promise<string> {
    const path = join(this.cacheFolder, basename(file));
    try {
      return await readFile(path, 'utf8');
    } catch {
      const content = await build();
      await mkdir(this.cacheFolder, { recursive: true });
      // workers build at the same time: each writes its own file and moves it into place
      const temporary = `${path}.${process.pid}`;
      await writeFile(temporary, content);
      await rename(temporary, path);
      return content;
    }
  }
}

/** Of the whole process, like esbuild's service itself: two hosts must not end each other's. */
let bundling = 0;

/** esbuild keeps a process of its own; it goes when nothing is left to bundle. */
async function withBundler<T>(work: (bundler: typeof import('esbuild')) => Promise<T>): Promise<T> {
  bundling++;
  const bundler = await import('esbuild');
  try {
    return await work(bundler);
  } finally {
    if (--bundling === 0) await bundler.stop();
  }
}

const bundle = (path: string): Promise<string> =>
  withBundler(async ({ build }) => {
    const { outputFiles } = await build({
      entryPoints: [path],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      legalComments: 'none',
      logLevel: 'silent',
      outdir: 'out',
    });
    return outputFiles.find((file) => /\.(js|css)$/.test(file.path))?.text ?? '';
  });
