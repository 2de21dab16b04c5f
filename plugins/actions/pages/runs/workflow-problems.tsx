import type { VNode } from 'preact';
import { icon } from '@mortise/plugin-sdk';

/** What is wrong with a workflow file: `error` keeps all of it from running, `warnings` parts of it. */
export const WorkflowProblems = (problems: { readonly error: string; readonly warnings: readonly string[] }): VNode => (
  <>
    {problems.error ? (
      <div class="flash flash-error mb-2">
        {icon('alert')} <span class="text-mono wb-break-word">{problems.error}</span>
      </div>
    ) : null}
    {problems.warnings.length > 0 ? (
      <div class="flash flash-warn mb-2">
        {problems.warnings.map((text) => (
          <div key={text}>
            {icon('alert')} <span class="text-mono wb-break-word">{text}</span>
          </div>
        ))}
      </div>
    ) : null}
  </>
);
