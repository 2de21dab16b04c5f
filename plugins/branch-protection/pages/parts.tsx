import type { ComponentChildren, VNode } from 'preact';

/** A part of the form, in a box under its own heading. */
export const Part = ({ title, children }: { title: string; children: ComponentChildren }): VNode => (
  <fieldset class="Box mb-3" style="min-width: 0; margin: 0; padding: 0">
    <legend class="sr-only">{title}</legend>
    <div class="Box-header py-2" aria-hidden="true">
      <div class="Box-title">{title}</div>
    </div>
    <div class="Box-body">{children}</div>
  </fieldset>
);
