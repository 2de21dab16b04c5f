/** What git said about another server, as a refusal without credentials and without the way that this server took. */
import { Problem } from '@mortise/plugin-sdk';
import { remoteProblem, type RemoteAddress } from '../api.js';
import type { RemoteFailure } from '../contract/remotes.js';
import { failureOf } from './failure.js';
import { firstLine } from './stderr-excerpt.js';
import { t } from '../texts/index.js';

export interface FailureContext {
  readonly address: RemoteAddress;
  /** Where git went; its host may be this machine. */
  readonly url: string;
  readonly secrets: readonly string[];
  readonly isLate: boolean;
  readonly isAborted: boolean;
  readonly isTooLarge: boolean;
  readonly isIdle: boolean;
  readonly relayFailure: Error | undefined;
}

/** The first that fits says what it is. */
const kinds: readonly (readonly [RegExp, RemoteFailure])[] = [
  [/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i, 'authentication'],
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied|returned error: 40[13]|invalid credentials|HTTP Basic: Access denied/i,
    'authentication',
  ],
  [
    /returned error: 404|not found|does not exist|does not appear to be a git repository|repository unavailable/i,
    'notFound',
  ],
  [
    /fsck error|index-pack|unpack-objects|pack has|bad pack|inflate|corrupt|invalid|malformed|unexpected|protocol error|not valid: is this a git repository|did not send|shallow|remote did not/i,
    'invalidData',
  ],
  [
    /Could not resolve|Connection refused|unable to access|early EOF|hung up|RPC failed|closed by|timed out|unreachable|reset by|disconnect/i,
    'unreachable',
  ],
];

/** `messages`: what git wrote on standard error, with its progress. */
export function remoteFailure(error: unknown, messages: string, context: FailureContext): Error {
  if (context.isTooLarge) return remoteProblem('tooLarge', t.later('error.remote.large'));
  if (context.isAborted) return remoteProblem('aborted', t.later('error.remote.aborted'));
  if (context.isLate || context.isIdle) return remoteProblem('timeout', t.later('error.remote.slow'));
  if (context.relayFailure) return relayProblem(context);
  // the host ends
  if (!failureOf(error)) return Problem.is(error) ? error : remoteProblem('aborted', t.later('error.remote.aborted'));
  const words = redact(messages.replaceAll('\r', '\n'), context);
  const kind = kinds.find(([pattern]) => pattern.test(words))?.[1] ?? 'other';
  return remoteProblem(kind, t.later('error.remote.failed', { reason: findReason(words) }));
}

function relayProblem({ relayFailure, address }: FailureContext): Problem {
  if (Problem.is(relayFailure)) return remoteProblem('forbidden', relayFailure.text);
  const reason = `${address.host}: ${relayFailure?.message ?? ''}`;
  return remoteProblem('unreachable', t.later('error.remote.failed', { reason }));
}

/** The line that says most: the last refusal of git or of the other server. */
function findReason(words: string): string {
  const lines = words.split('\n').filter((line) => /^(?:fatal|error|remote|ssh|[\w.@-]+: Permission)/.test(line));
  const clear = lines.filter(
    (line) => !/^fatal: Could not read from remote repository|^fatal: the remote end hung up/.test(line),
  );
  const unsafe = clear.find((line) => /^error: object [0-9a-f]+: \w+:/.test(line));
  return firstLine(unsafe ?? clear.at(-1) ?? lines.at(-1) ?? words);
}

/** Without credentials, escape codes, and ports that lead to the other server through this process. */
function redact(text: string, { address, url, secrets }: FailureContext): string {
  const isOther = (port: string) => address.host === '127.0.0.1' && Number(port) === address.port;
  let clear = text
    .replaceAll(url, address.url)
    .replaceAll(/127\.0\.0\.1(?::| port )(\d+)/g, (all, port: string) => (isOther(port) ? all : address.host));
  for (const secret of secrets)
    for (const form of [secret, encodeURIComponent(secret)]) if (form) clear = clear.replaceAll(form, '***');
  // oxlint-disable-next-line no-control-regex
  return clear.replaceAll(/(\/\/)[^/@\s]+@/g, '$1').replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}
