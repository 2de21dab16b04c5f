import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import {
  NotFound,
  Problem,
  withTimeout,
  type BlobInfo,
  type Logger,
  type StorageArea,
  type StoredBlob,
} from '@mortise/plugin-sdk';
import type { DeletedBlobs } from '../contracts.js';
import { checkKey, keyOfHash, HashingMeter, type Digests } from './content.js';
import type { StorageSettings } from './settings.js';

const partSize = 8 * 1024 * 1024;
/** Names that no key begins with (checkKey). */
const hidden = '.tmp-';
const deleted = `${hidden}deleted/`;
/** Larger objects cannot be copied in one piece. */
const largestCopy = 5 * 1024 ** 3;

/** Attempts of one request: two, so that a store that is silent is known as such after twice its time limit at most. */
const maxAttempts = 2;
/** How long the store may copy an object of the largest size, in milliseconds. */
const copyTimeout = 600_000;

const statusOf = (error: unknown) =>
  typeof error === 'object' && error !== null && '$metadata' in error
    ? (error.$metadata as { httpStatusCode?: number }).httpStatusCode
    : undefined;
const isMissing = (error: unknown) =>
  statusOf(error) === 404 || (error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name));

/** An S3-compatible store: one bucket, areas as prefixes. */
export class S3Store {
  readonly client: S3Client;
  readonly timeout: number;
  readonly bucket: string;
  readonly servesDirect: boolean;
  readonly #basePath: string;
  readonly #log: Logger;
  readonly #configuration: S3ClientConfig;
  #copier: S3Client | undefined;
  #bucketThere: Promise<void> | undefined;

  constructor(
    settings: Readonly<StorageSettings>,
    log: Logger,
    readonly keepsDeleted: () => Promise<boolean> = () => Promise.resolve(false),
  ) {
    const { MINIO_USE_SSL, MINIO_INSECURE_SKIP_VERIFY } = settings;
    this.bucket = settings.MINIO_BUCKET;
    this.servesDirect = settings.SERVE_DIRECT;
    this.#basePath = settings.MINIO_BASE_PATH.replace(/^\/+|\/+$/g, '');
    this.#log = log;
    this.timeout = settings.MINIO_TIMEOUT;
    this.#configuration = {
      maxAttempts,
      endpoint: /^https?:\/\//.test(settings.MINIO_ENDPOINT)
        ? settings.MINIO_ENDPOINT
        : `${MINIO_USE_SSL ? 'https' : 'http'}://${settings.MINIO_ENDPOINT}`,
      region: settings.MINIO_LOCATION,
      forcePathStyle: settings.MINIO_BUCKET_LOOKUP_TYPE !== 'dns',
      credentials: { accessKeyId: settings.MINIO_ACCESS_KEY_ID, secretAccessKey: settings.MINIO_SECRET_ACCESS_KEY },
      // Trailing checksums are newer than many compatible stores.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: settings.MINIO_CONNECT_TIMEOUT,
        // between two bytes, so that large content may take as long as it takes
        socketTimeout: settings.MINIO_TIMEOUT,
        // where many wait for a connection they take turns; the line in the log would be no news
        socketAcquisitionWarningTimeout: settings.MINIO_TIMEOUT,
        ...(MINIO_INSECURE_SKIP_VERIFY ? { httpsAgent: new Agent({ rejectUnauthorized: false }) } : {}),
      },
    };
    this.client = new S3Client(this.#configuration);
  }

  /** Nothing is sent while the store copies, so this client waits longer for it. */
  get copier(): S3Client {
    const requestHandler = { ...this.#configuration.requestHandler, socketTimeout: copyTimeout };
    return (this.#copier ??= new S3Client({ ...this.#configuration, requestHandler }));
  }

  /** One request until its answer begins; content that follows is bounded by the time between two of its bytes. */
  ask<T>(request: (client: S3Client, options: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    return withTimeout(this.timeout, 'the object store', (abortSignal) => request(this.client, { abortSignal }));
  }

  area(name: string): StorageArea {
    return new S3Area(this, this.#prefixOf(name));
  }

  #prefixOf(area: string): string {
    return this.#basePath ? `${this.#basePath}/${area}/` : `${area}/`;
  }

  deleted(name: string): DeletedBlobs {
    const area = new S3Area(this, `${this.#prefixOf(name)}${deleted}`);
    return {
      list: () => area.list(),
      get: async (key) => ((await area.stat(key)) ? (await area.get(key)).stream : undefined),
      clear: async () => {
        for await (const { key } of area.list()) await area.remove(key);
      },
    };
  }

  /** Areas are the first folders below the base path. */
  async areas(): Promise<string[]> {
    await this.ready();
    const Prefix = this.#prefixOf('').replace(/\/+$/, '/').replace(/^\/$/, '');
    const names: string[] = [];
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({ Bucket: this.bucket, Prefix, Delimiter: '/', ContinuationToken });
      const page = await this.ask((client, options) => client.send(command, options));
      for (const one of page.CommonPrefixes ?? []) if (one.Prefix) names.push(one.Prefix.slice(Prefix.length, -1));
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken);
    return names;
  }

  /** Makes the bucket when it is missing; looks once. */
  ready(): Promise<void> {
    this.#bucketThere ??= this.check().catch((error: unknown) => {
      this.#bucketThere = undefined;
      throw error;
    });
    return this.#bucketThere;
  }

  async check(): Promise<void> {
    try {
      await this.ask((client, options) => client.send(new HeadBucketCommand({ Bucket: this.bucket }), options));
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#log.info('creating the missing bucket', { event: 'storage.createBucket', bucket: this.bucket });
      const command = new CreateBucketCommand({ Bucket: this.bucket });
      await this.ask((client, options) => client.send(command, options)).catch((failure: unknown) => {
        const name = failure instanceof Error ? failure.name : '';
        if (name !== 'BucketAlreadyOwnedByYou' && name !== 'BucketAlreadyExists') throw failure;
      });
    }
  }
}

