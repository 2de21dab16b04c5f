import type { VNode } from 'preact';
import type { RunRow } from '../../models/run.js';
import { splitRef } from '../../services/runs/github-context.js';

/** What a run is about, as people say it: a pull request, a branch, a tag. `home`: path of the repository. */
export const RefLabel = ({ run, home }: { readonly run: RunRow; readonly home: string }): VNode =>
  run.pull_index > 0 ? (
    <a class="branch-name" href={`${home}/pulls/${run.pull_index}`}>
      #{run.pull_index}
    </a>
  ) : (
    <span class="branch-name wb-break-word">{run.head_branch || splitRef(run.ref).name}</span>
  );
