import type { PluginDefinition } from '../plugin.js';

/** One request below `/api/packages/{owner}/{format}`. */
export interface FormatRequest {
  readonly method: string;
  /** Below the format's root, encoded: `/my-package/1.0.0/file.tgz`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer | object;
}

export interface PackageFormatSample {
  readonly plugin: PluginDefinition | string;
  /** Key of the format. */
  readonly key: string;
  /** Name of the package that `publish` publishes, as it is listed. */
  readonly name: string;
  /** Two versions, the newer last. */
  readonly versions: readonly [string, string];
  /** `baseUrl` is the address of the format's root for the owner. */
  publish(version: string, baseUrl: string): FormatRequest | Promise<FormatRequest>;
  /** Fetches what `publish` put there. */
  download(version: string): FormatRequest | Promise<FormatRequest>;
  /** What a download must give; absent: bytes are not compared. */
  content?(version: string): Buffer | Promise<Buffer>;
  /** Publishing the same version again is allowed (mutable formats); default false: it is refused. */
  readonly mayRepublish?: boolean;
  /** Lists or index documents; each answers 200 once a version is there. */
  readonly indexes?: readonly FormatRequest[];
  /** Where a client looks up what there is, and how it reads from the answer which versions are there. */
  readonly lookUp?: {
    readonly request: FormatRequest;
    /** Versions in the answer; asked only when it is a 200. */
    versions(answer: { readonly payload: string; readonly rawPayload: Buffer }): readonly string[];
  };
  /** Deletes a version by the protocol, where it can. */
  remove?(version: string): FormatRequest;
  /** As `publish`, but with these bytes in the place of the package: they are none, and refused with 4xx. */
  garbage?(bytes: Buffer): FormatRequest;
  /** Packages made to do harm (bombs, paths that leave, endless headers): 4xx, soon, in little memory. */
  hostile?(): Promise<readonly FormatRequest[]> | readonly FormatRequest[];
  /** Further versions, all published at the same time; each must be there afterwards. */
  readonly many?: readonly string[];
  /** Requests that publish something broken; each is refused with 4xx. */
  readonly broken?: readonly FormatRequest[];
  /** Further plugins to load. */
  readonly plugins?: readonly (PluginDefinition | string)[];
}
