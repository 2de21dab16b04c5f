import type { ComponentChildren, VNode } from 'preact';

export const Heading = ({ children, actions }: { children: ComponentChildren; actions?: ComponentChildren }): VNode => (
  <div class="Subhead d-flex flex-items-center flex-wrap" style="gap: 8px">
    <h2 class="Subhead-heading flex-auto">{children}</h2>
    {actions ? <div class="flex-shrink-0">{actions}</div> : null}
  </div>
);

/** A part of the form under its own heading. */
export const Section = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <fieldset class="Box mb-3" style="min-width: 0; margin: 0; padding: 0">
    <legend class="sr-only">{title}</legend>
    <div class="Box-header py-2" aria-hidden="true">
      <h3 class="Box-title">{title}</h3>
    </div>
    <div class="Box-body">{children}</div>
  </fieldset>
);

interface Labelled {
  readonly name: string;
  readonly label: string;
  readonly note?: ComponentChildren;
}

const idOf = (name: string) => `rule-${name}`;

const Note = ({ name, children }: { name: string; children: ComponentChildren }): VNode => (
  <p class="note mb-0" id={`${idOf(name)}-note`}>
    {children}
  </p>
);

export function TextField({
  name,
  label,
  note,
  value,
  lines,
  ...more
}: Labelled & {
  readonly value: string;
  /** More than one: a field of so many lines. */
  readonly lines?: number;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly list?: string;
}): VNode {
  const common = {
    class: 'form-control width-full',
    id: idOf(name),
    name,
    'aria-describedby': note ? `${idOf(name)}-note` : undefined,
    autocomplete: 'off',
    ...more,
  };
  return (
    <div class="form-group my-2">
      <div class="form-group-header">
        <label for={idOf(name)}>{label}</label>
      </div>
      <div class="form-group-body">
        {lines ? (
          <textarea {...common} rows={lines} style="min-height: 0; height: auto">
            {value}
          </textarea>
        ) : (
          <input {...common} type="text" value={value} />
        )}
        {note ? <Note name={name}>{note}</Note> : null}
      </div>
    </div>
  );
}

export const NumberField = ({ name, label, note, value }: Labelled & { readonly value: number }): VNode => (
  <div class="form-group my-2">
    <div class="form-group-header">
      <label for={idOf(name)}>{label}</label>
    </div>
    <div class="form-group-body">
      <input
        class="form-control"
        style="width: 96px"
        id={idOf(name)}
        name={name}
        type="number"
        min={0}
        max={1000}
        value={value}
        aria-describedby={note ? `${idOf(name)}-note` : undefined}
      />
      {note ? <Note name={name}>{note}</Note> : null}
    </div>
  </div>
);

export const CheckField = ({ name, label, note, checked }: Labelled & { readonly checked: boolean }): VNode => (
  <div class="form-checkbox my-2">
    <label for={idOf(name)}>
      <input
        type="checkbox"
        id={idOf(name)}
        name={name}
        value="true"
        checked={checked}
        aria-describedby={note ? `${idOf(name)}-note` : undefined}
      />
      {label}
    </label>
    {note ? <Note name={name}>{note}</Note> : null}
  </div>
);

/** One of a few; `name` is what the form sends. */
export const Choice = ({
  name,
  label,
  value,
  options,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string, note?: string])[];
}): VNode => (
  <div role="radiogroup" aria-labelledby={idOf(name)}>
    <strong id={idOf(name)}>{label}</strong>
    {options.map(([option, text, note]) => (
      <div key={option} class="form-checkbox my-2">
        <label for={`${idOf(name)}-${option}`}>
          <input
            type="radio"
            id={`${idOf(name)}-${option}`}
            name={name}
            value={option}
            checked={option === value}
            aria-describedby={note ? `${idOf(name)}-${option}-note` : undefined}
          />
          {text}
        </label>
        {note ? <Note name={`${name}-${option}`}>{note}</Note> : null}
      </div>
    ))}
  </div>
);
