/**
 * The contract of `releases`: versions of a repository with notes and files, each on a tag; what happens to them, and
 * the schemas of the REST models. No behaviour.
 */
export {
  type Releases,
  releases,
  type ReleaseEvent,
  releasePublished,
  releaseEdited,
  releaseDeleted,
  type ReleaseImports,
  releaseImports,
  releaseAssetOwner,
} from './contract/releases.js';
