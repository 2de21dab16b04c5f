import { join } from 'node:path';
import { isMap, yamlLibrary, type Value, type ValueMap } from '@mortise/actions/workflow';
import { readLinkedFile } from './file-commands.js';
import { StepFailure } from './types.js';

/** `action.yml` as far as it is run. */
export interface ActionFile {
  readonly kind: 'composite' | 'node' | 'docker';
  readonly inputs: Readonly<Record<string, { readonly default?: Value; readonly required: boolean }>>;
  readonly outputs: Readonly<Record<string, Value>>;
  readonly steps: readonly ValueMap[];
  readonly main: string;
  readonly pre?: string;
  readonly preIf?: string;
  readonly post?: string;
  readonly postIf?: string;
  /** Of a container: `docker://…`, or a Dockerfile in the folder of the action. */
  readonly image: string;
  readonly args: readonly Value[];
  readonly env: Value;
  readonly entrypoint: string;
}

const text = (value: Value | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** Reads the action in a folder, whose files are those of a user. Throws `StepFailure` for what is none. */
export function readAction(folder: string, shown: string, uid?: number): ActionFile {
  const content = readLinkedFile(join(folder, 'action.yml'), uid) ?? readLinkedFile(join(folder, 'action.yaml'), uid);
  if (content === undefined) throw new StepFailure(`${shown} is no action: there is no action.yml`);
  if (content.length > 1_048_576) throw new StepFailure(`action.yml of ${shown} is too large`);
  const document = yamlLibrary().parseDocument(content, { prettyErrors: false, logLevel: 'silent' });
  if (document.errors[0])
    throw new StepFailure(`action.yml of ${shown}: ${document.errors[0].message.split('\n', 1)[0]}`);
  const whole = document.toJS({ maxAliasCount: 100 }) as Value;
  const runs = isMap(whole) ? whole.runs : undefined;
  if (!isMap(whole) || !isMap(runs)) throw new StepFailure(`action.yml of ${shown} has no "runs"`);
  const using = text(runs.using)?.toLowerCase() ?? '';
  const kind = /^node\d+$/.test(using) ? 'node' : using;
  if (kind !== 'composite' && kind !== 'node' && kind !== 'docker')
    throw new StepFailure(`${shown} uses "${using}", which is unknown`);
  const main = text(runs.main) ?? '';
  const image = text(runs.image) ?? '';
  if (kind === 'docker' && image === '') throw new StepFailure(`action.yml of ${shown} has no "image"`);
  if (kind === 'node' && main === '') throw new StepFailure(`action.yml of ${shown} has no "main"`);
  return {
    kind,
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
    pre: text(kind === 'docker' ? runs['pre-entrypoint'] : runs.pre),
    preIf: text(runs['pre-if']),
    post: text(kind === 'docker' ? runs['post-entrypoint'] : runs.post),
    postIf: text(runs['post-if']),
    image,
    args: Array.isArray(runs.args) ? (runs.args as readonly Value[]) : [],
    env: runs.env ?? null,
    entrypoint: text(runs.entrypoint) ?? '',
  };
}