class S3Area implements StorageArea {
  readonly #store: S3Store;
  readonly #prefix: string;

  constructor(store: S3Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  #object(key: string) {
    return { Bucket: this.#store.bucket, Key: this.#prefix + checkKey(key) };
  }

  async put(
    key: string,
    content: Readable | Buffer,
    options: { maxBytes?: number; contentType?: string } = {},
  ): Promise<StoredBlob> {
    checkKey(key);
    await this.#store.ready();
    const meter = new HashingMeter(options.maxBytes);
    const source = Buffer.isBuffer(content) ? Readable.from([content]) : content;
    const feeding = pipeline(source, meter);
    // Seen below; here only so that it is never left alone.
    feeding.catch(() => undefined);
    try {
      await this.#upload(key, meter, options.contentType);
      await feeding;
    } catch (error) {
      meter.destroy();
      // What broke the stream says more than that the upload was broken off.
      await feeding.catch((cause: unknown) => {
        if (Problem.is(cause) || !isAborted(cause)) throw cause;
      });
      throw error;
    }
    return this.#stored(key, meter.bytes, meter.digests());
  }

  #upload(key: string, body: Readable, contentType?: string) {
    return new Upload({
      client: this.#store.client,
      params: { ...this.#object(key), Body: body, ...(contentType ? { ContentType: contentType } : {}) },
      partSize,
      queueSize: 2,
      leavePartsOnError: false,
    }).done();
  }

  #stored(key: string, size: number, digests: Digests): StoredBlob {
    return { key, size, modifiedAt: Date.now(), ...digests };
  }

