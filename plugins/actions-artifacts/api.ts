/** The contract of `actions-artifacts`: what pages show of the artifacts and summaries of runs. */
export { runArtifacts } from './contract/artifacts.js';
