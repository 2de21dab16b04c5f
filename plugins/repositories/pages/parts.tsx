import type { ComponentChildren, VNode } from 'preact';

/** A form field with its label and help. */
export function Field({ label, help, children }: { label: string; help?: string; children: ComponentChildren }): VNode {
  return (
    <div class="form-group mt-0 mb-3">
      <label class="d-block text-normal">
        <span class="form-group-header d-block text-bold mb-1">{label}</span>
        {children}
      </label>
      {help ? <p class="note">{help}</p> : null}
    </div>
  );
}

export function Check(props: {
  name: string;
  label: string;
  checked?: boolean;
  help?: string;
  disabled?: boolean;
}): VNode {
  const { name, label, checked, help, disabled } = props;
  return (
    <div class="form-checkbox my-2">
      <label>
        <input type="checkbox" name={name} value="on" checked={checked} disabled={disabled} /> {label}
      </label>
      {help ? <p class="note">{help}</p> : null}
    </div>
  );
}

export type Choice = readonly [value: string, label: string];

export function Select(props: { name: string; choices: readonly Choice[]; value?: string; label?: string }): VNode {
  return (
    <select class="form-select" name={props.name} aria-label={props.label}>
      {props.choices.map(([value, label]) => (
        <option value={value} selected={value === props.value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** A part of a page of settings, with its heading. */
export function Section({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="mb-5">
      <h2 class="Subhead-heading border-bottom pb-2 mb-3">{title}</h2>
      {children}
    </section>
  );
}
