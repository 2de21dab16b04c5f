import { parseYaml } from '../contract/yaml.js';

const fieldTypes = ['markdown', 'textarea', 'input', 'dropdown', 'checkboxes'] as const;

export interface IssueFormField {
  readonly type: (typeof fieldTypes)[number];
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly validations: Readonly<Record<string, unknown>> | null;
  readonly visible: readonly string[];
}

export interface IssueTemplate {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly labels: readonly string[] | null;
  readonly assignees: readonly string[] | null;
  readonly ref: string;
  readonly content: string;
  readonly body: readonly IssueFormField[] | null;
  readonly file_name: string;
}

type Data = Readonly<Record<string, unknown>>;
const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** A list, or words between commas. */
function parseList(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.map(text).filter(Boolean);
  const all = text(value)
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);
  return all.length ? all : null;
}

function parseYamlTemplate(yaml: string): Data | undefined {
  try {
    const data: unknown = parseYaml(yaml);
    return isData(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function common(data: Data, fileName: string): Omit<IssueTemplate, 'content' | 'body'> | undefined {
  const name = text(data.name).trim();
  const about = text(data.about) || text(data.description);
  if (!name || !about.trim()) return undefined;
  const ref = text(data.ref);
  return {
    name,
    title: text(data.title),
    about,
    labels: parseList(data.labels),
    assignees: parseList(data.assignees),
    ref: ref.startsWith('refs/') ? ref : `refs/heads/${ref}`,
    file_name: fileName,
  };
}

/** Front matter between lines of dashes, then the text; undefined: no template. */
export function readMarkdown(file: string, fileName: string): IssueTemplate | undefined {
  const [, matter, content] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*\r?\n?([\s\S]*)$/.exec(file) ?? [];
  const data = matter === undefined ? undefined : parseYamlTemplate(matter);
  const head = data && common(data, fileName);
  return head && { ...head, content: content ?? '', body: null };
}

/** A form of fields; one with a field that is not known is left out whole. `usual`: what need not be said. */
export function readForm(file: string, fileName: string, usual: Data = {}): IssueTemplate | undefined {
  const data = parseYamlTemplate(file);
  const head = data && common({ ...usual, ...data }, fileName);
  if (!head || !Array.isArray(data.body) || data.body.length === 0) return undefined;
  const body: IssueFormField[] = [];
  for (const [index, field] of (data.body as unknown[]).entries()) {
    if (!isData(field) || !isData(field.attributes)) return undefined;
    const type = fieldTypes.find((known) => known === field.type);
    if (!type) return undefined;
    const needed = type === 'markdown' ? 'value' : 'label';
    if (!text(field.attributes[needed])) return undefined;
    const visible = Array.isArray(field.visible)
      ? field.visible.map(text).filter((word) => word === 'form' || word === 'content')
      : type === 'markdown'
        ? ['form']
        : ['form', 'content'];
    const id = text(field.id) || String(index);
    if (body.some((other) => other.id === id)) return undefined;
    body.push({
      type,
      id,
      attributes: field.attributes,
      validations: isData(field.validations) ? field.validations : null,
      visible,
    });
  }
  return { ...head, content: '', body };
}
