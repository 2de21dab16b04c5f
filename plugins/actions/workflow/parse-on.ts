import { nextTime } from './cron.js';
import { compilePattern } from './patterns.js';
import { child, isNull, type Reader } from './reader.js';
import type { InputDefinition, InputType, Trigger } from './types.js';
import { limits, numberOf, type Value } from './values.js';
import { plainValue, type Entry, type Located } from './yaml.js';

/** Names that `on:` may have, and the filters of each. */
const filters = new Map<string, readonly string[]>([
  ['push', ['branches', 'branches-ignore', 'tags', 'tags-ignore', 'paths', 'paths-ignore']],
  ['pull_request', ['types', 'branches', 'branches-ignore', 'paths', 'paths-ignore']],
  ['pull_request_target', ['types', 'branches', 'branches-ignore', 'paths', 'paths-ignore']],
  ['workflow_run', ['types', 'workflows', 'branches', 'branches-ignore']],
  ['workflow_dispatch', ['inputs']],
  ['workflow_call', ['inputs', 'secrets', 'outputs']],
  ...'issues issue_comment pull_request_comment pull_request_review pull_request_review_comment release registry_package'
    .split(' ')
    .map((event): [string, readonly string[]] => [event, ['types']]),
  ...'create delete fork gollum schedule'.split(' ').map((event): [string, readonly string[]] => [event, []]),
]);

/** Internal events, which are accepted too, and events of other services that never happen here. */
const internal =
  /^(?:issue_(?:assign|label|milestone)|pull_request_(?:sync|assign|label|review_request|milestone|review_approved|review_rejected)|package|wiki|repository)$/;
const elsewhere =
  /^(?:branch_protection_rule|check_run|check_suite|deployment|deployment_status|discussion|discussion_comment|image_version|label|merge_group|milestone|page_build|project|project_card|project_column|public|repository_dispatch|status|watch)$/;

const inputTypes: readonly InputType[] = ['string', 'boolean', 'number', 'choice', 'environment'];

/** `on:` as a name, a list of names or a mapping. */
export function readTriggers(reader: Reader, node: Located): Trigger[] {
  if (node.kind === 'map') return node.entries.map((entry) => readTrigger(reader, entry));
  const items = node.kind === 'list' ? node.items : [node];
  return items.flatMap((item) => {
    const event = reader.text(item, '"on"');
    if (!event) return [];
    checkName(reader, event, item.at);
    if (event !== 'schedule') return [{ event, unknown: [] }];
    reader.problem(item.at, '"on.schedule" has no "cron": it never starts anything', 'warning');
    return [{ event, unknown: [], crons: [] }];
  });
}

function checkName(reader: Reader, event: string, at: number): void {
  if (filters.has(event) || internal.test(event)) return;
  const why = elsewhere.test(event) ? 'never happens here' : 'is no event';
  reader.problem(at, `"${event.slice(0, 100)}" ${why}`, 'warning');
}

function readTrigger(reader: Reader, { key: event, at, value: node }: Entry): Trigger {
  checkName(reader, event, at);
  if (event === 'schedule') return { event, unknown: [], crons: readCrons(reader, node) };
  if (isNull(node)) return { event, unknown: [] };
  const entries = reader.entries(node, `"on.${event}"`);
  const allowed = filters.get(event) ?? ['types'];
  const unknown = entries.filter(({ key }) => !allowed.includes(key)).map(({ key }) => key);
  for (const { key, at: keyAt } of entries)
    if (!allowed.includes(key))
      reader.problem(keyAt, `"${event}" has no filter "${key.slice(0, 100)}": the entry never matches`, 'warning');
  const patterns = (key: string): string[] | undefined =>
    readPatterns(reader, child(entries, key), `"on.${event}.${key}"`);
  return {
    event,
    unknown,
    types: patterns('types'),
    branches: patterns('branches'),
    branchesIgnore: patterns('branches-ignore'),
    tags: patterns('tags'),
    tagsIgnore: patterns('tags-ignore'),
    paths: patterns('paths'),
    pathsIgnore: patterns('paths-ignore'),
    workflows: patterns('workflows'),
    ...(allowed.includes('inputs') ? { inputs: readInputs(reader, child(entries, 'inputs'), event) } : {}),
    ...(event === 'workflow_call'
      ? {
          secrets: readSecrets(reader, child(entries, 'secrets')),
          outputs: readOutputs(reader, child(entries, 'outputs')),
        }
      : {}),
  };
}

function readPatterns(reader: Reader, node: Located | undefined, what: string): string[] | undefined {
  const patterns = reader.texts(node, what);
  if (patterns && patterns.length > limits.patterns) {
    reader.problem(node!.at, `${what} has more than ${limits.patterns} patterns`);
    return undefined;
  }
  for (const pattern of patterns ?? [])
    if (!compilePattern(pattern.replace(/^!/, '')))
      reader.problem(node!.at, `${what}: "${pattern.slice(0, 100)}" is no pattern`, 'warning');
  return patterns;
}

