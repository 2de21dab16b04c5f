import { Forbidden, NotFound, type Database } from '@mortise/plugin-sdk';
import type { Project } from '../contract/projects.js';
import { ProjectRow, toProject } from '../models/project.js';
import { t } from '../texts/index.js';

/**
 * First in a transaction that changes a board: waits for others that do, so that moves at the same moment happen one
 * after the other, and gives the board as they left it. NotFound when it is gone.
 */
export async function lockProject(database: Database, id: number): Promise<Project> {
  const changes = { set: { updated_at: Date.now() }, add: { revision: 1 } };
  const row = (await database.rows.update(ProjectRow, { id }, changes))
    ? await database.rows.findOne(ProjectRow, { id })
    : undefined;
  if (!row) throw NotFound('project');
  return toProject(row);
}

/**
 * The same for moves of cards, of a board that was just read: one statement where it is open still. Forbidden when it was
 * closed since, NotFound when it is gone.
 */
export async function lockForCards(database: Database, project: Project): Promise<Project> {
  const changes = { set: { updated_at: Date.now() }, add: { revision: 1 } };
  if (await database.rows.update(ProjectRow, { id: project.id, is_closed: false }, changes)) return project;
  return lockOpenProject(database, project.id);
}

/** The same for its columns and cards, which a closed board keeps as they are (PRJ-05). */
export async function lockOpenProject(database: Database, id: number): Promise<Project> {
  const project = await lockProject(database, id);
  if (project.isClosed) throw Forbidden(t.later('error.closed'));
  return project;
}
