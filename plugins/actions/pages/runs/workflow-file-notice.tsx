import type { Slot } from '@mortise/plugin-sdk';
import type { FilePageContext } from '@mortise/files/api';
import type { WorkflowFiles } from '../../services/runs/workflow-files.js';
import type { ActionsSettings } from '../../settings.js';
import { problemText } from '../../workflow/index.js';
import { WorkflowProblems } from './workflow-problems.js';

/** Says on the page of a workflow file what is wrong with it. */
export const workflowFileNotice = ({
  files,
  settings: { WORKFLOW_DIRS, SCOPED_WORKFLOW_DIRS },
}: {
  readonly files: WorkflowFiles;
  readonly settings: Pick<ActionsSettings, 'WORKFLOW_DIRS' | 'SCOPED_WORKFLOW_DIRS'>;
}): Slot<FilePageContext> => ({
  key: 'actions.workflow',
  async render({ context, at, path, type }) {
    const isIn = (folder: string) => path.startsWith(`${folder}/`);
    const folders = [WORKFLOW_DIRS, SCOPED_WORKFLOW_DIRS].find((list) => list.some(isIn));
    if (type !== 'file' || !folders || !/\.ya?ml$/.test(path) || !context.may('read', 'actions')) return null;
    const { id } = context.repository;
    // of a folder that another one comes before nothing is run, and nothing said
    const file = (await files.list(id, at.commit, folders)).find((one) => one.path === path);
    if (!file) return null;
    const { error, warnings = [] } = await files.summary(id, file);
    return <WorkflowProblems error={error ? problemText(error) : ''} warnings={warnings.map(problemText)} />;
  },
});