  /** The key is known at the end of the content only, so that it waits on the local disk. */
  async putByHash(content: Readable | Buffer, options: { maxBytes?: number } = {}): Promise<StoredBlob> {
    await this.#store.ready();
    const temporary = join(tmpdir(), `mortise-upload-${randomUUID()}`);
    const meter = new HashingMeter(options.maxBytes);
    try {
      await pipeline(
        Buffer.isBuffer(content) ? Readable.from([content]) : content,
        meter,
        createWriteStream(temporary, { flags: 'wx', mode: 0o600 }),
      );
      const digests = meter.digests();
      const key = keyOfHash(digests.sha256);
      const known = await this.stat(key);
      if (known?.size !== meter.bytes) await this.#upload(key, createReadStream(temporary));
      return this.#stored(key, meter.bytes, digests);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async get(key: string, range?: { start: number; end?: number }): Promise<{ info: BlobInfo; stream: Readable }> {
    const Range = range ? { Range: `bytes=${range.start}-${range.end ?? ''}` } : {};
    try {
      const command = new GetObjectCommand({ ...this.#object(key), ...Range });
      const answer = await this.#store.ask((client, options) => client.send(command, options));
      const total = /\/(\d+)$/.exec(answer.ContentRange ?? '')?.[1];
      const info = {
        key,
        size: Number(total ?? answer.ContentLength ?? 0),
        modifiedAt: answer.LastModified?.getTime() ?? 0,
      };
      const stream = answer.Body as Readable;
      // marked as its client marks the errors of requests
      stream.once('error', (error) => Object.assign(error, { $metadata: {} }));
      return { info, stream };
    } catch (error) {
      if (isMissing(error)) throw NotFound('file');
      if (statusOf(error) === 416 || (error instanceof Error && error.name === 'InvalidRange')) {
        const size = (await this.stat(key))?.size ?? 0;
        throw new Problem('range_not_satisfiable', 'The range lies outside the content.', {
          headers: { 'content-range': `bytes */${size}` },
        });
      }
      throw error;
    }
  }

  async stat(key: string): Promise<BlobInfo | undefined> {
    try {
      const command = new HeadObjectCommand(this.#object(key));
      const listing = await this.#store.ask((client, options) => client.send(command, options));
      return { key, size: Number(listing.ContentLength ?? 0), modifiedAt: listing.LastModified?.getTime() ?? 0 };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    if (await this.#store.keepsDeleted()) await this.#putAside(key);
    await this.remove(key);
  }

  async #putAside(key: string): Promise<void> {
    const { bucket, copier } = this.#store;
    const { Key } = this.#object(key);
    const info = await this.stat(key);
    if (!info || info.size > largestCopy) return;
    const CopySource = encodeURI(`${bucket}/${Key}`).replace(/[?#+]/g, encodeURIComponent);
    await copier.send(new CopyObjectCommand({ Bucket: bucket, Key: `${this.#prefix}${deleted}${key}`, CopySource }));
  }

  async remove(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#object(key));
    await this.#store
      .ask((client, options) => client.send(command, options))
      .catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
  }

  async *list(prefix = ''): AsyncIterable<BlobInfo> {
    await this.#store.ready();
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.#store.bucket,
        Prefix: this.#prefix + prefix,
        ContinuationToken,
      });
      const page = await this.#store.ask((client, options) => client.send(command, options));
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        if (Key && !Key.startsWith(hidden, this.#prefix.length))
          yield {
            key: Key.slice(this.#prefix.length),
            size: Number(Size ?? 0),
            modifiedAt: LastModified?.getTime() ?? 0,
          };
      }
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken);
  }

  async signedUrl(key: string, options: { seconds?: number; fileName?: string } = {}): Promise<string | undefined> {
    if (!this.#store.servesDirect) return undefined;
    const disposition = options.fileName
      ? {
          ResponseContentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(options.fileName).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`,
        }
      : {};
    return getSignedUrl(this.#store.client, new GetObjectCommand({ ...this.#object(key), ...disposition }), {
      expiresIn: options.seconds ?? 300,
    });
  }
}

const isAborted = (error: unknown) =>
  error instanceof Error &&
  ('code' in error ? error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'ABORT_ERR' : false);
