import { readCommandFile } from './file-commands.js';
import type { StepRun } from './step-run.js';

/**
 * Built-in actions of a job with a container run outside it: images need neither Git nor Node for them, and no way to the
 * server. Paths are the same there; what else steps have said of the container is not.
 */

/** What programs outside would take for theirs: it is of the container. */
const ofContainer =
  /^(?:PATH|HOME|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GCONV_PATH|LOCPATH|TMPDIR|TAR_OPTIONS)$/;

export const outsideVariables = (env: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !ofContainer.test(name)));

const lookForNodes = `for node in "$RUNNER_TOOL_CACHE"/node/*/"$1"/bin/node "$(command -v node)"; do
  version=$("$node" --version 2>/dev/null) && echo "$version \${node%/*}" >> "$2"
done
true`;

/** The Nodes that run in the container, a line each: version and folder. */
export async function nodesInContainer(run: StepRun): Promise<string> {
  const { session, scope, signal, said } = run;
  const file = await session.file('nodes');
  const env = { ...scope.env, ...run.env };
  const options = { cwd: session.folders.workspace, env, signal, scope, said };
  await session.run('sh', ['-c', lookForNodes, 'sh', process.arch, file], options);
  return readCommandFile(file, session.place.runAs?.uid) ?? '';
}
