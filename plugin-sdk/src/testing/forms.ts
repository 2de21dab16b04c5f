import type { ServerInjectOptions } from '@hapi/hapi';
import type { TestClient, TestResponse } from './start-host.js';

export type FormFields = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

/** A form of a page, as browsers send it: the request for `inject`. */
export const formPost = (
  url: string,
  fields: FormFields = {},
  headers: Readonly<Record<string, string>> = {},
): Partial<ServerInjectOptions> & { url: string } => ({
  method: 'POST',
  url,
  payload: new URLSearchParams(
    Symbol.iterator in fields ? fields.map(([name, value]) => [name, value]) : fields,
  ).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
});

/** Sends a form of a page. */
export const submitForm = (
  client: TestClient,
  url: string,
  fields?: FormFields,
  headers?: Readonly<Record<string, string>>,
): Promise<TestResponse> => client.inject(formPost(url, fields, headers));

/** Forms of a page that send something to this site by POST without a token: the kernel would refuse it. */
export const formsWithoutToken = (html: string): readonly string[] =>
  (html.match(/<form\b[^>]*>.*?<\/form>/gs) ?? [])
    .filter((form) => !/ name="_csrf" value="[^"]/.test(form))
    .map((form) => form.slice(0, form.indexOf('>') + 1))
    .filter((tag) => / method="post"/i.test(tag) && !/ action="(?:\w+:|\/\/)/.test(tag));

/** The HTML of a page as browsers of that language get it. */
export const pageIn = async (client: TestClient, language: string, url: string): Promise<string> =>
  (await client.inject({ url, headers: { 'accept-language': language } })).payload;

interface MultipartPart {
  readonly name: string;
  readonly value: string | Buffer;
  /** Makes a file of it. */
  readonly fileName?: string;
  /** In place of the `Content-Disposition` that follows from the names. */
  readonly disposition?: string;
}

/** A `multipart/form-data` body by hand: what `inject` takes of it. */
export function multipart(parts: readonly MultipartPart[]): { payload: Buffer; headers: Record<string, string> } {
  const boundary = 'boundary-of-a-test';
  const chunks = parts.flatMap(({ name, value, fileName, disposition }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`;
    const line = disposition ?? `form-data; name="${name}"${file}`;
    return [
      Buffer.from(`--${boundary}\r\nContent-Disposition: ${line}\r\n\r\n`),
      Buffer.from(value as string),
      Buffer.from('\r\n'),
    ];
  });
  return {
    payload: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
