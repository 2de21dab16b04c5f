/** The router of hapi, which has no types of its own: what of it is used here. */
declare module '@hapi/call' {
  export interface Found<R> {
    readonly route: R;
    readonly params: Record<string, string>;
  }

  export class Router<R> {
    constructor(options?: { readonly isCaseSensitive?: boolean });
    add(config: { readonly method: string; readonly path: string }, route: R): unknown;
    /** An error where no route fits (404), or the path is no text (400). */
    route(method: string, path: string): Found<R> | (Error & { readonly output: { readonly statusCode: number } });
  }
}
