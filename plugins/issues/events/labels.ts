import type { Database } from '@mortise/plugin-sdk';
import { LabelRow } from '../models/label.js';
import { labelTemplates } from '../templates/labels.js';

/** A new repository begins with the set of labels that was asked for (ISS-30). */
export async function createDefaultLabels(
  { repositoryId, issueLabels }: { readonly repositoryId: number; readonly issueLabels?: string },
  { database }: { readonly database: Database },
): Promise<void> {
  for (const { name, color, description, exclusive } of labelTemplates.get(issueLabels ?? '') ?? [])
    await database.query(LabelRow).insert({
      repository_id: repositoryId,
      organization_id: null,
      name,
      lower_name: name.toLowerCase(),
      color,
      description,
      is_exclusive: exclusive,
      archived_at: 0,
      created_at: Date.now(),
    });
}

/** The labels of a template, in the transaction that makes a repository of it. */
export async function copyLabels(
  { templateId, repositoryId }: { readonly templateId: number; readonly repositoryId: number },
  { database }: { readonly database: Database },
): Promise<void> {
  const rows = await database.query(LabelRow).where('repository_id', templateId).orderBy('id');
  for (const { id: _, ...row } of rows)
    await database.query(LabelRow).insert({ ...row, repository_id: repositoryId, created_at: Date.now() });
}
