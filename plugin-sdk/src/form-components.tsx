import type { ComponentChildren, VNode } from 'preact';
import { Csrf, type GivenCsrf } from './csrf.js';
import { fieldError } from './field-errors.js';
import { icon } from './icon.js';
import { t } from './texts/index.js';
import { typedNameField } from './typed-name.js';

/** What every labelled control of a form has. */
interface Labelled {
  readonly name: string;
  readonly label: string;
  /** Help below the control; read out with it. */
  readonly note?: ComponentChildren;
  /** Where another form of the page has a field of the same name; default `field-{name}`. */
  readonly id?: string;
  /** What refusals call it (`Problem.inputs`), where that is not `id`, else `name`. */
  readonly input?: string;
}

const errorOf = ({ input, id, name }: Pick<Labelled, 'input' | 'id' | 'name'>) => fieldError(input ?? id ?? name);
const idOf = ({ id, name }: Labelled): string => id ?? `field-${name}`;
const noteId = (props: Labelled): string | undefined => (props.note ? `${idOf(props)}-note` : undefined);
const errorId = (props: Labelled): string | undefined => (errorOf(props) ? `${idOf(props)}-error` : undefined);

/** What its control says about a field: what describes it, and whether it was refused. */
const described = (of: Labelled) => ({
  'aria-describedby': [errorId(of), noteId(of)].filter(Boolean).join(' ') || undefined,
  'aria-invalid': errorOf(of) ? ('true' as const) : undefined,
});

/** What is wrong with a field, below its control; nothing where nothing is. */
export function FieldError({ of }: { of: Pick<Labelled, 'name' | 'id' | 'input'> }): VNode | null {
  const error = errorOf(of);
  return error ? (
    <p class="field-error" id={`${idOf({ label: '', ...of })}-error`}>
      {icon('alert')} {error}
    </p>
  ) : null;
}

const Note = ({ of }: { of: Labelled }): VNode | null =>
  of.note ? (
    <p class="note" id={noteId(of)}>
      {of.note}
    </p>
  ) : null;

const Group = ({ of, children }: { of: Labelled; children: ComponentChildren }): VNode => (
  <div class="form-group mt-0 mb-3">
    <div class="form-group-header">
      <label for={idOf(of)}>{of.label}</label>
    </div>
    <div class="form-group-body">
      {children}
      <FieldError of={of} />
      <Note of={of} />
    </div>
  </div>
);

export interface TextFieldProps extends Labelled {
  readonly value?: string;
  /** Of an input; default `text`. */
  readonly type?: string;
  /** Makes it a text area of so many lines. */
  readonly lines?: number;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly placeholder?: string;
  /** Default `off`. */
  readonly autocomplete?: string;
  readonly autocapitalize?: 'none';
  readonly autofocus?: boolean;
  readonly spellcheck?: boolean;
  /** Letters of one width, for what machines read. */
  readonly mono?: boolean;
  /** As wide as an input is by itself, not as the form. */
  readonly short?: boolean;
  /** Id of a `datalist`. */
  readonly list?: string;
  /**
   * Offers names of users while one is typed: one, or several with commas between them. The page names
   * `userFieldIslands` of `@mortise/accounts/api`.
   */
  readonly 'data-suggest'?: 'user' | 'users';
}

/** One labelled field for text. */
export function TextField(props: TextFieldProps): VNode {
  const { label, note, id, input, value = '', type = 'text', lines, mono, short, ...more } = props;
  const of = { name: more.name, label, note, id, input };
  const common = {
    autocomplete: 'off',
    ...more,
    class: `form-control${short ? ' width-auto' : ' width-full'}${mono ? ' text-mono f6' : ''}${lines ? ' form-lines' : ''}`,
    id: idOf(of),
    ...described(of),
  };
  return (
    <Group of={of}>
      {lines ? (
        <textarea {...common} rows={lines}>
          {/* browsers drop the first line feed of a text area */}
          {`\n${value}`}
        </textarea>
      ) : (
        <input {...common} type={type} value={value} />
      )}
    </Group>
  );
}

interface NumberFieldProps extends Labelled {
  readonly value: number;
  readonly min?: number;
  readonly max?: number;
}

/** One labelled field for a whole number. */
export const NumberField = (props: NumberFieldProps): VNode => (
  <Group of={props}>
    <input
      class="form-control form-number"
      id={idOf(props)}
      name={props.name}
      type="number"
      min={props.min}
      max={props.max}
      value={props.value}
      {...described(props)}
    />
  </Group>
);

/** A value and what people read for it. */
export type FieldOption = readonly [value: string, label: string, note?: ComponentChildren];

interface SelectFieldProps extends Labelled {
  readonly value?: string;
  readonly options: readonly FieldOption[];
  readonly disabled?: boolean;
}

/** One of many, in a list that unfolds. */
export const SelectField = (props: SelectFieldProps): VNode => (
  <Group of={props}>
    <select class="form-select" id={idOf(props)} name={props.name} disabled={props.disabled} {...described(props)}>
      {props.options.map(([value, label]) => (
        <option key={value} value={value} selected={value === props.value}>
          {label}
        </option>
      ))}
    </select>
  </Group>
);

