import type { ComponentChildren, VNode } from 'preact';
import { Csrf, PostButton, icon } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** A menu with the form that makes a reference; `children` are the fields beside the name. */
export function CreateMenu({
  label,
  action,
  maxLength,
  name,
  isPlain,
  glyph = 'plus',
  children,
}: {
  label: string;
  /** Octicon name; default `plus`. */
  glyph?: string;
  action: string;
  /** Signs of a name. */
  maxLength: number;
  /** The name that was refused: the menu is open and shows it again. */
  name?: string;
  /** One of several buttons, not the first of its page. */
  isPlain?: boolean;
  children: ComponentChildren;
}): VNode {
  return (
    <details class="position-relative d-inline-block" open={name !== undefined}>
      <summary class={isPlain ? 'btn btn-sm' : 'btn btn-sm btn-primary'}>
        {icon(glyph)} {label}
      </summary>
      <form
        method="post"
        action={action}
        class="code-menu code-menu-right Box position-absolute mt-1 p-3 color-shadow-large"
      >
        <Csrf />
        <label class="d-block mb-2">
          {t('name')}
          <input
            class="form-control input-sm d-block width-full"
            name="name"
            value={name}
            required
            maxLength={maxLength}
          />
        </label>
        {children}
        <button class="btn btn-sm btn-primary" type="submit">
          {t('create')}
        </button>
      </form>
    </details>
  );
}

/** Takes a branch or tag away. */
export const DeleteRef = ({ action, name, confirm }: { action: string; name: string; confirm?: string }): VNode => (
  <PostButton action={action} fields={{ name }} label={t('deleteOf', { name })} confirm={confirm} danger>
    {icon('trash')}
  </PostButton>
);
