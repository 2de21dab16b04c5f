import { Invalid } from '@mortise/plugin-sdk';
import type { IssueFormField } from './issue-template.js';
import { t } from '../texts/index.js';

/** What was sent for a field: of a list all that were chosen. */
export type Answers = (name: string) => readonly string[];

type Data = Readonly<Record<string, unknown>>;
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** The attribute of a field as a text. */
export const attribute = ({ attributes }: IssueFormField, name: string): string => textOf(attributes[name]);

export const isRequired = ({ validations }: IssueFormField): boolean => validations?.required === true;

/** What can be chosen of a list. */
export const optionsOf = ({ attributes }: IssueFormField): string[] =>
  Array.isArray(attributes.options) ? (attributes.options as unknown[]).map(textOf).filter(Boolean).slice(0, 200) : [];

interface Box {
  readonly label: string;
  readonly isRequired: boolean;
  readonly visible: readonly string[];
}

/** The boxes of a field. */
export const boxesOf = ({ attributes }: IssueFormField): Box[] =>
  (Array.isArray(attributes.options) ? (attributes.options as unknown[]) : [])
    .slice(0, 200)
    .flatMap((option): Box[] => {
      const { label, required, visible } = (option ?? {}) as Data;
      const words = textOf(label);
      const shown = Array.isArray(visible) ? (visible as unknown[]).map(textOf) : ['form', 'content'];
      return words ? [{ label: words, isRequired: required === true, visible: shown }] : [];
    });

export const fieldName = ({ id }: IssueFormField): string => `form-field-${id}`;

/** Longer answers are cut. */
const maxAnswer = 100_000;

/** A form as the text of an issue; Invalid for what is missing or not as the form wants it. */
export function renderAnswers(fields: readonly IssueFormField[], answers: Answers): string {
  const parts: string[] = [];
  const wrong: Record<string, ReturnType<typeof t.later>> = {};
  for (const field of fields) {
    const name = fieldName(field);
    const label = attribute(field, 'label');
    if (field.type === 'markdown') {
      if (field.visible.includes('content')) parts.push(attribute(field, 'value').trim());
      continue;
    }
    const given = answers(name).map((one) => one.replaceAll('\r\n', '\n').slice(0, maxAnswer));
    let text: string;
    if (field.type === 'checkboxes') {
      const boxes = boxesOf(field);
      const isTicked = (at: number) => given.includes(String(at));
      if (boxes.some((box, at) => box.isRequired && !isTicked(at))) wrong[name] = t.later('template.tick', { label });
      text = boxes
        .flatMap((box, at) => (box.visible.includes('content') ? [`- [${isTicked(at) ? 'x' : ' '}] ${box.label}`] : []))
        .join('\n');
    } else if (field.type === 'dropdown') {
      const options = optionsOf(field);
      const chosen = given.filter((one) => options.includes(one));
      if (isRequired(field) && chosen.length === 0) wrong[name] = t.later('template.missing', { label });
      text = chosen.join(', ');
    } else {
      const value = given[0]?.trim() ?? '';
      if (isRequired(field) && !value) wrong[name] = t.later('template.missing', { label });
      else if (value && field.type === 'input' && !fits(field, value))
        wrong[name] = t.later('template.wrong', { label });
      const language = attribute(field, 'render').replace(/[^\w+-]/g, '');
      const fence = '`'.repeat(Math.max(3, ...[...value.matchAll(/`+/g)].map((run) => run[0].length + 1)));
      text = value && attribute(field, 'render') ? `${fence}${language}\n${value}\n${fence}` : value;
    }
    if (field.visible.includes('content')) parts.push(`### ${label}\n\n${text || '_No response_'}`);
  }
  const [first] = Object.values(wrong);
  if (first) throw Invalid(first, { inputs: wrong });
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** A number where one is wanted. Patterns of forms are checked by the browser alone: they are regular expressions of anybody. */
const fits = ({ validations }: IssueFormField, value: string): boolean =>
  validations?.is_number !== true || /^-?\d+(\.\d+)?$/.test(value);