export interface CheckFieldProps extends Labelled {
  readonly checked?: boolean;
  /** What is sent when it is ticked; default `true`. */
  readonly value?: string;
  readonly disabled?: boolean;
  /** Further controls, seen while it is ticked; no script is needed. */
  readonly children?: ComponentChildren;
}

/** What belongs to a choice, seen while that is made, or while something in it is refused. */
const Below = ({ children }: { children?: ComponentChildren }): VNode | null =>
  children ? <div class="form-below">{children}</div> : null;

/** Yes or no. */
export const CheckField = (props: CheckFieldProps): VNode => (
  <div class="form-checkbox my-2">
    <label for={idOf(props)}>
      <input
        type="checkbox"
        id={idOf(props)}
        name={props.name}
        value={props.value ?? 'true'}
        checked={props.checked}
        disabled={props.disabled}
        {...described(props)}
      />{' '}
      {props.label}
    </label>
    <FieldError of={props} />
    <Note of={props} />
    <Below>{props.children}</Below>
  </div>
);

interface RadioFieldsProps extends Omit<Labelled, 'note'> {
  readonly value: string;
  readonly options: readonly FieldOption[];
  /** Further controls by the value of their option, seen while that is chosen; no script is needed. */
  readonly below?: Readonly<Record<string, ComponentChildren>>;
}

/** One of a few, all of them seen. */
export const RadioFields = (props: RadioFieldsProps): VNode => (
  <div role="radiogroup" aria-labelledby={idOf(props)}>
    <strong id={idOf(props)}>{props.label}</strong>
    {props.options.map(([value, label, note]) => {
      const of = { name: props.name, label, note, id: `${idOf(props)}-${value}` };
      return (
        <div key={value} class="form-checkbox my-2">
          <label for={of.id}>
            <input
              type="radio"
              id={of.id}
              name={props.name}
              value={value}
              checked={value === props.value}
              aria-describedby={noteId(of)}
            />{' '}
            {label}
          </label>
          <Note of={of} />
          <Below>{props.below?.[value]}</Below>
        </div>
      );
    })}
    <FieldError of={props} />
  </div>
);

/** The name of what is about to be deleted for good is typed again, so that nobody does it by a slip. See `checkTypedName`. */
export const TypedName = ({ name }: { readonly name: string }): VNode => (
  <TextField
    name={typedNameField}
    id={`typed-${name.replace(/\s/g, '-')}`}
    label={t('typedName', { name })}
    required
    maxLength={300}
    autocapitalize="none"
    autocomplete="off"
  />
);

interface PostButtonProps extends Partial<GivenCsrf> {
  readonly action: string;
  /** What the form sends beside its token. */
  readonly fields?: Readonly<Record<string, string | number>>;
  /** What is read out, where the button's own words do not say enough. */
  readonly label?: string;
  /** What it does cannot be taken back. */
  readonly danger?: boolean;
  /** Default `btn btn-sm`, with `btn-danger` where that is said. */
  readonly class?: string;
  readonly formClass?: string;
  /** Asked before: the button unfolds this sentence and the one that does it; no script is needed. */
  readonly confirm?: ComponentChildren;
  /** With `confirm`, the name that has to be typed as well; the route asks `checkTypedName`. */
  readonly typed?: string;
  readonly children: ComponentChildren;
}

/** A form that is nothing but its button. */
export function PostButton(props: PostButtonProps): VNode {
  const { confirm, formClass, label } = props;
  const look = props.class ?? `btn btn-sm${props.danger ? ' btn-danger' : ''}`;
  const form = (
    <form method="post" action={props.action} class={confirm ? 'confirm-body' : formClass}>
      <Csrf token={props.csrf} />
      {Object.entries(props.fields ?? {}).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {confirm ? <p>{confirm}</p> : null}
      {props.typed ? <TypedName name={props.typed} /> : null}
      <button class={confirm ? 'btn btn-sm btn-danger' : look} type="submit" aria-label={label}>
        {/* a picture alone does not say what is about to happen */}
        {confirm && typeof props.children !== 'string' ? label : props.children}
      </button>
    </form>
  );
  return confirm ? (
    <details class={`confirm${formClass ? ` ${formClass}` : ''}`}>
      <summary class={look} aria-label={label}>
        {props.children}
      </summary>
      {form}
    </details>
  ) : (
    form
  );
}

interface FormFrameProps {
  readonly title: ComponentChildren;
  /** Of its heading: 1 (default) where the form is the page, else that of the part it stands in. */
  readonly level?: 1 | 2 | 3;
  readonly children: ComponentChildren;
  /** In a box of its own, below the form: another way to go. */
  readonly below?: ComponentChildren;
}

/** A short form that is a page by itself, such as the one to sign in. */
export function FormFrame({ title, level = 1, children, below }: FormFrameProps): VNode {
  const Heading = `h${level}` as const;
  return (
    <div class="mx-auto py-5 px-3 narrow-form">
      <Heading class="h3 text-center text-normal mb-3">{title}</Heading>
      <div class="Box color-bg-subtle">
        <div class="Box-body">{children}</div>
      </div>
      {below ? <div class="Box mt-3 p-3 text-center">{below}</div> : null}
    </div>
  );
}
