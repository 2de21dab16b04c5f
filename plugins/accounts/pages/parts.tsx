import type { ComponentChildren, VNode } from 'preact';

export interface FieldProps {
  readonly name: string;
  readonly label: string;
  /** Where another form of the page has a field of the same name. */
  readonly id?: string;
  readonly value?: string;
  readonly type?: string;
  readonly note?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly autocomplete?: string;
  readonly autofocus?: boolean;
}

/** One labelled input of a form. */
export function Field(props: FieldProps): VNode {
  const id = props.id ?? `field-${props.name}`;
  return (
    <div class="form-group">
      <div class="form-group-header">
        <label for={id}>{props.label}</label>
      </div>
      <div class="form-group-body">
        <input
          class="form-control width-full"
          id={id}
          name={props.name}
          type={props.type ?? 'text'}
          value={props.value ?? ''}
          required={props.required}
          maxLength={props.maxLength}
          autocomplete={props.autocomplete}
          autofocus={props.autofocus}
          aria-describedby={props.note ? `${id}-note` : undefined}
        />
        {props.note ? (
          <p class="note" id={`${id}-note`}>
            {props.note}
          </p>
        ) : null}
      </div>
    </div>
  );
}

export function Area(props: FieldProps & { readonly rows?: number }): VNode {
  const id = `field-${props.name}`;
  return (
    <div class="form-group">
      <div class="form-group-header">
        <label for={id}>{props.label}</label>
      </div>
      <div class="form-group-body">
        <textarea
          class="form-control width-full"
          id={id}
          name={props.name}
          rows={props.rows ?? 3}
          required={props.required}
          maxLength={props.maxLength}
        >
          {props.value ?? ''}
        </textarea>
        {props.note ? <p class="note">{props.note}</p> : null}
      </div>
    </div>
  );
}

export function Choice(props: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly note?: string;
}): VNode {
  const id = `field-${props.name}`;
  return (
    <div class="form-group">
      <div class="form-group-header">
        <label for={id}>{props.label}</label>
      </div>
      <div class="form-group-body">
        <select class="form-select" id={id} name={props.name}>
          {props.options.map(([value, label]) => (
            <option key={value} value={value} selected={value === props.value}>
              {label}
            </option>
          ))}
        </select>
        {props.note ? <p class="note">{props.note}</p> : null}
      </div>
    </div>
  );
}

export function Check(props: {
  readonly name: string;
  readonly label: string;
  readonly checked: boolean;
  readonly note?: string;
}): VNode {
  return (
    <div class="form-checkbox">
      <label>
        <input type="checkbox" name={props.name} value="true" checked={props.checked} /> {props.label}
      </label>
      {props.note ? <p class="note">{props.note}</p> : null}
    </div>
  );
}

/** A titled part of a page. */
export const Section = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <section class="mb-5">
    <div class="Subhead">
      <h2 class="Subhead-heading">{title}</h2>
    </div>
    {children}
  </section>
);
