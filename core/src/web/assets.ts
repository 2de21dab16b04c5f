import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HttpDeps } from '../contracts.js';
import { logoFile } from './logo.js';
import { ownStyles, stylesheetSource } from './stylesheet.js';

const pageScript = fileURLToPath(new URL('./page-script.js', import.meta.url));

export interface Asset {
  readonly hash: string;
  readonly name: string;
  /** Beside it lie its compressed variants, `.br` and `.gz`. */
  readonly file: string;
  readonly contentType: string;
  /** Where its file could not be written, such as on a full disk. */
  readonly body?: Buffer;
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const digest = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex').slice(0, 20);

/**
 * Style sheet, the script of every page, and islands, bundled by esbuild when first used and kept on disk, in production
 * between starts too. Addresses contain the hash of the content, so browsers keep them for good.
 */
export class Assets {
  private readonly assets = new Map<string, Promise<Asset>>();
  private readonly served = new Map<string, Asset>();

  constructor(
    private readonly islands: HttpDeps['islands'],
    /** Files below it are served. */
    readonly cacheFolder: string,
    private readonly cachesOnDisk: boolean,
    private readonly version: string,
  ) {}

  stylesheet(): Promise<Asset> {
    return this.once('stylesheet', 'mortise.css', () => this.cachedBundle(ownStyles, 'mortise.css', makeStylesheet));
  }

  /** What every page does in the browser. */
  script(): Promise<Asset> {
    return this.once('script', 'mortise.js', () =>
      this.cachedBundle(pageScript, 'mortise.js', () => bundle(pageScript)),
    );
  }

  logo(): Promise<Asset> {
    return this.once('logo', 'logo.svg', () => Promise.resolve(logoFile));
  }

  /** The bundle of a registered island; undefined for an unknown name. */
  island(name: string): Promise<Asset> | undefined {
    const island = this.islands.find((one) => one.name === name);
    if (!island) return undefined;
    const path = fileURLToPath(island.source);
    const file = fileNameOf(island);
    return this.once(`island ${name}`, file, () => this.cachedBundle(path, file, () => bundle(path)));
  }

  find(hash: string, name: string): Asset | undefined {
    return this.served.get(`${hash}/${name}`);
  }

  /**
   * Builds an asset that a page of another process names; its hash may differ only when the files differ.
   */
  async findOrMake(hash: string, name: string): Promise<Asset | undefined> {
    const asset = this.find(hash, name);
    if (asset && (asset.body || (await exists(asset)))) return asset;
    // the folder was emptied; the first request that notices has everything built again
    if (asset && this.served.get(`${hash}/${name}`) === asset) {
      this.served.clear();
      this.assets.clear();
    }
    if (name === 'mortise.css') await this.stylesheet();
    else if (name === 'logo.svg') await this.logo();
    else if (name === 'mortise.js') await this.script();
    else await this.island(this.islands.find((one) => fileNameOf(one) === name)?.name ?? '');
    return this.find(hash, name);
  }

  private once(id: string, name: string, make: () => Promise<string | Buffer>): Promise<Asset> {
    let asset = this.assets.get(id);
    if (!asset) {
      asset = this.make(name, make).catch((error: unknown) => {
        this.assets.delete(id);
        throw error;
      });
      this.assets.set(id, asset);
    }
    return asset;
  }

  private async make(name: string, make: () => Promise<string | Buffer>): Promise<Asset> {
    const body = Buffer.from((await make()) as string);
    const hash = digest(body);
    const file = join(this.cacheFolder, hash, name);
    let asset: Asset = { hash, name, file, contentType: types[name.split('.').pop()!]! };
    if (!(await exists(asset))) {
      try {
        if (this.cachesOnDisk) await this.compress(file, body);
        await writeFileAtomically(file, body);
      } catch {
        // what cannot be written is served from memory
        asset = { ...asset, body };
      }
    }
    this.served.set(`${asset.hash}/${name}`, asset);
    return asset;
  }

