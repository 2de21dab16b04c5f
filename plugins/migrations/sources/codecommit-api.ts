import type { SignatureV4 } from '@smithy/signature-v4';
import { SourceFailure, type SourceFailureReason, type SourceOptions, type SourceTools } from '../api.js';
import { recordOf, textOf, type Answered } from './gitea-api.js';

const pauseMs = 30_000;
const jsonType = 'application/x-amz-json-1.1';

export interface CodeCommitAddress {
  readonly region: string;
  /** Of the API: `codecommit.eu-west-1.amazonaws.com`. */
  readonly host: string;
  readonly name: string;
}

/** `https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/name`; requests are signed for no other host. */
export function codeCommitAddress(address: string): CodeCommitAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const [, fips = '', region, domain] =
    /^git-codecommit(-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d)\.(amazonaws\.com(?:\.cn)?)$/.exec(url?.hostname ?? '') ?? [];
  const name = /^\/v1\/repos\/([\w.-]{1,100})\/?$/.exec(url?.pathname ?? '')?.[1];
  if (url?.protocol !== 'https:' || !region || !domain || !name)
    throw new SourceFailure(
      'notFound',
      'The address names no repository: https://git-codecommit.region.amazonaws.com/v1/repos/name',
    );
  return { region, host: `codecommit${fips}.${region}.${domain}`, name };
}

const reasons: readonly (readonly [pattern: RegExp, reason: SourceFailureReason])[] = [
  [/^(?:Throttling|TooManyRequests|RequestLimitExceeded)/, 'limited'],
  [
    /^(?:UnrecognizedClient|InvalidSignature|InvalidClientTokenId|IncompleteSignature|MissingAuth|Expired)/,
    'unauthorized',
  ],
  [/^(?:AccessDenied|NotAuthorized|OptInRequired|Encryption)/, 'forbidden'],
  [/DoesNotExist/, 'notFound'],
];

/** Errors are named in the body (AWS JSON 1.1); the words behind the name may tell of the caller, and are left out. */
function failureOf({ __type: type }: Answered, operation: string): SourceFailure {
  const name = /(\w{1,100})$/.exec(textOf(type))?.[1] ?? 'an error';
  const reason = reasons.find(([pattern]) => pattern.test(name))?.[1] ?? 'invalidData';
  const until = reason === 'limited' ? Date.now() + pauseMs : undefined;
  return new SourceFailure(reason, `The source answered ${operation} with ${name}.`, until);
}

/** Requests to AWS CodeCommit: JSON 1.1, signed with version 4. */
export class CodeCommitApi {
  #signer: SignatureV4 | undefined;

  constructor(
    private readonly tools: SourceTools,
    private readonly address: CodeCommitAddress,
    private readonly options: Pick<SourceOptions, 'values'>,
  ) {}

  async ask(operation: string, input: object): Promise<Answered> {
    const { host } = this.address;
    const body = JSON.stringify(input);
    const headers = { host, 'content-type': jsonType, 'x-amz-target': `CodeCommit_20150413.${operation}` };
    const request = { method: 'POST', protocol: 'https:', hostname: host, path: '/', headers, body };
    this.#signer ??= await this.#makeSigner();
    const { host: _host, ...signed } = (await this.#signer.sign(request)).headers;
    const { status, data } = await this.tools.client.json(`https://${host}/`, {
      headers: { ...signed, accept: jsonType },
      body,
      okStatuses: [400, 403],
    });
    if (status !== 200) throw failureOf(recordOf(data), operation);
    return recordOf(data);
  }

  /** The libraries are loaded when somebody imports from there. */
  async #makeSigner(): Promise<SignatureV4> {
    const [{ SignatureV4: Signer }, { Sha256 }] = await Promise.all([
      import('@smithy/signature-v4'),
      import('@smithy/core/checksum'),
    ]);
    const { aws_access_key_id: accessKeyId = '', aws_secret_access_key: secretAccessKey = '' } = this.options.values;
    const credentials = { accessKeyId, secretAccessKey };
    return new Signer({ service: 'codecommit', region: this.address.region, credentials, sha256: Sha256 });
  }
}
