/**
 * Whose runners, secrets and variables something is: the site's (0, 0), an owner's (n, 0; a person or an organization), or
 * a repository's (0, n). Never both.
 */
export interface ActionScope {
  readonly ownerId: number;
  readonly repositoryId: number;
  /** Of a repository, for secrets and variables: those of jobs alone that deploy to this environment. */
  readonly environmentId?: number;
}

export const siteScope: ActionScope = Object.freeze({ ownerId: 0, repositoryId: 0 });
export const ownerScope = (ownerId: number): ActionScope => ({ ownerId, repositoryId: 0 });
export const repositoryScope = (repositoryId: number): ActionScope => ({ ownerId: 0, repositoryId });

export const environmentScope = (repositoryId: number, environmentId: number): ActionScope => ({
  ...repositoryScope(repositoryId),
  environmentId,
});

/** The properties of a repository that decide its scopes. */
export interface ScopedRepository {
  readonly id: number;
  readonly ownerId: number;
}

/** Scopes whose runners may take jobs of the repository, and whose variables hold in it, weakest first. */
export const scopesOf = ({ id, ownerId }: ScopedRepository): readonly ActionScope[] => [
  siteScope,
  ownerScope(ownerId),
  repositoryScope(id),
];
