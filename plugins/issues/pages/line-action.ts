import type { LineAction } from '@mortise/files/api';
import { t } from '../texts/index.js';

/** In the menu of chosen lines of a file: a new issue whose text begins with their address. */
export const openIssueAboutLines: LineAction = {
  key: 'issue',
  label: t.later('lines.openIssue'),
  icon: 'issue-opened',
  href: 'issues/new',
  parameter: 'body',
  visible: ({ context, actor }) =>
    actor.kind === 'user' && !context.repository.isArchived && context.may('read', 'issues'),
};
