import type { Contexts } from './evaluation.js';
import { expressionsOf, hasExpression, interpolate, interpolateValue } from './interpolate.js';
import type { InputDefinition, InputType, Job, Trigger, Workflow } from './types.js';
import type { Value, ValueMap } from './values.js';
import { cut, isMap, limits, lookUp, numberOf, toText, within, WorkflowError } from './values.js';

/** Where the workflow of a caller stands. */
type CallTarget =
  | { readonly kind: 'local'; readonly path: string }
  | {
      readonly kind: 'repository';
      readonly owner: string;
      readonly repository: string;
      readonly path: string;
      readonly ref: string;
    };

/**
 * `uses:` of a caller: `./folder/file.yml`, `owner/repository/folder/file.yml@ref`, or the latter behind the root URL of
 * this instance. The folder must be one of `folders` or lie in one. Throws `WorkflowError`.
 */
export function callTarget(
  uses: string,
  { rootUrl, folders }: { readonly rootUrl: string; readonly folders: readonly string[] },
): CallTarget {
  let text = uses.trim();
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) {
    const root = `${rootUrl.replace(/\/+$/, '')}/`;
    if (!text.toLowerCase().startsWith(root.toLowerCase()))
      throw new WorkflowError('workflows of other servers cannot be called', 'uses');
    text = text.slice(root.length);
  }
  if (text.startsWith('./')) {
    if (text.includes('@')) throw new WorkflowError('a workflow of the same repository has no "@"', 'uses');
    return { kind: 'local', path: pathOf(text.slice(2), folders) };
  }
  const at = text.indexOf('@');
  const [owner = '', repository = '', ...rest] = text.slice(0, at < 0 ? undefined : at).split('/');
  const ref = at < 0 ? '' : text.slice(at + 1);
  if (owner === '' || repository === '' || rest.length === 0 || ref === '')
    throw new WorkflowError('must be "./folder/file.yml" or "owner/repository/folder/file.yml@ref"', 'uses');
  return { kind: 'repository', owner, repository, path: pathOf(rest.join('/'), folders), ref };
}

function pathOf(path: string, folders: readonly string[]): string {
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..') || path.includes('\\'))
    throw new WorkflowError('the path of the workflow is not clean', 'uses');
  if (!/\.ya?ml$/.test(path)) throw new WorkflowError('a workflow file ends in .yml or .yaml', 'uses');
  if (!folders.some((folder) => path.startsWith(`${folder.replace(/\/+$/, '')}/`)))
    throw new WorkflowError(`a called workflow stands in ${folders.join(' or ')}`, 'uses');
  return path;
}

type InputValue = string | number | boolean;

/** What a call hands to the workflow that is called. */
export interface BoundCall {
  readonly inputs: { readonly [name: string]: InputValue };
  /** `inherit`, or name there → name of the caller's secret. */
  readonly secrets: 'inherit' | { readonly [name: string]: string };
}

const callTrigger = (callee: Workflow): Trigger | undefined => callee.on.find(({ event }) => event === 'workflow_call');

/**
 * `with` and `secrets` of a caller, bound to what the called workflow declares. Throws `WorkflowError`: no `workflow_call`,
 * a required input or secret missing, a value of another type.
 */
export function bindCall(caller: Job, callee: Workflow, contexts: Contexts): BoundCall {
  const trigger = callTrigger(callee);
  if (!trigger) throw new WorkflowError(`"${callee.file}" has no "on.workflow_call"`, `jobs.${caller.id}.uses`);
  const where = `jobs.${caller.id}.with`;
  const given = within(where, () => interpolateValue(caller.with, { contexts })) as { readonly [name: string]: Value };
  const inputs: Record<string, InputValue> = {};
  for (const input of trigger.inputs ?? []) inputs[input.name] = within(where, () => bindInput(input, given, contexts));
  return { inputs, secrets: bindSecrets(caller, trigger) };
}

function bindInput(input: InputDefinition, given: { readonly [name: string]: Value }, contexts: Contexts): InputValue {
  const key = Object.keys(given).find((one) => one.toLowerCase() === input.name.toLowerCase());
  const value = key === undefined ? undefined : given[key];
  if (value === undefined || value === null) {
    if (input.default === undefined && input.required)
      throw new WorkflowError(`the required input "${input.name}" is missing`);
    const fallback = input.default === undefined ? undefined : interpolateValue(input.default, { contexts });
    if (fallback === undefined || fallback === null)
      return input.type === 'boolean' ? false : input.type === 'number' ? 0 : '';
    return typed(input, fallback);
  }
  return typed(input, value);
}

function typed({ name, type }: InputDefinition, value: Value): InputValue {
  if (type === 'boolean' || type === 'number') {
    if (typeof value !== type)
      throw new WorkflowError(`the input "${name}" must be a ${type}, and ${shownValue(value)} is a ${kindOf(value)}`);
    return value as number | boolean;
  }
  if (typeof value === 'object')
    throw new WorkflowError(`the input "${name}" must be a text, and it is given a ${kindOf(value)}`);
  return toText(value);
}

