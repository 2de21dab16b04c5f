/** The contract of `forks`: what repositories made from a template take over. */
import { defineEvent, definePoint, type Actor, type Keyed, type Text } from '@mortise/plugin-sdk';

/** Extension point: something of a template that belongs to another plugin, and is copied where it is asked for. */
export interface TemplateContent extends Keyed {
  /** As in the body of `POST /repos/{owner}/{repo}/generate`. */
  readonly key: 'git_hooks' | 'webhooks' | 'labels' | 'protected_branch';
  readonly label: Text;
  readonly order?: number;
  /** May this actor take it over? Default: everybody. */
  offered?(actor: Actor): Promise<boolean>;
  /** In the transaction that makes the new repository visible; SQL only. */
  copy(made: { readonly templateId: number; readonly repositoryId: number }): Promise<void>;
}
export const templateContents = definePoint.keyed<TemplateContent>('forks.templateContents');

/** A repository was made from a template. Subscribe `within`. */
export const repositoryGenerated = defineEvent<{ repositoryId: number; templateId: number; actorId: number }>(
  'forks.generated',
);
