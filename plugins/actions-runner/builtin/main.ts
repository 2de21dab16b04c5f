import { downloadArtifact, uploadArtifact } from './artifacts.js';
import { restoreCache, saveCache } from './cache.js';
import { removeAuthHeader, checkout } from './checkout.js';
import { containerUser, inaccessibleFileProblem } from './container.js';
import { setupNode } from './setup-node.js';

/** Runs a built-in action: `main.js NAME main|post`, with the variables that every action has. */
const [name = '', phase = 'main'] = process.argv.slice(2);

const actions: Readonly<Record<string, () => Promise<void> | void>> = {
  'checkout main': checkout,
  'checkout post': removeAuthHeader,
  'upload-artifact main': uploadArtifact,
  'download-artifact main': downloadArtifact,
  'cache main': restoreCache,
  'cache post': saveCache,
  'cache-restore main': restoreCache,
  'cache-save main': saveCache,
  'setup-node main': setupNode,
};

// Files must be accessible to the user of the container as well; other users cannot enter the folders of the job.
if (!['', '0'].includes(containerUser())) process.umask(0);
try {
  await actions[`${name} ${phase}`]?.();
} catch (error) {
  console.log(`##[error]${error instanceof Error ? error.message : String(error)}`);
  const closed = containerUser() === '' ? undefined : await inaccessibleFileProblem();
  if (closed) console.log(`##[error]${closed}`);
  process.exitCode = 1;
}
