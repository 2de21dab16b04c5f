/**
 * The contract of `repositories`: what a repository is, who may do what with it, how it is shown, and what happens to
 * it. Types, references, events, points and the schema of the REST model, and what routes and pages of a repository
 * have in common.
 */
export {
  type AccessGrant,
  type OwnedRepository,
  type AccessSource,
  accessSources,
  type AccessRequirement,
  accessRequirements,
  type RepositoryCreationPolicy,
  repositoryCreationPolicies,
  type BranchWriters,
  branchWriters,
  type BranchAccess,
  branchAccess,
  pushResource,
} from './contract/access.js';
export * from './contract/archived.js';
export * from './contract/blocks.js';
export {
  commitSigners,
  firstCommit,
  type SigningBasis,
  type PlannedCommit,
  type CommitWriter,
  commitWriter,
} from './contract/commits.js';
export * from './contract/events.js';
export * from './contract/features.js';
export * from './contract/jobs.js';
export * from './contract/orphan-cleanup.js';
export {
  type RepositoryCreator,
  type RepositoryCreation,
  repositoryCreation,
  repositoryCreator,
} from './contract/creation.js';
export { formatInterval, takesCommits, refuseMirror, type RepositoryEdit, repositoryEdits } from './contract/mirror.js';
export * from './contract/model.js';
export {
  type RepositoryRoute,
  administerPage,
  repositoryPageContext,
  repositoryHome,
  type RepositoryPageContext,
  type RepositoryTab,
  repositoryTabs,
  repositorySettingsMenu,
  repositorySidebar,
  newRepositoryStarts,
  type RepositoryButton,
  repositoryButtons,
  repositoryCounters,
  type RepositoryPages,
  repositoryPages,
} from './contract/pages.js';
export * from './contract/form-fields.js';
export { type RepositoryRelation, repositoryRelations, repositoryWatchers } from './contract/relations.js';
export {
  type AccessMode,
  accessRank,
  trustModels,
  type TrustModel,
  type Repository,
  type RepositoryBasics,
  type RepositoryContext,
  repositoryResource,
  codeResource,
  type NewRepository,
  type Repositories,
  repositories,
  type RepositoryAccess,
  repositoryResolver,
  repositoryAccess,
  type RepositoryMembers,
  repositoryMembers,
  type RepositoryDefaults,
  repositoryDefaults,
  deployKeyGrant,
  type DeployKeys,
  deployKeys,
} from './contract/repositories.js';
export { type RepositoryQuota, repositoryQuota } from './contract/repository-quota.js';
export * from './contract/routes.js';
export { type RepositoryUnit, isWebAddress, type KnownUnits, knownUnits, repositoryUnits } from './contract/units.js';
