/** What is used of js-yaml, which brings no types. */
declare module 'js-yaml' {
  class Schema {
    extend(types: readonly Type[]): Schema;
  }
  class Type {
    constructor(
      tag: string,
      options: {
        readonly kind: 'scalar' | 'sequence' | 'mapping';
        readonly multi?: boolean;
        readonly construct?: (value: unknown) => unknown;
      },
    );
  }
  const yaml: {
    readonly FAILSAFE_SCHEMA: Schema;
    readonly CORE_SCHEMA: Schema;
    readonly Type: typeof Type;
    load(
      text: string,
      options?: {
        readonly schema?: Schema;
        readonly json?: boolean;
        readonly listener?: (
          event: 'open' | 'close',
          node: { readonly kind: string | null; readonly result: unknown },
        ) => void;
      },
    ): unknown;
  };
  export default yaml;
}
