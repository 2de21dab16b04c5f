declare module 'mime-types' {
  /** The media type of a file name or ending; false when it is not known. */
  export function lookup(name: string): string | false;
}
