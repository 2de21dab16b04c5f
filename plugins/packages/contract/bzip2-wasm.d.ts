declare module 'bzip2-wasm' {
  /** libbz2; its memory does not grow, so that a few megabytes are packed at once. */
  export default class BZip2 {
    init(): Promise<void>;
    /** Blocks of so many hundred thousand bytes; `maxSize` is what the packed bytes may take. */
    compress(bytes: Uint8Array, blockSize: number, maxSize: number): Uint8Array;
  }
}
