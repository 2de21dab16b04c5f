declare module 'lzma-native' {
  interface LzmaOptions {
    readonly dictSize: number;
    readonly mode: number;
    readonly mf: number;
  }
  /** What is used of the bindings of liblzma. */
  const library: {
    readonly FILTER_LZMA2: string;
    readonly MODE_NORMAL: number;
    readonly MF_BT4: number;
    createStream(
      coder: 'rawEncoder',
      options: { readonly filters: readonly { readonly id: string; readonly options: LzmaOptions }[] },
    ): import('node:stream').Duplex;
  };
  export default library;
}
