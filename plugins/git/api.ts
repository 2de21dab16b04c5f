/**
 * The public contract of `git`: where repositories lie, how they are read without starting processes, and the one
 * gate through which every reference moves.
 */
export {
  type RepositoryKind,
  zeroOid,
  isZeroOid,
  isOid,
  isCorruptObject,
  isRefName,
  ambiguousNameProblem,
} from './contract/names.js';
export {
  type GitStore,
  gitStore,
  type ExternalContent,
  externalContents,
  type GitBackup,
  gitBackup,
  repositoryDamaged,
  type RepositoryStorages,
  repositoryStorages,
} from './contract/store.js';
export {
  type Signature,
  type Commit,
  type AnnotatedTag,
  type TreeEntry,
  type PathEntry,
  type Ref,
  type ResolvedName,
  type FileChange,
  type FileAttributes,
  type IgnoredWhitespace,
  type ChangeOptions,
  type ChangePage,
  type PatchOptions,
  type BlameLine,
  type GitRepository,
  type GitReader,
  gitReader,
  type LanguageColors,
  languageColors,
} from './contract/reading.js';
export * from './contract/facts.js';
export {
  type RefUpdate,
  type UpdateSource,
  type RefChange,
  type RefCheck,
  refChecks,
  keptCommits,
  reservedRefs,
  pushableRefs,
  type PushHint,
  pushHints,
  type RefsUpdated,
  refsUpdated,
  type RefUpdates,
  refUpdates,
} from './contract/references.js';
export * from './contract/receiving.js';
export { followLinks, decodeText, encodingOf, textTypeOf } from './contract/text.js';
export * from './contract/message.js';
export { type TreeChange, type CommitDraft, commitPayload, type GitWriter, gitWriter } from './contract/writing.js';
export { type GitStartOptions, type GitChild, type GitProcesses, gitProcesses } from './contract/processes.js';
export {
  type RemoteCredentials,
  type RemoteProgress,
  type RemoteFetched,
  type RemotePush,
  type RemotePushed,
  remoteProblem,
  remoteFailureOf,
  type RemoteAddress,
  type GitRemotes,
  gitRemotes,
} from './contract/remotes.js';
export { type GitFolders, gitFolders, type GitTakeover, gitTakeover } from './contract/folders.js';
