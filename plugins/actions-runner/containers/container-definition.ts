import { interpolateValue, isMap, toText, type Evaluation, type Value, type ValueMap } from '@mortise/actions/workflow';
import { texts } from '../engine/step-run.js';
import { StepFailure } from '../engine/types.js';

/** `container` of a job, or one of its `services`. */
export interface ContainerDefinition {
  readonly image: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly env: Readonly<Record<string, string>>;
  /** As the engine takes them. */
  readonly ports: readonly string[];
  readonly volumes: readonly string[];
  readonly options: readonly string[];
}

/**
 * Options that a workflow may give. Others reach the machine or other jobs: privileges, devices, folders and networks of
 * the machine.
 */
const withValue = new Set(
  `--health-cmd --health-interval --health-retries --health-start-period --health-timeout --env -e --cpus --cpu-shares
  --memory -m --memory-reservation --memory-swap --pids-limit --shm-size --ulimit --tmpfs --hostname -h --user -u
  --workdir -w --add-host --dns --dns-search --network-alias --stop-signal --stop-timeout --cap-drop --platform`.split(
    /\s+/,
  ),
);
const flags = new Set(['--init', '--read-only', '--no-healthcheck']);

/** Reads a definition; nothing for one without an image. `what` is its name in messages. */
export function readContainer(
  value: Value | undefined,
  what: string,
  evaluation: Evaluation,
  volumes: readonly string[],
): ContainerDefinition | undefined {
  const whole = value === undefined || value === null ? undefined : interpolateValue(value, evaluation);
  const map: ValueMap = isMap(whole) ? whole : { image: whole ?? '' };
  const image = toText(map.image ?? '')
    .trim()
    .replace(/^docker:\/\//, '');
  if (image === '') return undefined;
  const credentials = texts(map.credentials, evaluation);
  const list = (key: string): string[] => {
    const value = map[key];
    return (Array.isArray(value) ? (value as readonly Value[]) : []).map((one) => toText(one).trim());
  };
  return {
    image: imageName(image),
    env: texts(map.env, evaluation),
    ports: list('ports').map((port) => portOf(port, what)),
    volumes: list('volumes').map((volume) => volumeOf(volume, what, volumes)),
    options: optionsOf(toText(map.options ?? ''), what),
    ...(credentials.username
      ? { credentials: { username: credentials.username, password: credentials.password ?? '' } }
      : {}),
  };
}

/** Throws for what the engine could take for something else than an image. */
export function imageName(text: string): string {
  if (!/^[a-z\d][\w.\-/:@]*$/i.test(text)) throw new StepFailure(`"${text}" is no image`);
  return text;
}

/** Where an image comes from, as the engine logs in there. */
export const registryOf = (image: string): string => {
  const first = image.split('/', 1)[0]!;
  return image.includes('/') && /[.:]|^localhost$/.test(first) ? first : 'docker.io';
};

/** Ports are open on the machine itself and not for others. */
function portOf(text: string, what: string): string {
  const match = /^(?:(\d{1,5}):)?(\d{1,5})(\/(?:tcp|udp))?$/.exec(text);
  if (!match) throw new StepFailure(`"${text}" of ${what} is no port: write 80 or 8080:80`);
  return `127.0.0.1:${match[1] ?? ''}:${match[2]}${match[3] ?? ''}`;
}

function volumeOf(text: string, what: string, allowed: readonly string[]): string {
  const parts = text.split(':');
  if (parts.length === 1 && text.startsWith('/')) return text;
  if (parts.length > 3 || !parts[1]?.startsWith('/')) throw new StepFailure(`"${text}" of ${what} is no volume`);
  if (!allowed.includes(parts[0]!))
    throw new StepFailure(`the volume "${parts[0]}" of ${what} is not among those that the runner allows`);
  return text;
}

function optionsOf(text: string, what: string): string[] {
  const parts = splitWords(text);
  const result: string[] = [];
  for (let at = 0; at < parts.length; at++) {
    const [name = '', ...rest] = parts[at]!.split('=');
    if (flags.has(name)) {
      result.push(parts[at]!);
      continue;
    }
    if (!withValue.has(name)) throw new StepFailure(`the option "${name}" of ${what} is not allowed here`);
    const value = parts[at]!.includes('=') ? rest.join('=') : parts[++at];
    if (value === undefined) throw new StepFailure(`the option "${name}" of ${what} has no value`);
    // Without a value it would be that of the runner.
    if (/^(?:-e|--env)$/.test(name) && !value.includes('='))
      throw new StepFailure(`the option "${name}" of ${what} needs name=value`);
    result.push(name, value);
  }
  return result;
}

/** As a shell cuts a line into words, without anything else that a shell does. */
export function splitWords(text: string): string[] {
  const matches = text.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs) ?? [];
  return matches.map((word) =>
    word.replace(
      /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
      (_all, escaped?: string, double?: string, single?: string) =>
        escaped ?? single ?? (double ?? '').replace(/\\(["\\$`])/g, '$1'),
    ),
  );
}
