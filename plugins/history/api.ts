/**
 * The contract of `history`: commits in the REST surface and on pages, comparisons, differences, what signatures prove,
 * and what every page of code is made of: revisions, addresses and parts.
 */
export { markBidi } from './contract/bidi.js';
export * from './contract/code-body.js';
export {
  type CommitModels,
  commitModels,
  type CommitViews,
  commitViews,
  type CommitBadges,
  commitBadges,
  type ComparePageContext,
  compareActions,
  type CommitPageContext,
  commitActions,
} from './contract/commits.js';
export { type Comparison, type Comparisons, comparisons } from './contract/comparisons.js';
export * from './contract/corrupt-object.js';
export {
  type DiffQuery,
  diffQuery,
  type DiffFile,
  type DiffPage,
  type DiffLinePosition,
  type DiffSlots,
  type Diffs,
  diffs,
  diffIslands,
} from './contract/diffs.js';
export * from './contract/lfs-pointer.js';
export * from './contract/missing-page.js';
export { ModelBody, modelFormatOf } from './contract/model.js';
export {
  type CodePageContext,
  pageAccess,
  writeAccess,
  pageContextOf,
  type RevisionView,
  repositoryPathOf,
  viewOf,
  openView,
  encodePath,
  at,
  subjectOf,
  bodyOf,
} from './contract/pages.js';
export { Avatar, CommitAuthor, Crumbs, type CommitBarProps, CommitBar } from './contract/commit-bar.js';
export { Switcher } from './contract/ref-picker.js';
export { branchHistory, followRenames, renamedBranches, type RenamedBranches } from './contract/renamed-branches.js';
export {
  type Revision,
  revisionOf,
  cleanPath,
  type RevisionPath,
  splitRevision,
  guessRevision,
} from './contract/revisions.js';
export {
  repositoryApi,
  repositoryTags,
  readCode,
  writeCode,
  pushCode,
  changeResponses,
  refOption,
  commitParts,
  withRest,
} from './contract/routes.js';
export * from './contract/schemas.js';
export { type TextChange, type TextDiffs, textDiffs } from './contract/text-diffs.js';
export { SignatureBadge } from './contract/signature-badge.js';
export {
  type SignedObject,
  type SignatureVerification,
  type Trust,
  type TrustedVerification,
  type SignatureVerifier,
  signatureVerifiers,
  type CommitVerification,
  commitVerification,
} from './contract/signatures.js';