const kindOf = (value: Value): string => (isMap(value) ? 'mapping' : Array.isArray(value) ? 'list' : typeof value);

const shownValue = (value: Value): string => cut(JSON.stringify(value), 100);

function bindSecrets(caller: Job, { secrets = [] }: Trigger): BoundCall['secrets'] {
  if (caller.secrets === 'inherit') return 'inherit';
  const where = `jobs.${caller.id}.secrets`;
  const bound: Record<string, string> = {};
  for (const [key, value] of Object.entries(caller.secrets ?? {})) {
    const name = key.toUpperCase();
    if (!secrets.some((one) => one.name === name))
      throw new WorkflowError(`the called workflow declares no secret "${name}"`, where);
    bound[name] = secretName(value, name, where);
  }
  const missing = secrets.find(({ name, required }) => required && !Object.hasOwn(bound, name));
  if (missing) throw new WorkflowError(`the required secret "${missing.name}" is missing`, where);
  return bound;
}

function secretName(value: Value, name: string, where: string): string {
  const [tree, ...others] =
    typeof value === 'string' && /^\s*\$\{\{[\s\S]*\}\}\s*$/.test(value) ? expressionsOf(value) : [];
  if (
    tree?.kind !== 'index' ||
    others.length > 0 ||
    tree.of.kind !== 'context' ||
    tree.of.name !== 'secrets' ||
    tree.key.kind !== 'literal' ||
    typeof tree.key.value !== 'string'
  )
    throw new WorkflowError(`"${name}" must be \${{ secrets.NAME }}`, where);
  return tree.key.value.toUpperCase();
}

/** `on.workflow_call.outputs` over the ended children (`jobsContext`). Throws `WorkflowError`. */
export function callOutputs(callee: Workflow, contexts: Contexts): { readonly [name: string]: string } {
  const outputs = callTrigger(callee)?.outputs ?? [];
  return Object.fromEntries(
    outputs.map(({ name, value }) => [
      name,
      within(`on.workflow_call.outputs.${name}`, () => {
        if (!hasExpression(value)) return value;
        const text = interpolate(value, { contexts });
        if (text.length > limits.outputValue) throw new WorkflowError('the output is too long');
        return text;
      }),
    ]),
  );
}

/**
 * Inputs of `workflow_dispatch`: only names that are declared are taken, the others get their default. Values are texts,
 * as `github.event.inputs` has them; see {@link typedInputs} for the context `inputs`. `problems` tells, in sentences,
 * what is required and missing, no option, or no number: the API lets a missing one pass.
 */
export function dispatchInputs(
  workflow: Workflow,
  given: { readonly [name: string]: Value },
): { readonly inputs: { readonly [name: string]: string }; readonly problems: readonly string[] } {
  const definitions = declaredInputs(workflow, 'workflow_dispatch') ?? [];
  const problems: string[] = [];
  const inputs: Record<string, string> = {};
  for (const { name, type, required, options, default: fallback } of definitions) {
    const value =
      (Object.hasOwn(given, name) ? given[name] : undefined) ?? fallback ?? (type === 'boolean' ? false : '');
    const text = isMap(value) || Array.isArray(value) ? '' : toText(value);
    inputs[name] = text;
    if (required && text === '') problems.push(`input "${name}" is required`);
    if (text === '') continue;
    if (type === 'choice' && options.length > 0 && !options.includes(text))
      problems.push(`input "${name}" must be one of ${options.join(', ')}`);
    if (type === 'number' && !Number.isFinite(numberOf(text))) problems.push(`input "${name}" must be a number`);
    if (type === 'boolean' && text !== 'true' && text !== 'false')
      problems.push(`input "${name}" must be true or false`);
  }
  return { inputs, problems };
}

const declaredInputs = (workflow: Workflow, event: string): readonly InputDefinition[] | undefined =>
  workflow.on.find((trigger) => trigger.event === event)?.inputs;

/**
 * The context `inputs` of a run that `event` started: `given`, which `github.event.inputs` has as texts, with the types
 * that the workflow declares, and defaults for what is missing.
 */
export function typedInputs(workflow: Workflow, event: string, given: ValueMap): ValueMap {
  const declared = (declaredInputs(workflow, event) ?? []).map((input): [string, InputValue] => {
    const value = lookUp(given, input.name) ?? input.default ?? '';
    return [input.name, valueOfType(input.type, isMap(value) || Array.isArray(value) ? '' : toText(value))];
  });
  return { ...given, ...Object.fromEntries(declared) };
}

function valueOfType(type: InputType, text: string): InputValue {
  if (type === 'boolean') return text === 'true';
  if (type !== 'number') return text;
  const number = numberOf(text);
  return Number.isFinite(number) ? number : 0;
}

/** Inputs as `github.event.inputs` has them: runners of the field take the text "true" alone for a ticked box. */
export const inputTexts = (inputs: ValueMap): { readonly [name: string]: string } =>
  Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, toText(value)]));
