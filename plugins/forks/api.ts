/** The contract of `forks`: what repositories made from a template take over. */
export { templateContents, repositoryGenerated } from './contract/forks.js';
