import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Value, ValueMap } from '@mortise/actions/workflow';
import { StepFailure } from './types.js';

// read with the first action, not at the start
const require = createRequire(import.meta.url);

/** `action.yml` as far as it is run. */
export interface ActionFile {
  readonly kind: 'composite' | 'node';
  readonly inputs: Readonly<Record<string, { readonly default?: Value; readonly required: boolean }>>;
  readonly outputs: Readonly<Record<string, Value>>;
  readonly steps: readonly ValueMap[];
  readonly main: string;
  readonly pre?: string;
  readonly preIf?: string;
  readonly post?: string;
  readonly postIf?: string;
}

const isMap = (value: unknown): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: Value | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads the action in a folder. Throws `StepFailure` for what is none, or needs a container. */
export async function readAction(folder: string, shown: string): Promise<ActionFile> {
  const content = await readFirst(folder);
  if (content === undefined) throw new StepFailure(`${shown} is no action: there is no action.yml`);
  if (content.length > 1_048_576) throw new StepFailure(`action.yml of ${shown} is too large`);
  const document = (require('yaml') as typeof import('yaml')).parseDocument(content, {
    prettyErrors: false,
    logLevel: 'silent',
  });
  if (document.errors[0])
    throw new StepFailure(`action.yml of ${shown}: ${document.errors[0].message.split('\n', 1)[0]}`);
  const whole = document.toJS({ maxAliasCount: 100 }) as Value;
  const runs = isMap(whole) ? whole.runs : undefined;
  if (!isMap(whole) || !isMap(runs)) throw new StepFailure(`action.yml of ${shown} has no "runs"`);
  const using = text(runs.using)?.toLowerCase() ?? '';
  if (using === 'docker')
    throw new StepFailure(`${shown} runs in a container, and this runner has no container engine`);
  if (using !== 'composite' && !/^node\d+$/.test(using))
    throw new StepFailure(`${shown} uses "${using}", which is unknown`);
  const main = text(runs.main) ?? '';
  if (using !== 'composite' && main === '') throw new StepFailure(`action.yml of ${shown} has no "main"`);
  return {
    kind: using === 'composite' ? 'composite' : 'node',
    inputs: Object.fromEntries(
      Object.entries(isMap(whole.inputs) ? whole.inputs : {}).map(([name, input]) => [
        name,
        { default: isMap(input) ? input.default : undefined, required: isMap(input) && input.required === true },
      ]),
    ),
    outputs: Object.fromEntries(
      Object.entries(isMap(whole.outputs) ? whole.outputs : {}).map(([name, output]) => [
        name,
        isMap(output) ? (output.value ?? '') : '',
      ]),
    ),
    steps: Array.isArray(runs.steps) ? (runs.steps as readonly Value[]).filter(isMap) : [],
    main,
    pre: text(runs.pre),
    preIf: text(runs['pre-if']),
    post: text(runs.post),
    postIf: text(runs['post-if']),
  };
}

async function readFirst(folder: string): Promise<string | undefined> {
  for (const name of ['action.yml', 'action.yaml']) {
    const content = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (content !== undefined) return content;
  }
  return undefined;
}
