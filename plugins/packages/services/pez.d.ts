declare module '@hapi/pez' {
  import type { Readable } from 'node:stream';
  import { Writable } from 'node:stream';

  export interface Part extends Readable {
    readonly name: string;
    readonly filename?: string;
    readonly headers: Readonly<Record<string, string>>;
  }

  export class Dispenser extends Writable {
    constructor(options: { boundary: string; maxBytes?: number; maxParts?: number });
  }
}
