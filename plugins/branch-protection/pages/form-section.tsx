import type { ComponentChildren, VNode } from 'preact';

/** For tags of messages that stand for something that is the same in every language. */
export const code = (text: string) => (): VNode => <code>{text}</code>;

/** What fields may hold, in any language. */
export const examples = {
  branch: 'main',
  protectedFiles: 'keys/**;*.lock',
  openFiles: 'docs/**',
  contexts: 'build / *',
  tag: 'v*',
};

/** A part of the form, in a box under its own heading. */
export const FormSection = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <fieldset class="Box mx-0 mt-0 mb-3 p-0">
    <legend class="sr-only">{title}</legend>
    <div class="Box-header py-2" aria-hidden="true">
      <div class="Box-title">{title}</div>
    </div>
    <div class="Box-body">{children}</div>
  </fieldset>
);
