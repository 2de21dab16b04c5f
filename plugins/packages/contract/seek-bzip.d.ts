declare module 'seek-bzip' {
  /** Where bytes come from, and where they go. */
  class Stream {
    readByte(): number;
    writeByte(byte: number): void;
  }
  /** Reads block by block; `decode` of the library uses these in the same way, but wants all bytes at once. */
  class Bunzip {
    static readonly Stream: typeof Stream;
    constructor(input: Stream, output: Stream);
    readonly reader: { read(bits: number): number };
    readonly streamCRC: number;
    /** Gives whether there is one more block. */
    _init_block(): boolean;
    /** Writes out the block. */
    _read_bunzip(): number;
    _start_bunzip(input: Stream, output: Stream): void;
  }
  export default Bunzip;
}