  /** The bundle from the last build, as long as `source` and every file that went into it are unchanged. */
  private async cachedBundle(source: string, name: string, make: () => Promise<Bundle>): Promise<string> {
    if (!this.cachesOnDisk) return (await bundleFromMemory(source, make)).text;
    const file = `${digest(this.version + source)}-${name}`;
    const list = join(this.cacheFolder, `${file}.inputs.json`);
    try {
      const cached = JSON.parse(await readFile(list, 'utf8')) as CachedBundle;
      if (await isUpToDate(cached)) return cached.text;
    } catch {
      // not built yet, or no longer readable
    }
    const made = await bundleFromMemory(source, make);
    // what cannot be written is built again at the next start
    await writeFileAtomically(list, JSON.stringify(made)).catch(() => undefined);
    return made.text;
  }

  /** Compressed once, and not by each request. */
  private async compress(file: string, body: Buffer): Promise<void> {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(body, { params }),
      promisify(gzip)(body, { level: 9 }),
    ]);
    await writeFileAtomically(`${file}.br`, br);
    await writeFileAtomically(`${file}.gz`, gz);
  }
}

const fileNameOf = ({ name, source }: HttpDeps['islands'][number]): string =>
  `${name.replace(/[^\w-]/g, '-')}.${source.pathname.endsWith('.css') ? 'css' : 'js'}`;

const exists = ({ file }: Pick<Asset, 'file'>): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** Workers build at the same time: each writes its own file and moves it into place. */
async function writeFileAtomically(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, content);
  await rename(temporary, path);
}

interface CachedBundle {
  readonly inputs: readonly (readonly [path: string, state: string])[];
  readonly text: string;
}

const withStates = async ({ text, paths }: Bundle): Promise<CachedBundle> => ({
  inputs: await Promise.all(paths.map(async (path) => [path, await stateOf(path)] as const)),
  text,
});

async function isUpToDate({ inputs }: CachedBundle): Promise<boolean> {
  const now = await Promise.all(inputs.map(([path]) => stateOf(path)));
  return inputs.every(([, state], at) => state === now[at]);
}

/** By source, for the next host of the process: tests start many of them, one after the other. */
const inMemory = new Map<string, CachedBundle>();

async function bundleFromMemory(source: string, make: () => Promise<Bundle>): Promise<CachedBundle> {
  const cached = inMemory.get(source);
  if (cached && (await isUpToDate(cached))) return cached;
  const made = await withStates(await make());
  inMemory.set(source, made);
  return made;
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

interface Bundle {
  readonly text: string;
  /** Of every file that went into it. */
  readonly paths: readonly string[];
}

async function makeStylesheet(): Promise<Bundle> {
  const { text, paths } = await stylesheetSource();
  const options = { loader: 'css', minify: true, target: 'es2022', logLevel: 'silent' } as const;
  return { text: (await withBundler(({ transform }) => transform(text, options))).code, paths };
}

/** Changes whenever the file is written, also with the time of its archive. */
const stateOf = (path: string): Promise<string> =>
  stat(path).then(
    ({ size, mtimeMs, ctimeMs }) => `${size} ${mtimeMs} ${ctimeMs}`,
    () => '',
  );

/** Where the host finds its libraries: plugins from outside find preact there. */
const hostModules = createRequire(import.meta.url).resolve.paths('preact') ?? [];

const bundle = (path: string): Promise<Bundle> =>
  withBundler(async ({ build }) => {
    const folder = dirname(path);
    const { outputFiles, metafile } = await build({
      absWorkingDir: folder,
      entryPoints: [path],
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      nodePaths: hostModules,
      legalComments: 'none',
      logLevel: 'silent',
      outdir: 'out',
    });
    return {
      text: outputFiles.find((file) => /\.(js|css)$/.test(file.path))?.text ?? '',
      paths: Object.keys(metafile.inputs).map((one) => resolve(folder, one)),
    };
  });
