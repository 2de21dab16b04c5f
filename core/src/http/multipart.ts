import type { Readable } from 'node:stream';
import { readMultipart, type FormFields, type Route, type UploadedFile } from '@mortise/plugin-sdk';
import type { RequestContext } from './context.js';

/** Asked with the fields so far before the first byte of a file is stored; throws to refuse the form. */
export type FileGuard = (fields: FormFields) => void;

/**
 * Reads a multipart form. Files are spooled to disk, so that fields behind them are known to the handler; they go when
 * the request has been handled. A route that declares no files is given none.
 */
export async function readForm(
  context: RequestContext,
  source: Readable,
  route: Route,
  maxBytes: number,
  guard?: FileGuard,
): Promise<Record<string, unknown>> {
  const { REQUEST_TIMEOUT } = context.kernel.settings.server;
  const takesFiles = route.payload?.as === 'multipart';
  const values = new Map<string, unknown[]>();
  const uploads = (context.uploads ??= context.kernel.uploads.request());
  const fields = await readMultipart(source, context.headers, {
    maxBytes,
    maxFiles: takesFiles ? (route.payload?.maxFiles ?? 1) : 0,
    // a form is small and has to arrive in time; of files each piece has
    ...(takesFiles ? { idleMs: REQUEST_TIMEOUT } : { signal: AbortSignal.timeout(REQUEST_TIMEOUT) }),
    onFile: async (file, before) => {
      const stored: UploadedFile = await uploads.store(file, () => guard?.(before));
      add(values, file.field, stored);
    },
  });
  for (const [name, texts] of fields) for (const text of texts) add(values, name, text);
  values.delete('__proto__');
  return Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

function add(values: Map<string, unknown[]>, name: string, value: unknown): void {
  const known = values.get(name);
  if (known) known.push(value);
  else values.set(name, [value]);
}
