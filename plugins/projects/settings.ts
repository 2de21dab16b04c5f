import { Joi } from '@mortise/plugin-sdk';

interface ProjectSettings {
  readonly PROJECT_BOARD_BASIC_KANBAN_TYPE: string;
  readonly PROJECT_BOARD_BUG_TRIAGE_TYPE: string;
}

/** `[project]` */
export const projectSettings = Joi.object<ProjectSettings>({
  PROJECT_BOARD_BASIC_KANBAN_TYPE: Joi.string()
    .allow('')
    .default('To Do, In Progress, Done')
    .description('Columns of a new board of the template `basic_kanban`, after `Backlog`'),
  PROJECT_BOARD_BUG_TRIAGE_TYPE: Joi.string()
    .allow('')
    .default('Needs Triage, High Priority, Low Priority, Closed')
    .description('Columns of a new board of the template `bug_triage`, after `Backlog`'),
});

const titlesOf = (list: string): string[] =>
  list
    .split(',')
    .map((title) => title.trim())
    .filter(Boolean);

/** Titles of the columns of new boards by their template. */
export const templateColumns = (settings: ProjectSettings) => ({
  none: [],
  basic_kanban: ['Backlog', ...titlesOf(settings.PROJECT_BOARD_BASIC_KANBAN_TYPE)],
  bug_triage: ['Backlog', ...titlesOf(settings.PROJECT_BOARD_BUG_TRIAGE_TYPE)],
});
