import type { ComponentChildren, VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';

const toneClass = {
  success: 'color-fg-success',
  attention: 'color-fg-attention',
  danger: 'color-fg-danger',
  muted: 'color-fg-muted',
  done: 'color-fg-done',
} as const;

interface MergeBoxRowProps {
  /** Octicon name. */
  readonly icon: string;
  readonly tone: keyof typeof toneClass;
  readonly children: ComponentChildren;
  /** Buttons at its end. */
  readonly actions?: ComponentChildren;
}

/** One row of the box that says what is missing to merge: what {@link pullMergeBox} shows is made of these. */
export const MergeBoxRow = (props: MergeBoxRowProps): VNode => (
  <li class="Box-row pull-row">
    <span class={toneClass[props.tone]}>{icon(props.icon)}</span>
    <div class="pull-row-text">{props.children}</div>
    {props.actions ? <div class="pull-row-actions">{props.actions}</div> : null}
  </li>
);
