import type { ComponentChildren, VNode } from 'preact';
import { NotFound, icon } from '@mortise/plugin-sdk';
import { at, CodeBody, openView, Switcher, type CodePageContext, type RevisionView } from '@mortise/history/api';

/** The branch, tag or commit that a search is about, by default the default branch; not one of its folders. */
export async function openBranch(
  services: Parameters<typeof openView>[0],
  context: CodePageContext<{ readonly rest?: string }>,
): Promise<RevisionView> {
  const { repository } = context.resource;
  const view = await openView(services, context, context.params.rest ?? `branch/${repository.defaultBranch}`);
  if (view.path) throw NotFound('branch');
  return view;
}

interface BranchSearchProps {
  readonly view: RevisionView;
  /** The page among those of the branch. */
  readonly word: 'find' | 'search';
  /** Fields of the form, before its button. */
  readonly fields: ComponentChildren;
  readonly submit: string;
  /** What was found. */
  readonly children?: ComponentChildren;
}

/** A page that looks for something in the files of a branch. */
export const BranchSearch = ({ view, word, fields, submit, children }: BranchSearchProps): VNode => (
  <CodeBody find={at(view, 'find', '')}>
    <div class="code-row mb-3">
      <Switcher view={view} word={word} />
      <form method="get" class="code-row flex-auto">
        {fields}
        <button class="btn" type="submit">
          {icon('search')} {submit}
        </button>
      </form>
    </div>
    {children}
  </CodeBody>
);
