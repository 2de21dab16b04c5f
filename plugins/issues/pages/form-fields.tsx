import type { VNode } from 'preact';
import { FieldError, TextField } from '@mortise/plugin-sdk';
import { MarkupBody, type Markup, type MarkupContext, type SafeHtml } from '@mortise/markup/api';
import { attribute, boxesOf, fieldName, isRequired, optionsOf, type Answers } from '../services/form-answers.js';
import type { IssueFormField } from '../services/issue-template.js';
import { TextEditor } from './editor.js';
import { t } from '../texts/index.js';

interface FormFieldsProps {
  readonly fields: readonly IssueFormField[];
  readonly texts: FieldTexts;
  /** Of the template: two forms share no drafts. */
  readonly fileName: string;
  /** `owner/name` */
  readonly repository: string;
  /** Text areas take files; bytes of each, undefined: no limit. */
  readonly files?: { readonly maxBytes: number | undefined };
  /** What was sent before; undefined: the form is new. */
  readonly sent?: Answers;
}

/** Rendered texts by the id of their field: what stands between fields, and the labels of check boxes. */
export type FieldTexts = ReadonlyMap<string, readonly SafeHtml[]>;

/** Renders the texts of a form that are Markdown. */
export async function fieldTexts(
  markup: Markup,
  fields: readonly IssueFormField[],
  context: MarkupContext,
): Promise<FieldTexts> {
  const sources = fields
    .filter((field) => field.visible.includes('form'))
    .map((field) => ({ field, texts: markdownOf(field) }));
  const rendered = await markup.renderAll(
    sources.flatMap(({ texts }) => texts),
    context,
  );
  let at = 0;
  return new Map(sources.map(({ field, texts }) => [field.id, rendered.slice(at, (at += texts.length))]));
}

function markdownOf(field: IssueFormField): string[] {
  if (field.type === 'markdown') return [attribute(field, 'value')];
  return field.type === 'checkboxes' ? boxesOf(field).map((box) => box.label) : [];
}

/** A label is one line: without the paragraph around it. */
const BoxLabel = ({ html, text }: { html: SafeHtml | undefined; text: string }): VNode => {
  const line = html && /^<p(?: [^>]*)?>(.*)<\/p>\s*$/s.exec(html)?.[1];
  return line && !line.includes('</p>') ? (
    <bdi class="markdown-body issue-form-label" dangerouslySetInnerHTML={{ __html: line }} />
  ) : (
    <span>{text}</span>
  );
};

/** The fields of an issue form. */
export const FormFields = (props: FormFieldsProps): VNode => (
  <>
    {props.fields.some(isMarked) ? <p class="note mt-0 issue-form-note">{t('template.marked')}</p> : null}
    {props.fields.map((field) =>
      field.visible.includes('form') ? <Field {...props} field={field} key={field.id} /> : null,
    )}
  </>
);

/** Has it, or one of its boxes, the mark of what is required? */
const isMarked = (field: IssueFormField): boolean =>
  field.visible.includes('form') &&
  (field.type === 'checkboxes' ? boxesOf(field).some((box) => box.isRequired) : isRequired(field));

function Field(props: FormFieldsProps & { field: IssueFormField }): VNode | null {
  const { field, texts, sent } = props;
  const name = fieldName(field);
  const label = attribute(field, 'label');
  const note = attribute(field, 'description') || undefined;
  if (field.type === 'markdown') {
    const [html] = texts.get(field.id) ?? [];
    return html ? <MarkupBody class="mb-3" html={html} /> : null;
  }
  if (field.type === 'checkboxes')
    return (
      <fieldset class="border-0 p-0 mb-3 min-width-0">
        <legend class="text-bold">{label}</legend>
        {note ? <p class="note mt-0">{note}</p> : null}
        {boxesOf(field).map((box, at) =>
          box.visible.includes('form') ? (
            <label class="d-block text-normal">
              <input
                type="checkbox"
                name={name}
                value={at}
                required={box.isRequired}
                checked={sent?.(name).includes(String(at))}
              />{' '}
              <BoxLabel html={texts.get(field.id)?.[at]} text={box.label} />
            </label>
          ) : null,
        )}
        <FieldError of={{ name }} />
      </fieldset>
    );
  // what is shown as code is no Markdown
  if (field.type === 'textarea' && !attribute(field, 'render')) return <TextArea {...props} />;
  if (field.type === 'dropdown') return <Dropdown field={field} name={name} label={label} note={note} sent={sent} />;
  return (
    <TextField
      name={name}
      label={label}
      note={note}
      required={isRequired(field)}
      placeholder={attribute(field, 'placeholder') || undefined}
      value={sent ? (sent(name)[0] ?? '') : attribute(field, 'value')}
      maxLength={100_000}
      {...(field.type === 'textarea' && { lines: 6, mono: Boolean(attribute(field, 'render')) })}
      {...(field.type === 'input' && field.validations?.is_number === true && { type: 'number' })}
    />
  );
}

/** A text as comments are written: with a preview, files and mentions. */
function TextArea({ field, sent, fileName, repository, files }: FormFieldsProps & { field: IssueFormField }): VNode {
  const name = fieldName(field);
  return (
    <div class="mb-3">
      <TextEditor
        id={`${fileName}-${name}`.replace(/[^\w-]/gu, (sign) => sign.codePointAt(0)!.toString(16))}
        name={name}
        input={name}
        label={attribute(field, 'label')}
        hidden={false}
        value={sent ? (sent(name)[0] ?? '') : attribute(field, 'value')}
        note={attribute(field, 'description') || undefined}
        placeholder={attribute(field, 'placeholder') || undefined}
        required={isRequired(field)}
        maxLength={100_000}
        repository={repository}
        {...(files && { files })}
      />
    </div>
  );
}

function Dropdown({
  field,
  name,
  label,
  note,
  sent,
}: {
  field: IssueFormField;
  name: string;
  label: string;
  note: string | undefined;
  sent: Answers | undefined;
}): VNode {
  const options = optionsOf(field);
  const isMany = field.attributes.multiple === true;
  const given = Number(field.attributes.default);
  const chosen = sent ? sent(name) : Number.isInteger(given) && options[given] ? [options[given]] : [];
  return (
    <div class="form-group mt-0 mb-3">
      <div class="form-group-header">
        <label for={`field-${name}`}>{label}</label>
      </div>
      <select class="form-select" id={`field-${name}`} name={name} multiple={isMany} required={isRequired(field)}>
        {isMany ? null : <option value="">{t('template.choose')}</option>}
        {options.map((option) => (
          <option value={option} selected={chosen.includes(option)}>
            {option}
          </option>
        ))}
      </select>
      <FieldError of={{ name }} />
      {note ? <p class="note">{note}</p> : null}
    </div>
  );
}
