import { SourceFailure, type SourceFailureReason, type SourceOptions, type SourceTools } from '../contract/source.js';
import { recordOf, textOf, type Answered } from './gitea-api.js';

const jsonType = 'application/x-amz-json-1.1';

interface CodeCommitAddress {
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
  return new SourceFailure(reason, `The source answered ${operation} with ${name}.`);
}

/** AWS limits requests by status 400 with one of these names. */
const isThrottled = (_status: number, body: string): boolean =>
  /"__type"\s*:\s*"(?:[\w.]+#)?(?:Throttling|ThrottledException|TooManyRequests|RequestLimitExceeded|SlowDown)/.test(
    body,
  );

/** Requests to AWS CodeCommit: JSON 1.1, signed with version 4. */
export class CodeCommitApi {
  constructor(
    private readonly tools: SourceTools,
    private readonly address: CodeCommitAddress,
    private readonly options: Pick<SourceOptions, 'values'>,
  ) {}

  async ask(operation: string, input: object): Promise<Answered> {
    const { host } = this.address;
    const body = JSON.stringify(input);
    const headers = { 'content-type': jsonType, 'x-amz-target': `CodeCommit_20150413.${operation}` };
    const url = `https://${host}/`;
    const { status, data } = await this.tools.client.json(url, {
      headers: { accept: jsonType },
      body,
      // after the pause that AWS asked for: a signature holds for five minutes
      sign: () => this.#sign(url, headers, body),
      isLimit: isThrottled,
      okStatuses: [400, 403],
    });
    if (status !== 200) throw failureOf(recordOf(data), operation);
    return recordOf(data);
  }

  async #sign(url: string, headers: Record<string, string>, body: string): Promise<Record<string, string>> {
    // loaded when somebody imports from there
    const { AwsV4Signer } = await import('aws4fetch');
    const { aws_access_key_id: accessKeyId = '', aws_secret_access_key: secretAccessKey = '' } = this.options.values;
    const scope = { service: 'codecommit', region: this.address.region, accessKeyId, secretAccessKey };
    const signer = new AwsV4Signer({ url, method: 'POST', headers, body, allHeaders: true, ...scope });
    return Object.fromEntries((await signer.sign()).headers);
  }
}
