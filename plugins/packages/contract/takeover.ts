import type { Properties } from './store.js';

/** Reads JSON of another server, field by field: what is of another kind there reads as empty. */
export class SourceFields {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: unknown) {
    const isRecord = typeof values === 'object' && values !== null && !Array.isArray(values);
    this.#values = isRecord ? (values as Readonly<Record<string, unknown>>) : {};
  }

  /** Of JSON in a text; nothing where it is none. */
  static parse(text: string): SourceFields {
    try {
      return new SourceFields(JSON.parse(text));
    } catch {
      return new SourceFields(undefined);
    }
  }

  get names(): readonly string[] {
    return Object.keys(this.#values);
  }

  value(name: string): unknown {
    return this.#values[name] ?? undefined;
  }

  text(name: string): string {
    const value = this.#values[name];
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  }

  number(name: string): number {
    const value = Number(this.#values[name] ?? 0);
    return Number.isFinite(value) ? value : 0;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Entries of a list that are texts; a text alone is a list of one. */
  texts(name: string): readonly string[] {
    const value = this.#values[name];
    if (typeof value === 'string') return value === '' ? [] : [value];
    return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
  }

  record(name: string): SourceFields {
    return new SourceFields(this.#values[name]);
  }

  records(name: string): readonly SourceFields[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map((entry) => new SourceFields(entry)) : [];
  }

  /** Those of these fields that say anything, under the names that they have here. */
  renamed(names: Readonly<Record<string, string>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(names).flatMap(([there, here]) => {
        const value = this.#values[there];
        return value === undefined || value === null || value === '' ? [] : [[here, value]];
      }),
    );
  }
}

/** A version on the server that is taken over. */
export interface SourceVersion {
  /** Of the package. */
  readonly name: string;
  readonly version: string;
  /** Its `metadata_json`. */
  readonly metadata: SourceFields;
  /** First value of a property of the version; empty where there is none. */
  property(name: string): string;
  properties(name: string): readonly string[];
}

/** The same with its files, to read what the rows do not say. */
export interface SourceVersionFiles extends SourceVersion {
  /** Undefined where there is no such file, or it is longer or cannot be read. */
  read(fileName: string, maxBytes: number): Promise<Buffer | undefined>;
}

export interface SourceFile {
  readonly package: SourceVersion;
  readonly name: string;
  readonly compositeKey: string;
  readonly size: number;
  readonly sha256: string;
  /** Of the file. */
  property(name: string): string;
  /** Undefined where it is longer or cannot be read. */
  read(maxBytes: number): Promise<Buffer | undefined>;
}

/**
 * How rows of a format on a server of the compatible kind become rows of the format here. What is left out stays as it is
 * there, without properties.
 */
export interface PackageTakeover {
  /** Name of the package, where it has another one here; undefined: the version does not say it. */
  name?(metadata: SourceFields): string | undefined;
  version?(version: SourceVersionFiles): SourceVersionResult | Promise<SourceVersionResult>;
  file?(file: SourceFile): SourceFileResult | Promise<SourceFileResult>;
}

interface SourceVersionResult {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly properties?: Properties;
}

interface SourceFileResult {
  /** Default: that of the source. */
  readonly compositeKey?: string;
  readonly properties?: Properties;
}
