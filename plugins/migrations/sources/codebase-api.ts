import { SourceFailure, type SourceOptions, type SourceTools } from '../contract/source.js';
import { decoded, numberOf, pageRecords, recordOf, textOf, timeOf, type Answered } from './gitea-api.js';
import { basicAuthorization } from './http-source.js';

const apiAddress = 'https://api3.codebasehq.com';
/** Of one answer: the parser holds the process up for long with more. */
const maxLength = 2 * 1024 * 1024;

export interface CodebaseAddress {
  readonly account: string;
  readonly project: string;
  readonly name: string;
}

/** `https://account.codebasehq.com/project/name.git`: the credentials go to no other host. */
export function codebaseAddress(address: string): CodebaseAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const account = /^([a-z0-9-]+)\.codebasehq\.com$/.exec(url?.hostname ?? '')?.[1];
  const [project, name, ...more] = (url?.pathname ?? '').split('/').filter(Boolean).map(decoded);
  if (url?.protocol !== 'https:' || !account || !project || !name || more.length)
    throw new SourceFailure('notFound', 'The address names no repository: https://account.codebasehq.com/project/name');
  return { account, project, name: name.replace(/\.git$/, '') };
}

/** The value of an element. */
export const valueOf = (element: unknown): string => textOf(element).trim() && textOf(element);
export const integerOf = (element: unknown): number => {
  const value = valueOf(element);
  return /^\d{1,15}$/.test(value) ? numberOf(Number(value)) : 0;
};
export const dateOf = (element: unknown): number | undefined => timeOf(valueOf(element));
export const isTrue = (element: unknown): boolean => valueOf(element) === 'true';
/** Children of one name: the parser gives a list only of several. */
export const childrenOf = (element: unknown, name: string): Answered[] => {
  const children = recordOf(element)[name];
  return children === undefined ? [] : pageRecords(Array.isArray(children) ? children : [children]);
};

/** Requests to the API of Codebase (support.codebasehq.com/kb), which answers in XML. */
export class CodebaseApi {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly tools: SourceTools,
    { account }: CodebaseAddress,
    { values }: Pick<SourceOptions, 'values'>,
  ) {
    const { auth_username: username = '', auth_password: key = '' } = values;
    const user = username.includes('/') ? username : `${account}/${username}`;
    this.#headers = {
      accept: 'application/xml',
      'content-type': 'application/xml',
      ...(username && { authorization: basicAuthorization(user, key) }),
    };
  }

  /** The root element; undefined where there is none, which lists without records are too. */
  async get(path: string, okStatuses: readonly number[] = []): Promise<unknown> {
    const { status, data } = await this.tools.client.text(`${apiAddress}${path}`, {
      headers: this.#headers,
      okStatuses,
    });
    if (status !== 200) return undefined;
    if (data.length > maxLength)
      throw new SourceFailure(
        'tooLarge',
        `The source answers ${path.slice(0, 200)} with more than ${maxLength} bytes.`,
      );
    return rootOf(data, path);
  }
}

/** Values as they are written; a document type may define one entity of one character, so that nothing grows. */
const parserOptions = {
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  parseTagValue: false,
  trimValues: false,
  maxNestedTags: 100,
  htmlEntities: true,
  processEntities: { maxEntityCount: 1, maxEntitySize: 1, maxExpandedLength: maxLength },
} as const;

async function rootOf(xml: string, path: string): Promise<unknown> {
  // loaded when somebody imports from there
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  try {
    if (XMLValidator.validate(xml) !== true) throw new Error('not well-formed');
    return Object.values(recordOf(new XMLParser(parserOptions).parse(xml) as unknown))[0];
  } catch {
    throw new SourceFailure('invalidData', `The source answered ${path.slice(0, 200)} with something that is not XML.`);
  }
}