function readCrons(reader: Reader, node: Located): { cron: string; timezone?: string }[] {
  const items = node.kind === 'list' ? node.items : [node];
  if (items.length > limits.schedules)
    reader.problem(node.at, `"on.schedule" has more than ${limits.schedules} entries`);
  if (items.length === 0) reader.problem(node.at, '"on.schedule" has no "cron": it never starts anything', 'warning');
  return items.slice(0, limits.schedules).flatMap((item) => {
    const entries = reader.entries(item, '"on.schedule"');
    const cron = reader.text(child(entries, 'cron'), '"cron"');
    const timezone = reader.text(child(entries, 'timezone'), '"timezone"');
    if (cron === undefined) {
      reader.problem(item.at, 'an entry of "on.schedule" has no "cron": it never starts anything', 'warning');
      return [];
    }
    const why = cronProblem(cron, timezone);
    if (why) reader.problem(child(entries, 'cron')!.at, `${why}: it never starts anything`, 'warning');
    return [{ cron, ...(timezone === undefined ? {} : { timezone }) }];
  });
}

function cronProblem(cron: string, timezone: string | undefined): string | undefined {
  if (nextTime(cron, 0, timezone) !== undefined) return undefined;
  const shown = `cron "${cron.slice(0, 100)}"`;
  if (timezone !== undefined && nextTime(cron, 0) !== undefined)
    return `${shown} has the unknown time zone "${timezone.slice(0, 100)}"`;
  return `${shown} is no schedule of five fields (minute hour day month weekday), or fits no date`;
}

/** Only literal defaults: those with expressions are known when the workflow is called. */
function checkDefault(reader: Reader, node: Located, { name, type, options, default: value }: InputDefinition): void {
  if (value === undefined || (typeof value === 'string' && value.includes('${{'))) return;
  const wrong = (rule: string) => reader.problem(node.at, `the default of input "${name}" ${rule}`, 'warning');
  const text = String(value);
  if (type === 'boolean' && text !== 'true' && text !== 'false') wrong('must be true or false');
  if (type === 'number' && !Number.isFinite(numberOf(text))) wrong('must be a number');
  if (type === 'choice' && options.length > 0 && !options.includes(text)) wrong(`must be one of ${options.join(', ')}`);
}

function readInputs(reader: Reader, node: Located | undefined, event: string): InputDefinition[] {
  if (node === undefined) return [];
  return reader.entries(node, '"inputs"').map(({ key: name, at, value }) => {
    const entries = reader.entries(value, `input "${name}"`);
    const type = reader.text(child(entries, 'type'), '"type"');
    const isKnown = inputTypes.includes(type as InputType);
    if (event === 'workflow_call' && !/^(?:string|boolean|number)$/.test(type ?? ''))
      reader.problem(at, `input "${name}" needs a type: string, boolean or number`);
    else if (type !== undefined && !isKnown)
      reader.problem(at, `input "${name}" has the unknown type "${type}"`, 'warning');
    const options = reader.texts(child(entries, 'options'), '"options"') ?? [];
    if (type === 'choice' && options.length === 0) reader.problem(at, `input "${name}" has no options`, 'warning');
    const inputType = isKnown ? (type as InputType) : 'string';
    const fallback = readDefault(reader, child(entries, 'default'), inputType);
    const input: InputDefinition = {
      name,
      type: inputType,
      required: reader.boolean(child(entries, 'required'), '"required"'),
      ...(fallback === undefined || fallback === null ? {} : { default: fallback }),
      ...described(reader, entries),
      options,
    };
    checkDefault(reader, value, input);
    return input;
  });
}

/** Texts as they were written, like the options beside them: `1.10` is not 1.1. */
function readDefault(reader: Reader, node: Located | undefined, type: InputType): Value | undefined {
  if (node === undefined) return undefined;
  const isTyped = type === 'boolean' || type === 'number';
  return isTyped || node.kind !== 'scalar' ? plainValue(node) : reader.text(node, '"default"');
}

function described(reader: Reader, entries: readonly Entry[]): { description?: string } {
  const description = reader.text(child(entries, 'description'), '"description"');
  return description === undefined ? {} : { description };
}

function readSecrets(reader: Reader, node: Located | undefined): NonNullable<Trigger['secrets']> {
  if (node === undefined) return [];
  return reader.entries(node, '"secrets"').map(({ key, value }) => {
    const entries = reader.entries(value, `secret "${key}"`);
    const required = reader.boolean(child(entries, 'required'), '"required"');
    return { name: key.toUpperCase(), required, ...described(reader, entries) };
  });
}

function readOutputs(reader: Reader, node: Located | undefined): NonNullable<Trigger['outputs']> {
  if (node === undefined) return [];
  reader.expressions(node);
  return reader.entries(node, '"outputs"').map(({ key: name, at, value }) => {
    const entries = reader.entries(value, `output "${name}"`);
    const text = reader.text(child(entries, 'value'), '"value"');
    if (text === undefined) reader.problem(at, `output "${name}" has no value`);
    return { name, value: text ?? '', ...described(reader, entries) };
  });
}
